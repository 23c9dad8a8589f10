package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// trackedFS is the file system of an open database. It updates the ledger of logs and manifests,
// removes files that Pebble's cleaner would archive, notifies Erase of removals, and blocks every
// change after a fault.
type trackedFS struct {
	vfs.FS
	latch     *latch
	ledger    *ledger
	manifests atomic.Int64 // manifests begun since Open

	mu   sync.Mutex
	gone chan struct{} // closed, and replaced, when a file is removed
}

func newTrackedFS(fs vfs.FS, l *latch, led *ledger) *trackedFS {
	return &trackedFS{FS: fs, latch: l, ledger: led, gone: make(chan struct{})}
}

// Unwrap returns the underlying file system: Pebble asks for it.
func (t *trackedFS) Unwrap() vfs.FS { return t.FS }

func (t *trackedFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	t.latch.park()
	f, err := t.FS.Create(name, c)
	if err != nil {
		return nil, err
	}
	base := t.PathBase(name)
	if isManifest(base) {
		t.manifests.Add(1)
	}
	w := &trackedFile{File: f, t: t}
	if (isManifest(base) || isLog(base)) && t.ledger.here(t.PathDir(name)) {
		w.entry = t.ledger.add(base)
	}
	return w, nil
}

func (t *trackedFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	t.latch.park()
	return t.FS.OpenReadWrite(name, c, opts...)
}

// ReuseForWrite never overwrites an old log: its content would stay on disk past the new end.
func (t *trackedFS) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := t.Remove(old); err != nil {
		return nil, err
	}
	return t.Create(name, c)
}

// Link refuses where linksLast is false: Pebble copies then.
func (t *trackedFS) Link(old, name string) error {
	if !linksLast {
		return errors.ErrUnsupported
	}
	t.latch.park()
	return t.FS.Link(old, name)
}

// Rename removes a file that Pebble's ArchiveCleaner would move to its archive. That cleaner is the
// one with which Pebble does not reuse logs.
func (t *trackedFS) Rename(old, name string) error {
	if t.PathBase(t.PathDir(name)) == archiveDir {
		return t.Remove(old)
	}
	t.latch.park()
	return t.FS.Rename(old, name)
}

const archiveDir = "archive"

func (t *trackedFS) MkdirAll(dir string, perm os.FileMode) error {
	if t.PathBase(dir) == archiveDir {
		return nil
	}
	t.latch.park()
	return t.FS.MkdirAll(dir, perm)
}

// Remove removes a log or manifest from the ledger, durably, before the file: after a crash the
// ledger never names a file that was removed on purpose.
func (t *trackedFS) Remove(name string) error {
	t.latch.park()
	if base := t.PathBase(name); (isManifest(base) || isLog(base)) && t.ledger.here(t.PathDir(name)) {
		if err := t.ledger.drop(base); err != nil {
			return err
		}
	}
	err := t.FS.Remove(name)
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.gone)
	t.gone = make(chan struct{})
	return err
}

// removal returns a channel that is closed when the next file has been removed.
func (t *trackedFS) removal() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.gone
}

type trackedFile struct {
	vfs.File
	t     *trackedFS
	entry *entry // nil for a file that is not in the ledger
}

func (f *trackedFile) Write(p []byte) (int, error) {
	f.t.latch.park()
	written := p
	if f.entry != nil {
		written = bytes.Clone(p) // a vfs.File may change its argument, and Pebble's do under the race detector
	}
	n, err := f.File.Write(p)
	if f.entry != nil {
		f.entry.wrote(written[:n])
	}
	return n, err
}

func (f *trackedFile) Sync() error {
	f.t.latch.park()
	return f.synced(f.File.Sync)
}

func (f *trackedFile) SyncData() error {
	f.t.latch.park()
	return f.synced(f.File.SyncData)
}

// synced records what was written before the sync began: that much is on disk when it succeeds.
func (f *trackedFile) synced(sync func() error) error {
	if f.entry == nil {
		return sync()
	}
	size, sum := f.entry.state()
	if err := sync(); err != nil {
		return err
	}
	return f.t.ledger.note(f.entry, size, sum)
}

func isManifest(base string) bool { return strings.HasPrefix(base, "MANIFEST-") }
func isLog(base string) bool      { return filepath.Ext(base) == ".log" }
func isTable(base string) bool    { return filepath.Ext(base) == ".sst" }
