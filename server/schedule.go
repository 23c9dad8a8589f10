package server

import (
	"context"
	"slices"
	"sync"
	"time"
)

// scheduler shares the processor out among the sessions of a process, so that one that asks for much at once does not
// keep the others from their answers.
//
// Work is of a class, and of each class little enough runs at a time for it to end soon. Places are given in turns: each
// session that waits gets one before any gets a second, and of one session the oldest request is first. Some places are
// kept for sessions that have none, so that these hardly ever wait for others.
//
// Whoever has a place must not wait for another request, nor for an index or the memory that is being opened: it would
// keep others from the place for nothing, and what it waits for may be one of them.
//
// The other way, a place for each session and no bound on all, makes twenty clients' bundles run at once on two cores,
// each as slow as all together. Safe for concurrent use.
type scheduler struct {
	mu       sync.Mutex // guards all below and what is in the lanes
	stations [classes]station
	calm     chan struct{} // closed when nobody waits for an answer any more; nil where no one wants to know
	stir     chan struct{} // closed when somebody waits for an answer again; nil where no one wants to know
}

// class is a kind of work.
type class int

const (
	brisk class = iota // what somebody waits for
	heavy              // what was sent is large
	disk               // a change of memory: it mostly waits for the disk
	light              // it searches nothing
	classes
)

// station gives the places of a class.
type station struct {
	shared, kept int // places for all, and for sessions that have none
	running      int
	waiting      []*lane // in the order of their turns
	granted      int64   // places that were given
}

// lane is a session at the scheduler.
type lane struct {
	scheduler *scheduler
	held      bool // it gets no places
	queues    [classes]queue
}

// queue is a lane's part of one class.
type queue struct {
	running int
	waiting []*turn // the oldest first
}

// turn is a request that waits for a place.
type turn struct {
	number  int64 // of its arrival
	granted chan struct{}
}

// diskPlaces bounds the changes of memory that run at a time: they share the wait for the disk.
const diskPlaces = 32

func newScheduler(processors int) *scheduler {
	return &scheduler{stations: [classes]station{
		brisk: {shared: processors, kept: processors},
		heavy: {shared: max(1, processors/2), kept: processors},
		disk:  {shared: diskPlaces, kept: diskPlaces},
		light: {shared: max(1, processors/2), kept: processors},
	}}
}

func (s *scheduler) lane() *lane { return &lane{scheduler: s} }

// hold keeps a lane from getting places, or gives them again.
func (l *lane) hold(held bool) {
	s := l.scheduler
	s.mu.Lock()
	defer s.mu.Unlock()
	l.held = held
	for c := range classes {
		s.grantLocked(c)
	}
}

// enter waits for a place for the request that arrived as number. leave gives it back, once. The error is ctx's.
func (l *lane) enter(ctx context.Context, c class, number int64) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, q := l.scheduler, &l.queues[c]
	t := &turn{number, make(chan struct{})}
	s.mu.Lock()
	at := len(q.waiting)
	for at > 0 && q.waiting[at-1].number > number {
		at--
	}
	q.waiting = slices.Insert(q.waiting, at, t)
	if len(q.waiting) == 1 {
		s.stations[c].waiting = append(s.stations[c].waiting, l)
	}
	s.grantLocked(c)
	s.mu.Unlock()
	leave = sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		q.running--
		s.stations[c].running--
		s.grantLocked(c)
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
			s.stations[c].remove(l)
		}
	}
	s.mu.Unlock()
	if at < 0 {
		leave() // the place came just now
	}
	return nil, ctx.Err()
}

func (n *station) remove(l *lane) {
	if at := slices.Index(n.waiting, l); at >= 0 {
		n.waiting = slices.Delete(n.waiting, at, at+1)
	}
}

// grantLocked gives the places that are free. mu is held.
func (s *scheduler) grantLocked(c class) {
	n := &s.stations[c]
	for n.running < n.shared+n.kept {
		at := slices.IndexFunc(n.waiting, func(l *lane) bool {
			return !l.held && (n.running < n.shared || l.queues[c].running == 0)
		})
		if at < 0 {
			return
		}
		l := n.waiting[at]
		q := &l.queues[c]
		close(q.waiting[0].granted)
		q.waiting = slices.Delete(q.waiting, 0, 1)
		q.running++
		n.running++
		n.granted++
		if c == brisk && s.stir != nil {
			close(s.stir)
			s.stir = nil
		}
		n.waiting = slices.Delete(n.waiting, at, at+1)
		if len(q.waiting) > 0 {
			n.waiting = append(n.waiting, l)
		}
	}
}

// granted counts the places that were given to what searches or changes something; busy reports whether any runs.
func (s *scheduler) granted() (n int64, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range [...]class{brisk, heavy, disk} {
		n += s.stations[c].granted
		busy = busy || s.stations[c].running > 0
	}
	return n, busy
}

// answeringLocked reports whether a request that somebody waits for runs. mu is held.
func (s *scheduler) answeringLocked() bool {
	return s.stations[brisk].running > 0 || s.stations[light].running > 0
}

// yield blocks while requests that somebody waits for run, for at most patience. Long work that nobody waits for calls
// it between small steps.
func (s *scheduler) yield(ctx context.Context, patience time.Duration) {
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

// while returns a context that ends when a request comes that searches: what nobody waits for gives way to it at once.
// end releases it.
func (s *scheduler) while(ctx context.Context) (quiet context.Context, end context.CancelFunc) {
	quiet, end = context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stations[brisk].running > 0 {
		end()
		return quiet, end
	}
	if s.stir == nil {
		s.stir = make(chan struct{})
	}
	stir := s.stir
	go func() {
		defer end()
		select {
		case <-stir:
		case <-quiet.Done():
		}
	}()
	return quiet, end
}

// lull waits until nobody has waited for an answer for some time. It reports whether that came before ctx ended.
func (s *scheduler) lull(ctx context.Context, d time.Duration) bool {
	for ctx.Err() == nil {
		s.yield(ctx, time.Minute)
		quiet, end := s.while(ctx)
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
			end()
			return true
		case <-quiet.Done():
		}
		timer.Stop()
		end()
	}
	return false
}
