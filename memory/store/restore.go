package store

import (
	"errors"
	"io"
	"log/slog"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// readOnlyFS is a file system without locks: for a database that its owner reads, or nobody has
// open.
type readOnlyFS struct{ vfs.FS }

// Lock does nothing.
func (readOnlyFS) Lock(string) (io.Closer, error) { return noLock{}, nil }

// Unwrap returns the underlying file system: Pebble asks for it.
func (r readOnlyFS) Unwrap() vfs.FS { return r.FS }

type noLock struct{}

func (noLock) Close() error { return nil }

// sound reads all of a database that nobody has open, every block of its tables, and returns an
// error if any of it is unreadable. Its faults do not affect the store.
func (s *Store) sound(dir string, p *pace) error {
	_, err := s.inspect(dir, newLatch(slog.New(slog.DiscardHandler)), func(ro *pebble.DB) error { return readAll(ro, p) })
	return err
}

func readAll(ro *pebble.DB, p *pace) error {
	if _, err := ro.SSTables(pebble.WithProperties()); err != nil {
		return err
	}
	it, err := ro.NewIter(nil)
	if err != nil {
		return err
	}
	read := 0
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			break // the iterator's own error is returned below
		}
		if read += len(it.Key()) + len(value); read >= pieceBytes {
			read = 0
			if err := p.rest(); err != nil {
				return errors.Join(err, it.Close())
			}
		}
	}
	return errors.Join(it.Error(), it.Close())
}

// restorable returns the checkpoint to go back to: the newest, which was read completely when it
// was made; for a store that cannot be opened, the newest that is still completely readable. ""
// when there is none.
func (s *Store) restorable() string {
	names := checkpoints(s.fs, s.dir)
	path := func(c checkpoint) string { return s.fs.PathJoin(s.dir, checkpointDir, c.name) }
	if s.opened.Load() {
		if len(names) == 0 {
			return ""
		}
		return path(names[len(names)-1])
	}
	s.restoring.Do(func() {
		for i := len(names) - 1; i >= 0 && s.restore == ""; i-- {
			if s.sound(path(names[i]), &pace{}) == nil {
				s.restore = path(names[i])
			}
		}
	})
	return s.restore
}
