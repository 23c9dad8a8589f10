package engine

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Scheduler shares the processor among the sessions of a process, so that one with many requests
// does not delay the answers of the others.
//
// Work has a class, and the number of concurrent requests of each class is limited so that each
// ends soon. Slots are granted in turns: each waiting session gets one before any gets a second,
// and within a session the oldest request is first. Some slots are reserved for sessions that have
// none, so that these hardly ever wait for others.
//
// The holder of a slot must not wait for another request, nor for an index or the memory that is
// being opened: it would block the slot for nothing, and what it waits for may need one.
//
// The alternative, a slot for each session and no bound on all, runs twenty clients' bundles at
// once on two cores, each as slow as all together. Safe for concurrent use.
type Scheduler struct {
	mu       sync.Mutex // guards all below and the contents of the queues
	slots    [classes]classSlots
	calm     chan struct{} // closed when no answer is awaited any more; nil without a waiter
	answered time.Time     // time of the last answer
}

// Class is a priority class of work.
type Class int

// The classes.
const (
	Interactive Class = iota // an answer is awaited
	Large                    // the request is large
	Write                    // a change of memory: it mostly waits for the disk
	Quick                    // without a search
	classes
)

// classSlots are the slots of a class.
type classSlots struct {
	shared, kept int // slots for all, and for sessions that have none
	running      int
	waiting      []*Queue // in the order of their turns
	granted      int64    // number of slots granted so far
}

// Queue holds the requests of one session that wait for a slot.
type Queue struct {
	scheduler *Scheduler
	held      bool // it gets no slots
	classes   [classes]classQueue
}

// classQueue is the part of a queue for one class.
type classQueue struct {
	running int
	waiting []*slotRequest // the oldest first
}

// slotRequest is a request that waits for a slot.
type slotRequest struct {
	number  int64 // order of its arrival
	granted chan struct{}
}

// writeSlots bounds the concurrent changes of memory: they share the wait for the disk.
const writeSlots = 32

func newScheduler(processors int) *Scheduler {
	return &Scheduler{slots: [classes]classSlots{
		Interactive: {shared: processors, kept: processors},
		Large:       {shared: max(1, processors/2), kept: processors},
		Write:       {shared: writeSlots, kept: writeSlots},
		Quick:       {shared: max(1, processors/2), kept: processors},
	}}
}

// NewQueue returns an empty queue, for one session.
func (s *Scheduler) NewQueue() *Queue { return &Queue{scheduler: s} }

// Hold keeps a queue from getting slots while held is true.
func (l *Queue) Hold(held bool) {
	s := l.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	l.held = held
	for c := range classes {
		s.grantLocked(c)
	}
}

// Enter blocks until the request that arrived as number has a slot. leave releases the slot;
// calling it again does nothing. The error is ctx's.
func (l *Queue) Enter(ctx context.Context, c Class, number int64) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, q := l.scheduler, &l.classes[c]
	t := &slotRequest{number, make(chan struct{})}
	s.mu.Lock()
	at := len(q.waiting)
	for at > 0 && q.waiting[at-1].number > number {
		at--
	}
	q.waiting = slices.Insert(q.waiting, at, t)
	if len(q.waiting) == 1 {
		s.slots[c].waiting = append(s.slots[c].waiting, l)
	}
	s.grantLocked(c)
	s.mu.Unlock()
	leave = sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		q.running--
		s.slots[c].running--
		s.grantLocked(c)
		if c == Interactive || c == Quick {
			s.answered = time.Now()
		}
		if s.calm != nil && !s.answeringLocked() {
			close(s.calm)
			s.calm = nil
		}
	})
	select {
	case <-t.granted:
		return leave, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	at = slices.Index(q.waiting, t)
	if at >= 0 {
		q.waiting = slices.Delete(q.waiting, at, at+1)
		if len(q.waiting) == 0 {
			s.slots[c].remove(l)
		}
	}
	s.mu.Unlock()
	if at < 0 {
		leave() // the slot was granted just now
	}
	return nil, ctx.Err()
}

func (n *classSlots) remove(l *Queue) {
	if at := slices.Index(n.waiting, l); at >= 0 {
		n.waiting = slices.Delete(n.waiting, at, at+1)
	}
}

// grantLocked grants the free slots. The caller must hold mu.
func (s *Scheduler) grantLocked(c Class) {
	n := &s.slots[c]
	for n.running < n.shared+n.kept {
		at := slices.IndexFunc(n.waiting, func(l *Queue) bool {
			return !l.held && (n.running < n.shared || l.classes[c].running == 0)
		})
		if at < 0 {
			return
		}
		l := n.waiting[at]
		q := &l.classes[c]
		close(q.waiting[0].granted)
		q.waiting = slices.Delete(q.waiting, 0, 1)
		q.running++
		n.running++
		n.granted++
		n.waiting = slices.Delete(n.waiting, at, at+1)
		if len(q.waiting) > 0 {
			n.waiting = append(n.waiting, l)
		}
	}
}

// Granted returns how many slots were granted to requests that search or change something, and
// whether any of these runs.
func (s *Scheduler) Granted() (n int64, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range [...]Class{Interactive, Large, Write} {
		n += s.slots[c].granted
		busy = busy || s.slots[c].running > 0
	}
	return n, busy
}

// answeringLocked reports whether an interactive request runs. The caller must hold mu.
func (s *Scheduler) answeringLocked() bool {
	return s.slots[Interactive].running > 0 || s.slots[Quick].running > 0
}

// Yield blocks while interactive requests run, for at most patience. Long background work should
// call it between small steps.
func (s *Scheduler) Yield(ctx context.Context, patience time.Duration) {
	s.mu.Lock()
	if !s.answeringLocked() {
		s.mu.Unlock()
		return
	}
	if s.calm == nil {
		s.calm = make(chan struct{})
	}
	calm := s.calm
	s.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-calm:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Idle reports whether no answer is awaited, and none was for d.
func (s *Scheduler) Idle(d time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.answeringLocked() && time.Since(s.answered) >= d
}

// AwaitIdle blocks until no answer has been awaited for d, for at most patience: requests often
// come in succession.
func (s *Scheduler) AwaitIdle(ctx context.Context, d, patience time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for ctx.Err() == nil && !s.Idle(d) {
		s.Yield(ctx, patience)
		s.mu.Lock()
		left := d - time.Since(s.answered)
		s.mu.Unlock()
		select {
		case <-time.After(max(left, 0)):
		case <-ctx.Done():
		}
	}
}
