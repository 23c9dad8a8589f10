package server

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/server/command"
)

// order lets the commands of a session take effect on memory in the order in which they were sent, though they run
// beside each other: a client need not wait for the answer to one before it sends the next. A command that changes
// memory has a number; what comes after it waits for it, but not for the disk that it waits for, where it says that it
// has come so far. What only reads may see changes that were sent after it. Safe for concurrent use.
type order struct {
	mu      sync.Mutex // guards all below
	next    int64      // number of the next change
	reached [2]reached
}

// point is what others wait for in a change.
type point int

const (
	placed  point = iota // it comes before every change that is made from now on by the same way
	visible              // readers see it, or it has failed
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

// ticket is a command's place in the order. It is for one goroutine at a time.
type ticket struct {
	order   *order
	before  int64 // the changes sent before it are those with lower numbers
	changes bool  // it is a change, with the number before
}

// take gives the next place, in the order of messages. Whoever takes a change's must call leave.
func (o *order) take(changes bool) ticket {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := ticket{o, o.next, changes}
	if changes {
		o.next++
	}
	return t
}

// wait returns when all changes sent before have come to a point. Error: ctx's.
func (t ticket) wait(ctx context.Context, p point) error {
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

// reach says that the change has come to a point; saying it again does nothing.
func (t ticket) reach(p point) {
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

// leave ends a command, whatever became of it.
func (t ticket) leave() {
	t.reach(placed)
	t.reach(visible)
}

// orderPatience is what a command that has a deadline of its own waits for changes sent before it.
const orderPatience = 100 * time.Millisecond

// discipline is how a command keeps to the order, and what it takes of the processor.
type discipline struct {
	changes bool // others wait for it
	itself  bool // it waits where it needs to
	hasty   bool // it waits for orderPatience at most

	class class
	free  bool // it takes its place itself, or needs none
}

// disciplines of all commands by name.
var disciplines = func() map[string]discipline {
	all := map[string]discipline{}
	for _, info := range command.Infos {
		d := discipline{changes: info.Writes == "memory"}
		if d.changes {
			d.class = disk
		}
		all[info.Name] = d
	}
	for _, name := range []string{"bundle", "search", "recall", "ticklers"} {
		all["contexture."+name] = discipline{hasty: true, free: true}
	}
	for _, name := range []string{"presence", "index.status", "config", "metrics"} {
		all["contexture."+name] = discipline{hasty: name == "presence", class: light}
	}
	all["contexture.conversation.append"] = discipline{changes: true, itself: true, free: true}
	all["contexture.knowledge.process"] = discipline{free: true} // long, and what comes after it does not need it
	all["contexture.index.why"] = discipline{class: light, free: true}
	all["contexture.index.rebuild"] = discipline{free: true} // the index does it
	for _, name := range []string{"status", "set", "poke"} {
		all["contexture.capture."+name] = discipline{class: light}
	}
	all["contexture.capture.import"] = discipline{free: true} // long, and at its own pace
	return all
}()

// keep waits as a command has to.
func (d discipline) keep(ctx context.Context, t ticket) error {
	switch {
	case d.itself:
		return nil
	case d.hasty:
		hurry, cancel := context.WithTimeout(ctx, orderPatience)
		defer cancel()
		_ = t.wait(hurry, visible) // it answers with what there is
		return ctx.Err()
	}
	return t.wait(ctx, visible)
}
