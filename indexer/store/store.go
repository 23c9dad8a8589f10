// Package store keeps the index on disk, in Pebble. It is the only package of the index that
// imports Pebble. Its content is derived from the workspace: nothing is fsynced, anything may be
// discarded, and unreadable data is reported as damage so that the owner rebuilds it.
package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/zeebo/xxh3"
)

// Store is an open index store. It is safe for concurrent use, except for Renew and Close.
type Store struct {
	dir  string
	log  *slog.Logger
	disk vfs.FS    // the file system below; tests inject faults
	lock io.Closer // the folder's; nil while the store does not hold it

	current atomic.Pointer[engine] // replaced by Renew
}

// LockedError means that another process holds the store; PID is 0 if it is unknown.
type LockedError struct {
	Dir string
	PID int
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.PID > 0 {
		who = "process " + strconv.Itoa(e.PID)
	}
	return fmt.Sprintf("open index %s: %s holds it; stop that process, or give this one a state directory of its own with --state-dir", e.Dir, who)
}

// CorruptError means that the store cannot be read; its owner removes the folder and rebuilds.
type CorruptError struct {
	Dir string
	Err error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("index %s is damaged: %v", e.Dir, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

const (
	memTableBytes = 16 << 20
	cacheBytes    = 8 << 20
	blobPiece     = 256 << 10
	lockPatience  = 1500 * time.Millisecond // time for a process that is exiting to release the lock
	holderFile    = "holder"
	lockFile      = "LOCK"  // as Pebble would call it
	noStall       = 1 << 10 // memory tables and files that may queue; a writer that stalls could block on a full disk
)

// Open opens or creates the store in dir. It waits briefly for a holder that is exiting, then
// returns *LockedError. It returns *CorruptError if the content of the folder cannot be opened. Any
// other error is a fault of the machine, which rebuilding would not fix: see Detached.
func Open(dir string, log *slog.Logger) (*Store, error) { return openOn(vfs.Default, dir, log) }

func openOn(disk vfs.FS, dir string, log *slog.Logger) (*Store, error) {
	s := &Store{dir: dir, log: log, disk: disk}
	if err := s.takeFolder(); err != nil {
		return nil, err
	}
	e, err := s.start(false)
	if err != nil {
		s.unlock()
		return nil, err
	}
	s.current.Store(e)
	return s, nil
}

// takeFolder creates the folder and locks it.
func (s *Store) takeFolder() (err error) {
	if err := s.disk.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("create index folder: %w", err)
	}
	s.lock, err = s.lockFolder()
	return err
}

// lockFolder locks the folder. It waits briefly for a holder that is exiting.
func (s *Store) lockFolder() (io.Closer, error) {
	for deadline := time.Now().Add(lockPatience); ; time.Sleep(50 * time.Millisecond) {
		lock, err := s.disk.Lock(filepath.Join(s.dir, lockFile))
		if err == nil {
			return lock, nil
		}
		if !locked(err) && unusable(err) {
			return nil, fmt.Errorf("lock index %s: %w", s.dir, err)
		}
		if !locked(err) {
			return nil, &CorruptError{Dir: s.dir, Err: err}
		}
		if time.Now().After(deadline) {
			return nil, &LockedError{Dir: s.dir, PID: holder(s.dir)}
		}
	}
}

func (s *Store) unlock() {
	if s.lock == nil {
		return
	}
	if err := s.lock.Close(); err != nil {
		s.log.Debug("unlock index", "err", err)
	}
	s.lock = nil
}

func locked(err error) bool {
	return isHeld(err) || strings.Contains(err.Error(), "lock held by current process")
}

// unusable reports whether an error is a fault of the machine (no space, no permission, no
// descriptors) and not damage: rebuilding would not help.
func unusable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || diskFull(err) || isAny(err, scarceErrors)
}

func holder(dir string) int {
	b, err := os.ReadFile(filepath.Join(dir, holderFile))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return pid
}

// Close flushes what was committed and releases the store; it also removes the holder file. The
// error reports data that could not be written.
func (s *Store) Close() error {
	err := s.Flush()
	if closeErr := s.current.Load().close(); closeErr != nil && err == nil {
		err = fmt.Errorf("close index: %w", closeErr)
	}
	if s.lock != nil {
		if rm := s.disk.Remove(filepath.Join(s.dir, holderFile)); rm != nil && !errors.Is(rm, fs.ErrNotExist) {
			err = errors.Join(err, rm)
		}
	}
	s.unlock()
	return err
}

// Get returns a copy of a value; ok is false if there is none.
func (s *Store) Get(key []byte) (value []byte, ok bool, err error) {
	e := s.current.Load()
	if e.db == nil {
		return nil, false, nil
	}
	v, closer, err := e.db.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, s.damaged(err)
	}
	value = append([]byte(nil), v...)
	return value, true, closer.Close()
}

// Scan calls f for every key with the prefix, in order. key (without the prefix) and value are
// valid until f returns.
func (s *Store) Scan(prefix []byte, f func(key, value []byte) error) error {
	return s.ScanRange(prefix, after(prefix), func(k, v []byte) error { return f(k[len(prefix):], v) })
}

// ScanRange calls f for every key from start up to end, excluding end, in order. key and value are
// valid until f returns.
func (s *Store) ScanRange(start, end []byte, f func(key, value []byte) error) error {
	e := s.current.Load()
	if e.db == nil {
		return nil
	}
	it, err := e.db.NewIter(&pebble.IterOptions{LowerBound: start, UpperBound: end})
	if err != nil {
		return s.damaged(err)
	}
	for it.First(); it.Valid(); it.Next() {
		if err := f(it.Key(), it.Value()); err != nil {
			return errors.Join(err, it.Close())
		}
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return s.damaged(err)
	}
	return nil
}

