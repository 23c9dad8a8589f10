package store

import (
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// fence controls one engine's writes to the disk. Once closed, it permits no more changes: the
// goroutines of an abandoned engine may still run while another engine uses the folder. It also
// keeps Pebble from locking the folder, which its Store does for all its engines.
type fence struct {
	vfs.FS

	mu     sync.RWMutex // held for reading during a change
	closed bool         // guarded by mu

	// The engine's open files. One that has failed is never closed by Pebble, and Windows removes
	// no file that is open.
	openMu sync.Mutex
	open   map[*openFile]bool // guarded by openMu
}

func newFence(disk vfs.FS) *fence { return &fence{FS: disk, open: map[*openFile]bool{}} }

// openFile is an open file of the engine.
type openFile struct {
	vfs.File
	fence *fence
}

// Close implements io.Closer.
func (o *openFile) Close() error {
	o.fence.openMu.Lock()
	delete(o.fence.open, o)
	o.fence.openMu.Unlock()
	return o.File.Close()
}

// record notes a file that was opened.
func (f *fence) record(file vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return file, err
	}
	f.openMu.Lock()
	defer f.openMu.Unlock()
	o := &openFile{file, f}
	f.open[o] = true
	return o, nil
}

// abandon refuses further changes and closes the files of an engine that nothing reads any more.
func (f *fence) abandon() {
	f.close()
	f.openMu.Lock()
	left := slices.Collect(maps.Keys(f.open))
	clear(f.open)
	f.openMu.Unlock()
	for _, o := range left {
		_ = o.File.Close() // nothing in it is needed
	}
}

var errFenced = errors.New("the index store was given up")

// close waits for changes in progress and refuses further ones.
func (f *fence) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
}

// change runs do, unless the fence is closed.
func (f *fence) change(do func() error) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.closed {
		return errFenced
	}
	return do()
}

// file runs a change that returns a file; writes to that file pass the fence too.
func (f *fence) file(do func() (vfs.File, error)) (out vfs.File, err error) {
	err = f.change(func() error {
		file, err := f.record(do())
		if err == nil {
			out = fencedFile{file, f}
		}
		return err
	})
	return out, err
}

// Unwrap, Lock and the methods below implement vfs.FS.
func (f *fence) Unwrap() vfs.FS { return f.FS }

func (f *fence) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

func (f *fence) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	return f.record(f.FS.Open(name, opts...))
}

func (f *fence) OpenDir(name string) (vfs.File, error) { return f.record(f.FS.OpenDir(name)) }

func (f *fence) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.file(func() (vfs.File, error) { return f.FS.Create(name, c) })
}

func (f *fence) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return f.file(func() (vfs.File, error) { return f.FS.OpenReadWrite(name, c, opts...) })
}

func (f *fence) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return f.file(func() (vfs.File, error) { return f.FS.ReuseForWrite(old, name, c) })
}

func (f *fence) Link(old, name string) error {
	return f.change(func() error { return f.FS.Link(old, name) })
}

func (f *fence) Rename(old, name string) error {
	return f.change(func() error { return f.FS.Rename(old, name) })
}

func (f *fence) Remove(name string) error { return f.change(func() error { return f.FS.Remove(name) }) }

func (f *fence) RemoveAll(name string) error {
	return f.change(func() error { return f.FS.RemoveAll(name) })
}

func (f *fence) MkdirAll(dir string, perm os.FileMode) error {
	return f.change(func() error { return f.FS.MkdirAll(dir, perm) })
}

// fencedFile is a writable file whose changes pass the fence.
type fencedFile struct {
	vfs.File
	fence *fence
}

// Write implements io.Writer.
func (f fencedFile) Write(p []byte) (n int, err error) {
	err = f.fence.change(func() (err error) { n, err = f.File.Write(p); return err })
	return n, err
}

// WriteAt implements io.WriterAt.
func (f fencedFile) WriteAt(p []byte, at int64) (n int, err error) {
	err = f.fence.change(func() (err error) { n, err = f.File.WriteAt(p, at); return err })
	return n, err
}

// Preallocate implements vfs.File.
func (f fencedFile) Preallocate(offset, length int64) error {
	return f.fence.change(func() error { return f.File.Preallocate(offset, length) })
}
