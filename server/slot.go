package server

import (
	"context"
	"time"
)

// slot is a command's place at the scheduler: none, or one of some class. It is for one goroutine.
type slot struct {
	lane   *lane
	number int64 // of the command's arrival
	class  class // that the command is of
	leave  func()
}

// largeRequest is the size in bytes from which on a request counts as heavy.
const largeRequest = 256 << 10

// slot prepares the place of a request of so many bytes. It is called in the order of messages.
func (s *Session) slot(c class, bytes int) *slot {
	if c == brisk && bytes > largeRequest {
		c = heavy
	}
	return &slot{lane: s.lane, number: s.arrivals.Add(1), class: c}
}

// take waits for a place, which give gives back. The error is ctx's.
func (s *slot) take(ctx context.Context, c class) (err error) {
	s.give()
	s.leave, err = s.lane.enter(ctx, c, s.number)
	return err
}

// give gives the place back, if there is one.
func (s *slot) give() {
	if s.leave != nil {
		s.leave()
		s.leave = nil
	}
}

// queueShare is how much of its time a command waits for others before it answers without a search.
const queueShare = .7

// await waits for what a command needs, the index of a root or the memory, while that is being opened, but for d at
// most. What went wrong with it is told to those who use it.
func (c commands) await(ctx context.Context, r *rootView, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	if r != nil && r.opening != nil {
		_, _ = r.opening.wait(ctx)
	}
	if set := c.settingsOf(r); set.Enabled && set.Memory.Enabled {
		c.session.server.memory.await(ctx)
	}
}

// enter takes the place of a command that has until work ends. late says that there was none in time: then it has a
// place to answer without a search. The error is ctx's.
func (c commands) enter(ctx, work context.Context, r *rootView) (late bool, err error) {
	c.await(work, r, c.left(work)/2)
	queue, cancel := context.WithTimeout(ctx, time.Duration(float64(c.left(work))*queueShare))
	defer cancel()
	if err = c.slot.take(queue, c.slot.class); err == nil {
		return false, nil
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return true, c.slot.take(ctx, light)
}

// enterPatiently takes the place of a command that nobody gave a deadline. The error is ctx's.
func (c commands) enterPatiently(ctx context.Context, r *rootView, patience time.Duration) error {
	c.await(ctx, r, patience)
	return c.slot.take(ctx, c.slot.class)
}
