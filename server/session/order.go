package session

import (
	"context"
	"slices"
	"sync"
)

// order makes the commands of a session take effect on memory in the order in which they were sent,
// though they run concurrently: a client need not wait for the answer to one before it sends the
// next. A command that changes memory has a number; later commands wait for it, but not for its
// disk write if it reports that it has reached the point before. A command that only reads may see
// changes that were sent after it. Safe for concurrent use.
type order struct {
	mu      sync.Mutex // guards all below
	next    int64      // number of the next change
	reached [2]pointProgress
}

// Point is a stage of a change that others wait for.
type Point int

// The points.
const (
	Placed  Point = iota // it precedes every change that is made from now on in the same way
	Visible              // readers see it, or it has failed
)

// pointProgress records which changes have reached a point.
type pointProgress struct {
	all     int64          // all with lower numbers have
	beyond  map[int64]bool // those with higher numbers that have
	waiting []waiter
}

type waiter struct {
	below int64 // the changes that are waited for
	ready chan<- struct{}
}

// Ticket is a command's position in the order. It is for one goroutine at a time.
type Ticket struct {
	order   *order
	before  int64 // earlier changes are those with lower numbers
	changes bool  // it is a change, whose number is before
}

// take returns the next position, in the order of messages. For a change, the caller must call
// Leave.
func (o *order) take(changes bool) Ticket {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := Ticket{o, o.next, changes}
	if changes {
		o.next++
	}
	return t
}

// Wait blocks until all earlier changes have reached a point. The error is ctx's.
func (t Ticket) Wait(ctx context.Context, p Point) error {
	o := t.order
	o.mu.Lock()
	r := &o.reached[p]
	if r.all >= t.before {
		o.mu.Unlock()
		return nil
	}
	ready := make(chan struct{})
	r.waiting = append(r.waiting, waiter{t.before, ready})
	o.mu.Unlock()
	select {
	case <-ready:
		return nil
	case <-ctx.Done(): // its entry among the waiting ones is removed when the awaited changes arrive
		return ctx.Err()
	}
}

// Reach records that the change has reached a point; repeating it does nothing.
func (t Ticket) Reach(p Point) {
	if !t.changes {
		return
	}
	o := t.order
	o.mu.Lock()
	defer o.mu.Unlock()
	r := &o.reached[p]
	if t.before < r.all {
		return
	}
	if r.beyond == nil {
		r.beyond = map[int64]bool{}
	}
	for r.beyond[t.before] = true; r.beyond[r.all]; r.all++ {
		delete(r.beyond, r.all)
	}
	r.waiting = slices.DeleteFunc(r.waiting, func(w waiter) bool {
		if w.below > r.all {
			return false
		}
		close(w.ready)
		return true
	})
}

// Leave ends a command, whatever its outcome.
func (t Ticket) Leave() {
	t.Reach(Placed)
	t.Reach(Visible)
}
