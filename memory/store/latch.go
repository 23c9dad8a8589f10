package store

import (
	"fmt"
	"log/slog"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// latch holds the first fault after which Pebble cannot write any more (a full disk, damage found
// by a compaction). Pebble's own reactions are unsuitable: it ends the process when its manifest
// cannot be written, and retries a failed flush at once and forever. From the first fault on every
// file operation that changes something blocks forever (trackedFS), so that Pebble's goroutines
// stop without a lock that readers need; the store refuses writes, and reading continues. What was
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

// park returns at once before a fault and never after one.
func (l *latch) park() {
	if l.fault() != nil {
		select {}
	}
}

// run calls f, which may wait for one of Pebble's goroutines, and stops waiting after a fault. A
// panic of Pebble's (it panics in some cases when a log cannot be written) is a fault.
func (l *latch) run(f func() error) error {
	if err := l.fault(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { // ends with f; outlives the call only in a store that has failed
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
		DataCorruption:  func(pebble.DataCorruptionInfo) {}, // returned by the read; the text may contain keys
	}
}

// quietLogger keeps Pebble's messages off standard error. Its log of its work is dropped: it may
// contain keys, and what the user erases must not remain in a log.
type quietLogger struct{ *latch }

func (q quietLogger) Infof(string, ...any)  {}
func (q quietLogger) Errorf(string, ...any) {}

// Fatalf returns, although Pebble expects the process to end: its callers return an error or
// continue to a file operation, which blocks forever.
func (q quietLogger) Fatalf(format string, args ...any) {
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
