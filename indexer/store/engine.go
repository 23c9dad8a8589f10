package store

import (
	"fmt"
	"path/filepath"
	"strconv"

	"os"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// engine is one opened Pebble database. One that has failed is never closed: it cannot be closed
// while one of its goroutines is stopped, and it may still be read. It is fenced off from the
// folder instead, and abandoned.
type engine struct {
	db       *pebble.DB // nil if it could not be opened; latch has failed then
	cache    *pebble.Cache
	latch    *latch
	fence    *fence
	readOnly bool // opened read-only, and can be closed although latch has failed
}

// start opens Pebble in the folder, whose lock must be held unless readOnly is set.
func (s *Store) start(readOnly bool) (*engine, error) {
	e := &engine{cache: pebble.NewCache(cacheBytes), latch: newLatch(s.log), fence: newFence(s.disk), readOnly: readOnly}
	opts := &pebble.Options{
		FS:                          e.fence,
		Cache:                       e.cache,
		FormatMajorVersion:          pebble.FormatTableFormatV6,
		MemTableSize:                memTableBytes,
		DisableWAL:                  true, // data that is lost in a crash is read again from the workspace
		L0CompactionThreshold:       8,
		L0StopWritesThreshold:       noStall,
		MemTableStopWritesThreshold: noStall,
		Logger:                      quiet{e.latch},
		EventListener:               e.latch.listener(),
		ReadOnly:                    readOnly,
	}
	// Pebble's own scheduler checks ten times a second whether more compactions may run. Their
	// number is fixed here, so another can begin only when one ends.
	opts.Experimental.CompactionScheduler = pebble.NewConcurrencyLimitSchedulerWithNoPeriodicGrantingForTest()
	opts.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionFastest })
	err := e.latch.run(func() (err error) {
		defer func() {
			if p := recover(); p != nil { // Pebble does not validate data that no checksum covers
				err = fmt.Errorf("panic: %v", p)
			}
		}()
		e.db, err = pebble.Open(s.dir, opts)
		return err
	})
	if err == nil && !readOnly {
		if err := s.noteHolder(); err != nil {
			e.latch.trip(err)
			_ = e.close() // nothing was written
			return nil, err
		}
	}
	if err == nil {
		return e, nil
	}
	e.fence.abandon()
	if e.latch.fault() == nil {
		e.cache.Unref()
	}
	if unusable(err) {
		return nil, fmt.Errorf("open index %s: %w", s.dir, err)
	}
	return nil, &CorruptError{Dir: s.dir, Err: err}
}

// noteHolder writes this process's ID into the folder, for the error message of processes that find
// it locked.
func (s *Store) noteHolder() error {
	err := os.WriteFile(filepath.Join(s.dir, holderFile), []byte(strconv.Itoa(os.Getpid())), 0o600)
	if err != nil {
		return fmt.Errorf("write index holder: %w", err)
	}
	return nil
}

// close closes an unused engine. One that has failed is fenced off, and its files are closed in
// Pebble's place.
func (e *engine) close() error {
	if e.db == nil {
		return nil
	}
	if e.readOnly {
		err := e.db.Close()
		e.cache.Unref()
		return err
	}
	if err := e.latch.run(func() error { return e.db.Close() }); err != nil {
		e.fence.abandon()
		return err
	}
	e.cache.Unref()
	return nil
}

// absent returns an engine without Pebble, which has failed with reason.
func absent(s *Store, reason error) *engine {
	e := &engine{latch: newLatch(s.log), fence: newFence(vfs.Default)}
	e.latch.trip(reason)
	return e
}
