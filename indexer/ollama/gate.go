package ollama

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errPreempted ends an indexing request because somebody waits for the server. It never leaves the
// package.
var errPreempted = errors.New("ollama: an indexing request made way for a query")

// interactive is how long after a query the next one is expected: indexing requests are small as
// long.
const interactive = 2 * time.Second

// longestRest bounds the rest between two indexing requests while queries are expected.
const longestRest = 500 * time.Millisecond

// gate decides who may use the server: what somebody waits for goes at once; indexing goes one
// request at a time, only while nobody waits, and makes way when somebody comes. The server works
// its requests off in turn and frees itself at once when one is cancelled, so a query waits for at
// most one text.
//
// The zero gate is ready. Safe for concurrent use.
type gate struct {
	mu      sync.Mutex
	waiting int                     // queries under way
	last    time.Time               // the end of the last query
	free    chan struct{}           // closed when waiting falls to 0 or an indexing request ends; nil if nobody listens
	busy    bool                    // an indexing request is under way
	yield   context.CancelCauseFunc // ends that request; nil if it may not be ended
	began   time.Time               // when that request was let through
	took    time.Duration           // how long the last one had the server
	ended   time.Time               // when it ended
}

// query lets a caller through whom somebody waits for. The returned function must be called when
// the answer is there.
func (g *gate) query(now func() time.Time) (done func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting++
	if g.yield != nil {
		g.yield(errPreempted)
		g.yield = nil
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.waiting--
		g.last = now()
		g.wakeLocked()
	}
}

// index waits until an indexing request may be made. The context returned is cancelled by a query
// with errPreempted, unless stay is true. done must be called when the request has ended.
func (g *gate) index(ctx context.Context, now func() time.Time, stay bool) (_ context.Context, done func(), err error) {
	for {
		g.mu.Lock()
		rest := g.restLocked(now())
		if g.waiting == 0 && !g.busy && rest <= 0 {
			g.busy, g.began = true, now()
			inner, cancel := context.WithCancelCause(ctx)
			if !stay {
				g.yield = cancel
			}
			g.mu.Unlock()
			return inner, func() { g.release(cancel, now) }, nil
		}
		if g.free == nil {
			g.free = make(chan struct{})
		}
		free := g.free
		g.mu.Unlock()
		if err := await(ctx, free, rest); err != nil {
			return nil, nil, err
		}
	}
}

// await returns when free is closed, when rest has passed, if it is more than zero, or when ctx is
// done.
func await(ctx context.Context, free <-chan struct{}, rest time.Duration) error {
	var rested <-chan time.Time
	if rest > 0 {
		timer := time.NewTimer(rest)
		defer timer.Stop()
		rested = timer.C
	}
	select {
	case <-free:
	case <-rested:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// restLocked is how long indexing leaves the server alone. While queries keep coming it has the
// server a third of the time at most: the text that is being embedded when a query comes cannot be
// stopped, so most queries must find none. It does not depend on when the queries come: however
// many do, indexing goes on.
func (g *gate) restLocked(now time.Time) time.Duration {
	if g.last.IsZero() || now.Sub(g.last) > interactive {
		return 0
	}
	return min(2*g.took, longestRest) - now.Sub(g.ended)
}

func (g *gate) release(cancel context.CancelCauseFunc, now func() time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy, g.yield = false, nil
	g.ended = now()
	g.took = g.ended.Sub(g.began)
	cancel(nil)
	g.wakeLocked()
}

// wakeLocked wakes those that wait, to check whether they may go on.
func (g *gate) wakeLocked() {
	if g.free != nil {
		close(g.free)
		g.free = nil
	}
}

// quiet reports whether no query is to be expected now.
func (g *gate) quiet(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.waiting == 0 && (g.last.IsZero() || now.Sub(g.last) > interactive)
}
