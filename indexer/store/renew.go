package store

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Detached returns what can be read of a folder that cannot be written, for reason (an error of
// Open): a full disk, no permission, a file in its place. Where nothing can, the store is empty. It
// refuses every write with reason, until Renew takes the folder after all.
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

// Absent is a store that holds nothing and refuses every write with reason, until Renew.
func Absent(dir string, log *slog.Logger, reason error) *Store {
	s := &Store{dir: dir, log: log, disk: vfs.Default}
	s.current.Store(absent(s, reason))
	return s
}

// Fault is why the store refuses to write, or nil.
func (s *Store) Fault() error { return s.current.Load().latch.fault() }

// Failed returns a channel that is closed when the store refuses to write. After a Renew there is
// another one.
func (s *Store) Failed() <-chan struct{} { return s.current.Load().latch.failed }

// Damaged reports whether the store has failed for what stands on disk, and not for want of space
// or permission.
func (s *Store) Damaged() bool {
	e := s.current.Load()
	err := e.latch.fault()
	return err != nil && e.db != nil && !e.readOnly && !unusable(err)
}

// Condemn makes the store refuse to write, for damage that was met in reading it.
func (s *Store) Condemn(reason error) { s.current.Load().latch.trip(reason) }

// probeMost is how much room Renew tries out: enough to tell a full disk from one with room again.
const probeMost = 4 << 20

// Renew opens a store that has failed anew, in the same folder; need is how many bytes the caller
// will write. What the folder held is there again, as it was last flushed, unless it was damaged:
// then it is empty. Those who read meanwhile go on in what was there before. An error leaves
// everything as it was. What the failed store had open stays open, a few files and some megabytes,
// so that it must not be called without end.
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
			return fmt.Errorf("try out %s: %w", s.dir, err)
		}
	}
	old.latch.trip(errFenced) // where it has not failed
	old.fence.close()
	e, err := s.restart(damaged)
	if err != nil {
		return err
	}
	s.current.Store(e)
	return nil
}

// restart opens the folder, emptied first where it is damaged.
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

// empty removes all of the folder but its lock.
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
			block[i] = byte(i * (i >> 8)) // something that a compressing disk keeps
		}
		_, err = f.Write(block[:min(n, int64(len(block)))])
	}
	err = errors.Join(err, f.Close())
	if rm := s.disk.Remove(name); rm != nil && !errors.Is(rm, os.ErrNotExist) {
		err = errors.Join(err, rm)
	}
	return err
}