// Blob reads a value written by Batch.SetBlob and checks its checksum; ok is false if there is
// none.
func (s *Store) Blob(key []byte) (data []byte, ok bool, err error) {
	head, ok, err := s.Get(append(append([]byte(nil), key...), 0))
	if err != nil || !ok {
		return nil, false, err
	}
	if len(head) != 16 {
		return nil, false, &CorruptError{Dir: s.dir, Err: fmt.Errorf("blob %q: header of %d bytes", key, len(head))}
	}
	size := binary.BigEndian.Uint64(head)
	if size > 1<<33 {
		return nil, false, &CorruptError{Dir: s.dir, Err: fmt.Errorf("blob %q: size %d", key, size)}
	}
	data = make([]byte, 0, size)
	err = s.Scan(append(append([]byte(nil), key...), 1), func(_, v []byte) error {
		data = append(data, v...)
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	if uint64(len(data)) != size || xxh3.Hash(data) != binary.BigEndian.Uint64(head[8:]) {
		return nil, false, &CorruptError{Dir: s.dir, Err: fmt.Errorf("blob %q: wrong checksum", key)}
	}
	return data, true, nil
}

// DiskBytes returns the store's size on disk, or 0 if the store has failed.
func (s *Store) DiskBytes() int64 {
	var n uint64
	e := s.current.Load()
	err := e.latch.run(func() error {
		n = e.db.Metrics().DiskSpaceUsage()
		return nil
	})
	if err != nil {
		return 0
	}
	return int64(n)
}

// Flush writes everything committed to disk, so that a crash loses none of it.
func (s *Store) Flush() error {
	e := s.current.Load()
	if err := e.latch.run(func() error { return e.db.Flush() }); err != nil {
		return fmt.Errorf("flush index: %w", err)
	}
	return nil
}

// Compact rewrites the store to reclaim the disk space of deleted data.
func (s *Store) Compact(ctx context.Context) error {
	if err := s.Flush(); err != nil {
		return err
	}
	e := s.current.Load()
	err := e.latch.run(func() error { return e.db.Compact(ctx, []byte{0}, []byte{0xff, 0xff}, true) })
	if err != nil {
		return fmt.Errorf("compact index: %w", err)
	}
	return nil
}

// Batch collects writes that become visible together.
type Batch struct {
	b *pebble.Batch // nil if the store replaces an absent one: Commit returns the error
	e *engine
}

// NewBatch returns a new batch; Commit or Drop ends it.
func (s *Store) NewBatch() *Batch {
	e := s.current.Load()
	if e.db == nil {
		return &Batch{e: e}
	}
	return &Batch{b: e.db.NewBatch(), e: e}
}

// Set adds one write. It fails only when memory runs out; Commit reports other errors.
func (b *Batch) Set(key, value []byte) error {
	if b.b == nil {
		return nil
	}
	return b.b.Set(key, value, nil)
}

// Delete removes one key.
func (b *Batch) Delete(key []byte) error {
	if b.b == nil {
		return nil
	}
	return b.b.Delete(key, nil)
}

// DeletePrefix removes every key with the prefix, SetBlob's pieces included.
func (b *Batch) DeletePrefix(prefix []byte) error { return b.DeleteBetween(prefix, after(prefix)) }

// DeleteBetween removes the keys from start up to end, excluding end, that are in the store before
// the batch or in the batch so far.
func (b *Batch) DeleteBetween(start, end []byte) error {
	if b.b == nil {
		return nil
	}
	return b.b.DeleteRange(start, end, nil)
}

// SetBlob writes a large value in pieces, with a checksum.
func (b *Batch) SetBlob(key, data []byte) error {
	head := binary.BigEndian.AppendUint64(nil, uint64(len(data)))
	head = binary.BigEndian.AppendUint64(head, xxh3.Hash(data))
	if err := b.Set(append(append([]byte(nil), key...), 0), head); err != nil {
		return err
	}
	piece := append(append([]byte(nil), key...), 1, 0, 0, 0, 0)
	for i := 0; len(data) > 0; i++ {
		n := min(blobPiece, len(data))
		binary.BigEndian.PutUint32(piece[len(piece)-4:], uint32(i))
		if err := b.Set(piece, data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// Len returns the batch's size in bytes.
func (b *Batch) Len() int {
	if b.b == nil {
		return 0
	}
	return b.b.Len()
}

// Commit applies the batch without waiting for the disk: until the next Flush, a crash may lose the
// whole batch and all later ones. Once the disk has refused a write, every further Commit returns
// that error, so that the content on disk is always one earlier state of the store.
func (b *Batch) Commit() error {
	if err := b.e.latch.run(func() error { return b.b.Commit(pebble.NoSync) }); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	return b.b.Close()
}

// Drop discards the batch.
func (b *Batch) Drop() error {
	if b.b == nil {
		return nil
	}
	return b.b.Close()
}

func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

func (s *Store) damaged(err error) error {
	if unusable(err) {
		return fmt.Errorf("read index: %w", err)
	}
	return &CorruptError{Dir: s.dir, Err: err}
}

// Remove removes a store that no process has open. It returns *LockedError if a process has it
// open, after the same wait as Open.
func Remove(dir string) error {
	s := &Store{dir: dir, log: slog.New(slog.DiscardHandler), disk: vfs.Default}
	lock, err := s.lockFolder()
	if _, corrupt := errors.AsType[*CorruptError](err); err != nil && !corrupt {
		return err
	}
	err = os.RemoveAll(dir)
	if s.lock = lock; lock != nil {
		s.unlock()
	}
	if err != nil {
		err = os.RemoveAll(dir) // some systems do not remove a file that is open
	}
	if err != nil {
		return fmt.Errorf("remove index: %w", err)
	}
	return nil
}
