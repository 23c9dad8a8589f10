package session

import (
	"context"
	"slices"
	"sync"
)

// order lets the commands of a session take effect on memory in the order in which they were sent,
// though they run beside each other: a client need not wait for the answer to one before it sends
// the next. A command that changes memory has a number; what comes after it waits for it, but not
// for the disk that it waits for, where it says that it has come so far. What only reads may see
// changes that were sent after it. Safe for concurrent use.
type order struct {
	mu      sync.Mutex // guards all below
	next    int64      // number of the next change
	reached [2]reached
}

// Point is what others wait for in a change.
type Point int

// The points.
const (
	Placed  Point = iota // it comes before every change that is made from now on by the same way
	Visible              // readers see it, or it has failed
)

// reached tells which changes have come to a point.
type reached struct {
	all     int64          // those below it have
	beyond  map[int64]bool // of those from it on
	waiting []waiter
}

type waiter struct {
	below int64 // the changes that are waited for
	ready chan<- struct{}
}

// Ticket is a command's place in the order. It is for one goroutine at a time.
type Ticket struct {
	order   *order
	before  int64 // the changes sent before it are those with lower numbers
	changes bool  // it is a change, with the number before
}

// take returns the next place, in the order of messages. Whoever takes a change's must call leave.
func (o *order) take(changes bool) Ticket {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := Ticket{o, o.next, changes}
	if changes {
		o.next++
	}
	return t
}

// Wait blocks until all changes sent before have come to a point. The error is ctx's.
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
	case <-ctx.Done(): // its place among those that wait goes when what it waited for has come
		return ctx.Err()
	}
}

// Reach notes that the change has come to a point; noting it again does nothing.
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

// Leave ends a command, whatever became of it.
func (t Ticket) Leave() {
	t.Reach(Placed)
	t.Reach(Visible)
}
