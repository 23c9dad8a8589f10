package watch

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// maxPending bounds the number of paths in a batch; above it, checking everything is as cheap.
const maxPending = 65_536

// pending gathers the content of the next batch. The zero value is empty.
type pending struct {
	paths, dirs, extra map[string]struct{}
	rescan             bool
	changed            bool // something was added since the loop last checked
}

func add(set *map[string]struct{}, s string) {
	if *set == nil {
		*set = map[string]struct{}{}
	}
	(*set)[s] = struct{}{}
}

func (p *pending) path(rel string) {
	p.changed = true
	if add(&p.paths, rel); len(p.paths) > maxPending {
		p.paths, p.dirs, p.rescan = nil, nil, true
	}
}

// dir adds a folder, which is also added as a path.
func (p *pending) dir(rel string) {
	p.path(rel)
	add(&p.dirs, rel)
}

func (p *pending) extraPath(given string) {
	p.changed = true
	add(&p.extra, given)
}

// all requests a check of everything.
func (p *pending) all() { p.changed, p.rescan = true, true }

func (p *pending) empty() bool {
	return !p.rescan && len(p.paths) == 0 && len(p.dirs) == 0 && len(p.extra) == 0
}

// take returns what was gathered and resets p.
func (p *pending) take() *Batch {
	b := &Batch{
		Paths: slices.Sorted(maps.Keys(p.paths)), Dirs: slices.Sorted(maps.Keys(p.dirs)),
		Rescan: p.rescan, Extra: slices.Sorted(maps.Keys(p.extra)),
	}
	*p = pending{}
	return b
}

// schedule determines when gathered changes are due: after a quiet time, or when the oldest has
// waited for long enough. Not safe for concurrent use.
type schedule struct {
	quiet, longest time.Duration
	due            bool
	first, last    time.Time // when the oldest and the newest change came; first is zero without changes
	timer          *time.Timer
}

// newSchedule returns a schedule without changes. The caller stops the timer.
func newSchedule(quiet time.Duration) *schedule {
	return &schedule{quiet: quiet, longest: max(defaultMaxWait, quiet), timer: stoppedTimer()}
}

// touch starts or extends the quiet time after a change.
func (s *schedule) touch(now time.Time) {
	s.last = now
	if s.first.IsZero() {
		s.first = now
		s.timer.Reset(s.quiet)
	}
}

// hurry makes the changes so far due.
func (s *schedule) hurry() { s.due = s.due || !s.first.IsZero() }

// expire makes the changes due if it has been quiet for long enough or they have lasted too long,
// and otherwise waits on; it is called when the timer fires. touch does not reset the timer for
// each change, which for a million events would be a million resets.
func (s *schedule) expire(now time.Time) {
	if s.first.IsZero() {
		return
	}
	at := s.last.Add(s.quiet)
	if latest := s.first.Add(s.longest); latest.Before(at) {
		at = latest
	}
	if wait := at.Sub(now); wait > 0 {
		s.timer.Reset(wait)
		return
	}
	s.due = true
}

// clear forgets the changes after they were taken.
func (s *schedule) clear() { s.due, s.first = false, time.Time{} }

// injectBox holds the paths from any goroutine until the watcher's own fetches them.
type injectBox struct {
	wake chan struct{} // capacity 1

	mu     sync.Mutex
	paths  map[string]struct{} // guarded by mu
	beyond bool                // guarded by mu; there were more than maxPending
}

func (b *injectBox) put(paths []string) {
	if len(paths) == 0 {
		return
	}
	b.mu.Lock()
	for _, p := range paths {
		if add(&b.paths, p); len(b.paths) > maxPending {
			b.paths, b.beyond = nil, true
		}
	}
	b.mu.Unlock()
	poke(b.wake)
}

// poke wakes the receiver of a channel with capacity 1, unless it is to wake already.
func poke(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

func (b *injectBox) fetch() (paths []string, beyond bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	paths, beyond = slices.Collect(maps.Keys(b.paths)), b.beyond
	b.paths, b.beyond = nil, false
	return paths, beyond
}
