package session

import (
	"context"

	"github.com/contexture-dev/contexture/server/engine"
)

// Slot is a command's slot in the scheduler: none, or one of some class. It is for one goroutine.
type Slot struct {
	queue  *engine.Queue
	number int64        // of the command's arrival
	class  engine.Class // the command's class
	leave  func()
}

// largeRequest is the size in bytes from which a request counts as large.
const largeRequest = 256 << 10

// Slot prepares the slot of a request of the given size. It must be called in the order of
// messages.
func (s *Session) Slot(c engine.Class, bytes int) *Slot {
	if c == engine.Interactive && bytes > largeRequest {
		c = engine.Large
	}
	return &Slot{queue: s.queue, number: s.arrivals.Add(1), class: c}
}

// Take blocks until the command has a slot of its class, which Give releases. The error is ctx's.
func (s *Slot) Take(ctx context.Context) error { return s.TakeAs(ctx, s.class) }

// TakeAs is Take for another class.
func (s *Slot) TakeAs(ctx context.Context, c engine.Class) (err error) {
	s.Give()
	s.leave, err = s.queue.Enter(ctx, c, s.number)
	return err
}

// Give releases the slot, if there is one.
func (s *Slot) Give() {
	if s.leave != nil {
		s.leave()
		s.leave = nil
	}
}
