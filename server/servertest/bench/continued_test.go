//go:build linux

package bench

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

// replayed is the number of turns of a conversation that is replayed from its beginning.
const replayed = 200

// cached is the part of a bundle's answer about what a model's cache can reuse.
type cached struct {
	bundled
	Cache struct {
		Stable int `json:"stablePrefixTokens"`
		Reused int `json:"reusedPrefixTokens"`
	} `json:"cache"`
}

// continued replays conversations about the tree: from the beginning with two budgets, and one of
// 200 turns further.
func (r *run) continued(b *testing.B) (err error) {
	if err := r.prepare(b); err != nil {
		return err
	}
	c, err := start(r.bin, r.tree.root, r.state)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.stop()) }()
	if _, err := c.ready(100 * time.Millisecond); err != nil {
		return err
	}
	questions, err := r.tree.questions(2*replayed + 205)
	if err != nil {
		return err
	}
	for i, budget := range []int{12_000, 100_000} {
		if err := r.replay(c, budget, questions[i*replayed:(i+1)*replayed]); err != nil {
			return err
		}
	}
	return r.further(c, questions[2*replayed:])
}

// step requests a bundle and appends the question and an answer.
func (r *run) step(c *client, conversation string, budget, turn int, question string) (b cached, took time.Duration, err error) {
	begin := time.Now()
	err = c.command("contexture.bundle", map[string]any{"prompt": question, "conversationId": conversation, "budget": budget}, &b)
	took = time.Since(begin)
	if err == nil && b.Tokens > budget {
		err = fmt.Errorf("a bundle of %d tokens is over its budget", b.Tokens)
	}
	if err != nil {
		return b, took, fmt.Errorf("%q: %w", question, err)
	}
	answer, err := r.tree.answer(turn)
	if err != nil {
		return b, took, err
	}
	at := time.Date(2026, time.February, 2, 9, 0, 0, 0, time.UTC).Add(time.Duration(turn) * 3 * time.Minute).Format(time.RFC3339)
	_, err = c.append(conversation, []message{{Role: "user", Content: question, At: at}, {Role: "assistant", Content: answer, At: at}})
	return b, took, err
}

// replay counts the bundles that begin with (nearly) all of the stable part of the one before.
func (r *run) replay(c *client, budget int, questions []string) error {
	good, before, least := 0, 0, 1.0
	var times []time.Duration
	stable := 0
	for i, q := range questions {
		b, took, err := r.step(c, fmt.Sprint("replay", budget), budget, i, q)
		if err != nil {
			return err
		}
		times = append(times, took)
		stable += b.Cache.Stable
		if i > 0 {
			share := 1.0
			if before > 0 {
				share = float64(b.Cache.Reused) / float64(before)
			}
			if share >= .94 {
				good++
			}
			least = min(least, share)
		}
		before = b.Cache.Stable
	}
	r.table.least(fmt.Sprintf("bundles at %d that reuse ≥ 94 %% of the stable prefix", budget), 100*float64(good)/float64(len(questions)-1), 90, " %",
		"%d turns replayed; worst %.0f %%; %d stable tokens on average; p50 %.1f ms, p99 %.1f ms", len(questions), 100*least, stable/len(questions), ms(percentile(times, .50)), ms(percentile(times, .99)))
	return nil
}

// further times bundles of the conversation that already has 200 turns; the first five warm the
// caches that are warm in use.
func (r *run) further(c *client, questions []string) error {
	var times []time.Duration
	degraded, tokens := 0, 0
	for i, q := range questions {
		b, took, err := r.step(c, "replay12000", 12_000, replayed+i, q)
		if err != nil {
			return err
		}
		if i < 5 {
			continue
		}
		times = append(times, took)
		tokens += b.Tokens
		if len(b.Degraded) > 0 {
			degraded++
		}
	}
	r.table.add("bundle that continues 200 turns: p50", ms(percentile(times, .50)), 15, " ms", "%d questions, %d tokens on average, each answered with an append", len(times), tokens/len(times))
	r.table.add("bundle that continues 200 turns: p99", ms(percentile(times, .99)), 50, " ms", "slowest %.1f ms", ms(percentile(times, 1)))
	r.table.exact("such bundles that are degraded", float64(degraded), 0, "")
	return nil
}

// answer makes up an assistant's answer: what functions of a file do, and some lines of it.
func (t *tree) answer(turn int) (string, error) {
	r := rand.New(rand.NewPCG(11, uint64(turn)))
	file := t.sources[r.IntN(len(t.sources))]
	text, err := os.ReadFile(t.path(file))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "That is in `%s`.", file)
	for i, about := range topics(file, text) {
		if i == 4 {
			break
		}
		fmt.Fprintf(&b, " `%s` %s.", about.name, about.sentence)
	}
	lines := bytes.Split(text, []byte("\n"))
	from := r.IntN(len(lines))
	part := lines[from:min(from+5+r.IntN(20), len(lines))]
	fmt.Fprintf(&b, "\n\n```go\n%s\n```\n\nShall I look at the tests next?", bytes.Join(part, []byte("\n")))
	return b.String(), nil
}
