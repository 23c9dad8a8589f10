package swarm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/tokens"
)

// scripted is a chat model whose answers a test writes.
type scripted struct {
	answer   func(ctx context.Context, q asked) (string, error)
	identity string

	mu   sync.Mutex
	all  []asked
	busy int
	most int // maximum of concurrent questions
}

// asked is a question as the model gets it.
type asked struct {
	system, prompt string
	lines          []piece // the items
	request        string
}

func (c *scripted) Identity() string { return c.identity }

func (c *scripted) Ask(ctx context.Context, system, prompt string, schema []byte, maxTokens int) (string, error) {
	q := asked{system: system, prompt: prompt}
	for line := range strings.Lines(prompt) {
		var p piece
		var r struct{ Request string }
		if !strings.HasPrefix(line, "{") {
			continue
		}
		if json.Unmarshal([]byte(line), &r) == nil && strings.HasPrefix(line, `{"request"`) {
			q.request = r.Request
		} else if json.Unmarshal([]byte(line), &p) == nil {
			q.lines = append(q.lines, p)
		} else {
			return "", fmt.Errorf("a line is not JSON: %s", line)
		}
	}
	if !json.Valid(schema) || maxTokens < 4*len(q.lines) {
		return "", errors.New("no schema, or too little room for an answer")
	}
	c.mu.Lock()
	c.all = append(c.all, q)
	c.busy++
	c.most = max(c.most, c.busy)
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.busy--
		c.mu.Unlock()
	}()
	return c.answer(ctx, q)
}

// keeping returns a model that answers with the numbers of the lines that pass.
func keeping(pass func(piece) bool) func(context.Context, asked) (string, error) {
	return func(_ context.Context, q asked) (string, error) {
		keep := []int{}
		for _, p := range q.lines {
			if pass(p) {
				keep = append(keep, p.N)
			}
		}
		b, err := json.Marshal(map[string][]int{"keep": keep})
		return string(b), err
	}
}

// saying returns a model with one answer to everything.
func saying(text string) func(context.Context, asked) (string, error) {
	return func(context.Context, asked) (string, error) { return text, nil }
}

func newSwarm(t *testing.T, chat Chat, opts Options) *Swarm {
	t.Helper()
	counter, err := tokens.For(tokens.O200k)
	if err != nil {
		t.Fatal(err)
	}
	opts.Counter = counter
	return New(chat, opts)
}

// things makes n items, named p0, p1, …
func things(n int) []item.Item {
	out := make([]item.Item, n)
	for i := range out {
		out[i] = item.Item{Kind: "code", Path: fmt.Sprintf("p%d", i), Title: "func", Body: fmt.Sprintf("func f%d() {}", i), Tokens: 10}
	}
	return out
}

// places lists the locations of the items that stay.
func places(items []item.Item, keep []bool) string {
	var out []string
	for i, it := range items {
		if keep[i] {
			out = append(out, it.Path)
		}
	}
	return strings.Join(out, " ")
}
