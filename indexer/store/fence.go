package store

import (
	"errors"
	"io"
	"os"
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
		file, err := do()
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
