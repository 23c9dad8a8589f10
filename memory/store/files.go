package store

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// tracked is the file system under an open database. It keeps the ledger of logs and manifests,
// removes where Pebble's cleaner would archive, tells Erase what went, and lets nothing change
// after a fault.
type tracked struct {
	vfs.FS
	latch     *latch
	ledger    *ledger
	manifests atomic.Int64 // manifests begun since Open

	mu   sync.Mutex
	gone chan struct{} // closed, and replaced, whenever a file was removed
}

func newTracked(fs vfs.FS, l *latch, led *ledger) *tracked {
	return &tracked{FS: fs, latch: l, ledger: led, gone: make(chan struct{})}
}

// Unwrap hides nothing: Pebble asks it for the file systems below.
func (t *tracked) Unwrap() vfs.FS { return t.FS }

func (t *tracked) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
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

func (t *tracked) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	t.latch.park()
	return t.FS.OpenReadWrite(name, c, opts...)
}

// ReuseForWrite never writes over an old log: what it held would stay on disk past its end.
func (t *tracked) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := t.Remove(old); err != nil {
		return nil, err
	}
	return t.Create(name, c)
}

func (t *tracked) Link(old, name string) error {
	t.latch.park()
	return t.FS.Link(old, name)
}

// Rename removes a file that Pebble's ArchiveCleaner would move to its archive. That cleaner is the
// one that keeps Pebble from using logs again.
func (t *tracked) Rename(old, name string) error {
	if t.PathBase(t.PathDir(name)) == archiveDir {
		return t.Remove(old)
	}
	t.latch.park()
	return t.FS.Rename(old, name)
}

const archiveDir = "archive"

func (t *tracked) MkdirAll(dir string, perm os.FileMode) error {
	if t.PathBase(dir) == archiveDir {
		return nil
	}
	t.latch.park()
	return t.FS.MkdirAll(dir, perm)
}

// Remove takes a log or manifest out of the ledger, durably, before it goes: after a crash the
// ledger never names a file that was removed on purpose.
func (t *tracked) Remove(name string) error {
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
func (t *tracked) removal() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.gone
}

type trackedFile struct {
	vfs.File
	t     *tracked
	entry *entry // nil for a file the ledger does not know
}

func (f *trackedFile) Write(p []byte) (int, error) {
	f.t.latch.park()
	written := p
	if f.entry != nil {
		written = bytes.Clone(p) // a vfs.File may change what it is given, and Pebble's do under the race detector
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

// synced notes what was written before the sync began: that much is on disk when it succeeds.
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
