package swarm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/contexture-dev/contexture/indexer/ollama"
)

// question is a question to a model.
type question struct {
	role      role
	size      size
	prompt    string
	maxTokens int
}

// role is one of a model's two tasks here: its instructions and the form of its answer.
type role struct {
	name   string // of the stage
	system string
	schema []byte
}

// resized asks in the size that fits the model, and again in the next smaller one while the
// question is too long.
func (g *stage) resized(ctx context.Context, build func(size) question, read func(text string) error) error {
	for {
		q := build(g.tally.fit.size(g.chat.Identity()))
		err := g.ask(ctx, q, read)
		if err == nil || ollama.KindOf(err) != ollama.TooLong || q.size == smallest {
			return err
		}
	}
}

// key returns a cryptographic hash, since the material is untrusted and must not cause collisions.
func (q question) key(identity string) key {
	h := sha256.New()
	for _, part := range []string{identity, q.role.name, q.role.system, string(q.role.schema), q.prompt} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part) // a hash never fails
	}
	return key(h.Sum(nil))
}

// longestAnswer bounds the bytes of a cached answer: lists of a few dozen numbers.
const longestAnswer = 4 << 10

// stage is a filtering or judging in progress.
type stage struct {
	*Swarm
	tally   *tally
	resting bool // the model was too slow recently: only cached answers are used
	start   time.Time
	asked   atomic.Int64 // questions that were sent
	late    atomic.Int64 // those of them without an answer in time
}

func (s *Swarm) begin(ctx context.Context, t *tally) *stage {
	now := s.opts.Now()
	return &stage{Swarm: s, tally: t, start: now, resting: !t.patience.allows(ctx, now)}
}

// end records whether the model answered in time. A cancelled caller is no evidence.
func (g *stage) end(ctx context.Context) {
	sent := g.asked.Load()
	if sent == 0 || errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	now := g.opts.Now()
	g.tally.patience.ended(now, now.Sub(g.start), g.late.Load() == sent)
}

// ask asks a question and has read parse the answer, which is cached if that succeeds. A cached
// answer takes neither a slot nor the model.
func (g *stage) ask(ctx context.Context, q question, read func(text string) error) error {
	identity := g.chat.Identity()
	id := q.key(identity)
	g.tally.asked.Add(1)
	if text, ok := g.memo.Get(id); ok {
		g.tally.memo.Add(1)
		return read(text)
	}
	text, err := g.send(ctx, q)
	g.tally.fit.learn(identity, q.size, err)
	if err == nil {
		if err = read(text); err != nil {
			err = &ollama.Error{Kind: ollama.BadAnswer, Op: "chat", Model: identity, Detail: err.Error()}
		}
	}
	g.tally.ended(err)
	if err == nil && len(text) <= longestAnswer && g.chat.Identity() == identity { // otherwise another model may have answered
		g.memo.Add(id, text)
	}
	return err
}

// send asks the model when a slot is free.
func (g *stage) send(ctx context.Context, q question) (text string, err error) {
	if g.resting {
		return "", errSlow
	}
	g.asked.Add(1)
	defer func() {
		if err != nil && ollama.KindOf(err) == ollama.Timeout {
			g.late.Add(1)
		}
	}()
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("%s: %w", q.role.name, err)
	}
	select {
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
	case <-ctx.Done():
		return "", fmt.Errorf("%s: wait for the model: %w", q.role.name, ctx.Err())
	}
	return g.chat.Ask(ctx, q.role.system, q.prompt, q.role.schema, q.maxTokens)
}

// errSlow is the error while a model is in backoff.
var errSlow error = &ollama.Error{Kind: ollama.Timeout, Op: "chat",
	Detail: "the model was too slow in the last attempts and is not called for a while; a smaller one may keep up, see ollama.chatModel"}
