package ollama

import (
	"context"
	"errors"
	"sync"
	"time"
)

// errPreempted cancels an indexing request in favour of a query. It never leaves the package.
var errPreempted = errors.New("ollama: an indexing request was cancelled for a query")

// interactive is the time after a query during which the next one is expected; indexing requests
// are small during that time.
const interactive = 2 * time.Second

// longestRest bounds the pause between two indexing requests while queries are expected.
const longestRest = 500 * time.Millisecond

// gate controls access to the server: foreground calls start at once; indexing runs one request at
// a time, only while no foreground call is in progress, and is preempted by one. The server handles
// its requests in order and is free at once when one is cancelled, so a query waits for at most one
// text.
//
// The zero gate is ready for use. It is safe for concurrent use.
type gate struct {
	mu      sync.Mutex
	waiting int                     // queries in progress
	last    time.Time               // the end of the last query
	free    chan struct{}           // closed when waiting is 0 or indexing ends; nil without a waiter
	busy    bool                    // an indexing request is in progress
	yield   context.CancelCauseFunc // cancels that request; nil if it must not be cancelled
	began   time.Time               // when that request was admitted
	took    time.Duration           // how long the last one used the server
	ended   time.Time               // when it ended
}

// query admits a foreground caller. The returned function must be called after the answer arrived.
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

// index blocks until an indexing request may be made. A query cancels the returned context with
// errPreempted, unless stay is true. done must be called when the request has ended.
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

// await returns when free is closed, when rest has passed, if it is positive, or when ctx is done.
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

// restLocked returns the pause of indexing between two requests. While queries keep coming,
// indexing uses the server at most a third of the time: a text in progress when a query arrives
// cannot be cancelled, so most queries must find the server free. The pause does not depend on when
// the queries arrive: indexing proceeds however many there are.
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

// wakeLocked wakes the waiters, which check whether they may continue.
func (g *gate) wakeLocked() {
	if g.free != nil {
		close(g.free)
		g.free = nil
	}
}

// quiet reports whether no query is expected now.
func (g *gate) quiet(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.waiting == 0 && (g.last.IsZero() || now.Sub(g.last) > interactive)
}
