package ollama

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errPreempted ends an indexing request because somebody waits for the server. It never leaves the package.
var errPreempted = errors.New("ollama: an indexing request made way for a query")

// interactive is how long after a query the next one is expected: indexing requests are small as long.
const interactive = 2 * time.Second

// gate decides who may use the server: what somebody waits for goes at once; indexing goes one request at a time, only
// while nobody waits, and makes way when somebody comes. The server works its requests off in turn and frees itself at
// once when one is cancelled, so a query waits for at most one text.
//
// The zero gate is ready. Safe for concurrent use.
type gate struct {
	mu      sync.Mutex
	waiting int                     // queries under way
	last    time.Time               // the end of the last query
	free    chan struct{}           // closed when waiting falls to 0 or an indexing request ends; nil if nobody listens
	busy    bool                    // an indexing request is under way
	yield   context.CancelCauseFunc // ends that request; nil if it may not be ended
}

// query lets a caller through whom somebody waits for. The returned function must be called when the answer is there.
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

// index waits until an indexing request may be made. The context returned is cancelled by a query with errPreempted,
// unless stay is true. done must be called when the request has ended.
func (g *gate) index(ctx context.Context, stay bool) (_ context.Context, done func(), err error) {
	for {
		g.mu.Lock()
		if g.waiting == 0 && !g.busy {
			g.busy = true
			inner, cancel := context.WithCancelCause(ctx)
			if !stay {
				g.yield = cancel
			}
			g.mu.Unlock()
			return inner, func() { g.release(cancel) }, nil
		}
		if g.free == nil {
			g.free = make(chan struct{})
		}
		free := g.free
		g.mu.Unlock()
		select {
		case <-free:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

func (g *gate) release(cancel context.CancelCauseFunc) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.busy, g.yield = false, nil
	cancel(nil)
	g.wakeLocked()
}

// wakeLocked lets those that wait look again.
func (g *gate) wakeLocked() {
	if g.free != nil {
		close(g.free)
		g.free = nil
	}
}

// quiet says whether no query is to be expected now.
func (g *gate) quiet(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.waiting == 0 && (g.last.IsZero() || now.Sub(g.last) > interactive)
}
