package server

import (
	"sync"
	"time"
)

// effort bounds the time that is spent on what nobody waits for: a share of all time, some of which may be saved up.
// Safe for concurrent use.
type effort struct {
	now func() time.Time

	mu    sync.Mutex // guards all below
	saved time.Duration
	at    time.Time
	spent time.Duration
}

const (
	effortShare = .02              // of one processor
	effortMost  = 10 * time.Second // that may be saved up
)

// left is the time that may be spent now.
func (e *effort) left() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	switch passed := now.Sub(e.at); {
	case e.at.IsZero():
		e.saved = effortMost / 2
	case passed > 0:
		e.saved = min(e.saved+time.Duration(float64(passed)*effortShare), effortMost)
	}
	e.at = now
	return e.saved
}

// spend counts time that was spent.
func (e *effort) spend(d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.saved -= d
	e.spent += d
}

// total is all that was spent.
func (e *effort) total() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.spent
}
