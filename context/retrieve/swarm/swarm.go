// Package swarm lets a chat model judge what was found: a [Swarm] filters candidates by several
// small agents, each of which sees a share of them, and judges which of the rest go into a bundle,
// where, and in which format.
//
// A model can only choose among what it was shown: it answers with numbers, and a number that it
// was not shown is dropped and counted. Whatever is late, failed or invalid leaves the result as it
// would be without a model, and is reported. Nothing is sent to a model except what is in the
// prompts, shortened and quoted: see material.go.
package swarm

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/indexer/ollama"
)

// Chat asks a chat model. It is safe for concurrent use.
type Chat interface {
	// Ask returns the model's answer as JSON that fits schema, in at most maxTokens. It must return
	// soon after ctx ends. ollama.KindOf classifies its errors.
	Ask(ctx context.Context, system, prompt string, schema []byte, maxTokens int) (text string, err error)
	// Identity names the model and its weights: one model's answer is never used for another's. It
	// is empty while there is no model; then nothing is asked.
	Identity() string
}

// Options are the options of a swarm. The zero value of every field except Counter is the default.
type Options struct {
	// Counter bounds what is shown of each item. The model's own tokens differ, but not by much.
	Counter *tokens.Counter
	// Redact removes secrets from a text before it is sent. It is called concurrently.
	Redact func(string) string
	// Parallel bounds the concurrent questions to the server, over all bundles; 0 means 4.
	Parallel int
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Remembered bounds the cached answers, 4 KB each at most; 0 means 1024.
	Remembered int
}

// Swarm asks a chat model. One serves all bundles of a process; it is safe for concurrent use.
type Swarm struct {
	chat     Chat
	opts     Options
	slots    chan struct{} // one is taken while the model is asked
	memo     *lru.Cache[key, string]
	filtered tally
	judged   tally
}

// key is the content of a question, of the model and the prompt's wording included.
type key [sha256.Size]byte

const (
	usualParallel   = 4
	usualRemembered = 1024
)

// New returns a swarm that asks chat.
func New(chat Chat, opts Options) *Swarm {
	if opts.Parallel <= 0 {
		opts.Parallel = usualParallel
	}
	if opts.Remembered <= 0 {
		opts.Remembered = usualRemembered
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	s := &Swarm{chat: chat, opts: opts, slots: make(chan struct{}, opts.Parallel)}
	s.memo, _ = lru.New[key, string](opts.Remembered) // fails only for a size below 1
	return s
}

// Within bounds a stage: by share of the whole deadline, and so that rest of it is left of ctx.
func Within(ctx context.Context, deadline time.Duration, share, rest float64) (context.Context, context.CancelFunc) {
	if deadline <= 0 {
		deadline = time.Second
	}
	part := func(f float64) time.Duration { return time.Duration(float64(deadline) * f) }
	at, ok := ctx.Deadline()
	if !ok {
		return context.WithTimeout(ctx, part(share))
	}
	ctx, cancelRest := context.WithDeadline(ctx, at.Add(-part(rest)))
	ctx, cancelShare := context.WithTimeout(ctx, part(share))
	return ctx, func() { cancelShare(); cancelRest() }
}

// lacks returns the degradations of a stage, with what did not answer, one for each reason. of is
// how many were asked.
func lacks(stage item.StageName, of int, errs []error, consequence string) (out []item.Degradation) {
	count := map[string]int{}
	first := map[string]error{}
	var order []string
	for _, err := range errs {
		if err == nil {
			continue
		}
		reason := ollama.Reason(err)
		if count[reason]++; count[reason] == 1 {
			order = append(order, reason)
			first[reason] = err
		}
	}
	for _, reason := range order {
		detail := consequence + ": " + first[reason].Error()
		if of > 1 {
			detail = fmt.Sprintf("%d of %d agents: %s", count[reason], of, detail)
		}
		out = append(out, item.Degradation{Stage: stage, Reason: item.Reason(reason), Detail: detail})
	}
	return out
}
