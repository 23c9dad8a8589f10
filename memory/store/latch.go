package store

import (
	"fmt"
	"log/slog"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// latch holds the first fault after which Pebble cannot write any more (a full disk, damage met by
// a compaction). Pebble's own answers do not suit: it ends the process where its manifest cannot be
// written, and tries a failed flush again at once and for ever. From the first fault on every file
// operation that changes something waits for ever (tracked), so Pebble's goroutines stand still
// without a lock that readers need; the store refuses writes, and reading goes on. What was
// acknowledged is in the log on disk and is replayed by the next Open.
type latch struct {
	once   sync.Once
	failed chan struct{} // closed at the first fault
	err    error         // set before failed is closed
	log    *slog.Logger
}

func newLatch(log *slog.Logger) *latch { return &latch{failed: make(chan struct{}), log: log} }

// note records the fault.
func (l *latch) note(err error) {
	l.once.Do(func() {
		l.err = err
		l.log.Error("memory store stops writing", "err", err)
		close(l.failed)
	})
}

// fault returns what stopped the store, or nil.
func (l *latch) fault() error {
	select {
	case <-l.failed:
		return l.err
	default:
		return nil
	}
}

// park returns at once while all is well and never after a fault.
func (l *latch) park() {
	if l.fault() != nil {
		select {}
	}
}

// run calls f, which may wait for one of Pebble's goroutines, and gives up waiting after a fault. A
// panic of Pebble's (it has some for a log that cannot be written) is a fault.
func (l *latch) run(f func() error) error {
	if err := l.fault(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { // ends with f; left behind only by a store that has failed
		defer func() {
			if p := recover(); p != nil {
				l.note(panicked(p))
			}
		}()
		done <- f()
	}()
	select {
	case err := <-done:
		return err
	case <-l.failed:
		return l.err
	}
}

func panicked(p any) error {
	if err, ok := p.(error); ok {
		return fmt.Errorf("pebble stopped: %w", err)
	}
	return fmt.Errorf("pebble stopped: %v", p)
}

func (l *latch) listener() *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: l.note,
		DataCorruption:  func(pebble.DataCorruptionInfo) {}, // the reading call gives it; its text may show keys
	}
}

// quiet keeps Pebble's messages from standard error. What it tells of its work is dropped: it may
// show keys, and what the user erases must not live on in a log.
type quiet struct{ *latch }

func (q quiet) Infof(string, ...any)  {}
func (q quiet) Errorf(string, ...any) {}

// Fatalf returns, where Pebble expects the process to end: its callers give an error or go on to a
// file operation, which waits for ever.
func (q quiet) Fatalf(format string, args ...any) {
	causes := []error{fmt.Errorf("%s", fmt.Sprintf(format, args...))}
	for _, a := range args {
		if err, ok := a.(error); ok {
			causes = append(causes, err)
		}
	}
	q.note(&fatalError{causes})
}

type fatalError struct{ causes []error }

func (e *fatalError) Error() string   { return e.causes[0].Error() }
func (e *fatalError) Unwrap() []error { return e.causes[1:] }
