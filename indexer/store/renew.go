package store

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Detached returns a read-only store of a folder that cannot be written, for reason (an error of
// Open): a full disk, no permission, a file at its path. If nothing can be read, the store is
// empty. It refuses every write with reason, until Renew opens the folder for writing.
func Detached(dir string, log *slog.Logger, reason error) *Store {
	return detachedOn(vfs.Default, dir, log, reason)
}

func detachedOn(disk vfs.FS, dir string, log *slog.Logger, reason error) *Store {
	s := &Store{dir: dir, log: log, disk: disk}
	e, err := s.start(true)
	if err != nil {
		return Absent(dir, log, reason)
	}
	e.latch.trip(reason)
	s.current.Store(e)
	return s
}

// Absent returns a store that is empty and refuses every write with reason, until Renew.
func Absent(dir string, log *slog.Logger, reason error) *Store {
	s := &Store{dir: dir, log: log, disk: vfs.Default}
	s.current.Store(absent(s, reason))
	return s
}

// Fault returns the reason why the store refuses to write, or nil.
func (s *Store) Fault() error { return s.current.Load().latch.fault() }

// Failed returns a channel that is closed when the store refuses to write. Renew replaces the
// channel.
func (s *Store) Failed() <-chan struct{} { return s.current.Load().latch.failed }

// Damaged reports whether the store has failed because of damage on disk, and not for lack of space
// or permission.
func (s *Store) Damaged() bool {
	e := s.current.Load()
	err := e.latch.fault()
	return err != nil && e.db != nil && !e.readOnly && !unusable(err)
}

// Condemn makes the store refuse to write, because a read found damage.
func (s *Store) Condemn(reason error) { s.current.Load().latch.trip(reason) }

// probeMost bounds the number of bytes that Renew writes as a test: enough to distinguish a full
// disk from one with space.
const probeMost = 4 << 20

// Renew reopens a store that has failed, in the same folder; need is the number of bytes that the
// caller will write. The store then has the content of its last flush, or is empty if the folder
// was damaged. Readers that are in progress continue on the old content. An error leaves everything
// as it was. The failed store keeps a few files and some megabytes open, so Renew must not be
// called without limit.
func (s *Store) Renew(need int64) error {
	old := s.current.Load()
	damaged := s.Damaged()
	if s.lock == nil {
		if err := s.takeFolder(); err != nil {
			return err
		}
	}
	if !damaged {
		if err := s.probe(min(need, probeMost)); err != nil {
			return fmt.Errorf("test %s: %w", s.dir, err)
		}
	}
	old.latch.trip(errFenced) // if it has not failed
	if damaged && runtime.GOOS == "windows" {
		old.fence.abandon() // its readers get errors, but its files can be removed
	} else {
		old.fence.close()
	}
	e, err := s.restart(damaged)
	if err != nil {
		return err
	}
	s.current.Store(e)
	return nil
}

// restart opens the folder, and empties it first if it is damaged.
func (s *Store) restart(damaged bool) (*engine, error) {
	if !damaged {
		e, err := s.start(false)
		var corrupt *CorruptError
		if !errors.As(err, &corrupt) {
			return e, err
		}
	}
	if err := s.empty(); err != nil {
		return nil, err
	}
	return s.start(false)
}

// empty removes the content of the folder except its lock.
func (s *Store) empty() error {
	names, err := s.disk.List(s.dir)
	for _, name := range names {
		if name != lockFile {
			err = errors.Join(err, s.disk.RemoveAll(filepath.Join(s.dir, name)))
		}
	}
	if err != nil {
		return fmt.Errorf("remove damaged index: %w", err)
	}
	return nil
}

// probe writes n bytes and removes them.
func (s *Store) probe(n int64) error {
	name := filepath.Join(s.dir, "probe")
	f, err := s.disk.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	for block := make([]byte, 256<<10); n > 0 && err == nil; n -= int64(len(block)) {
		for i := range block {
			block[i] = byte(i * (i >> 8)) // data that a compressing disk cannot shrink to nothing
		}
		_, err = f.Write(block[:min(n, int64(len(block)))])
	}
	err = errors.Join(err, f.Close())
	if rm := s.disk.Remove(name); rm != nil && !errors.Is(rm, os.ErrNotExist) {
		err = errors.Join(err, rm)
	}
	return err
}
