package store

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// latch holds the first fault after which Pebble cannot write any more (a full disk, a missing
// file). Pebble's own reactions to such faults do not suit a store that may be discarded: it ends
// the process if its manifest cannot be written, and retries a failed flush immediately and
// forever. The latch instead stops the goroutine that met the fault, which is always one of
// Pebble's own. From then on the store refuses to write. Reads continue: they need nothing that the
// stopped goroutine holds.
type latch struct {
	once   sync.Once
	failed chan struct{} // closed at the first fault
	err    error         // set before failed is closed
	log    *slog.Logger
}

func newLatch(log *slog.Logger) *latch { return &latch{failed: make(chan struct{}), log: log} }

// stop records the fault and blocks forever.
func (l *latch) stop(err error) {
	l.trip(err)
	select {}
}

// trip records the fault.
func (l *latch) trip(err error) {
	l.once.Do(func() {
		l.err = err
		l.log.Warn("index store stops writing", "err", err)
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

// run calls f, which may wait for one of Pebble's goroutines, and stops waiting if that goroutine
// is stopped.
func (l *latch) run(f func() error) error {
	if err := l.fault(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- f() }() // ends with f; left running only by a store that has failed
	select {
	case err := <-done:
		return err
	case <-l.failed:
		return l.err
	}
}

// listener returns the listener for Pebble's faults. Unreadable data is an error of the call that
// reads it and does not stop the store.
func (l *latch) listener() *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: l.stop,
		DataCorruption:  func(info pebble.DataCorruptionInfo) { l.log.Debug(info.String()) },
	}
}

// quiet sends Pebble's messages to the log instead of standard error.
type quiet struct{ *latch }

func (q quiet) Infof(format string, args ...any) { q.log.Debug(fmt.Sprintf(format, args...)) }

func (q quiet) Errorf(format string, args ...any) { q.log.Warn(fmt.Sprintf(format, args...)) }

func (q quiet) Fatalf(format string, args ...any) { q.stop(fatal(format, args)) }

// fatal converts a fatal message into an error that wraps the errors in it, for errors.Is.
func fatal(format string, args []any) error {
	var causes []error
	for _, a := range args {
		if err, ok := a.(error); ok {
			causes = append(causes, err)
		}
	}
	return &fatalError{text: fmt.Sprintf(format, args...), causes: causes}
}

type fatalError struct {
	text   string
	causes []error
}

func (e *fatalError) Error() string   { return e.text }
func (e *fatalError) Unwrap() []error { return e.causes }

func diskFull(err error) bool {
	return isAny(err, fullErrors)
}

func isAny(err error, kinds []error) bool {
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
}
