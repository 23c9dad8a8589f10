package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// denied is a file system on which nothing can be changed.
type denied struct {
	vfs.FS
	why error
}

func (d denied) no(op, name string) error { return &os.PathError{Op: op, Path: name, Err: d.why} }

func (d denied) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, d.no("open", name)
}

func (d denied) OpenReadWrite(name string, _ vfs.DiskWriteCategory, _ ...vfs.OpenOption) (vfs.File, error) {
	return nil, d.no("open", name)
}

func (d denied) Link(_, name string) error                 { return d.no("link", name) }
func (d denied) Rename(_, name string) error               { return d.no("rename", name) }
func (d denied) Remove(name string) error                  { return d.no("remove", name) }
func (d denied) RemoveAll(name string) error               { return d.no("remove", name) }
func (d denied) MkdirAll(name string, _ os.FileMode) error { return d.no("mkdir", name) }
func (d denied) Unwrap() vfs.FS                            { return d.FS }

// lockable is denied, except that the lock can be taken: its file already exists.
type lockable struct{ denied }

func (l lockable) Lock(name string) (io.Closer, error) { return l.FS.Lock(name) }

func (d denied) Lock(name string) (io.Closer, error) { return nil, d.no("open", name) }

// TestNothingMayBeWritten checks that a folder that cannot be written to is refused with its path
// and advice, that this is not reported as damage, and that its content stays.
func TestNothingMayBeWritten(t *testing.T) {
	for _, why := range []error{readOnlyError, syscall.EACCES, syscall.EPERM} {
		dir := filepath.Join(t.TempDir(), "memory")
		fs := denied{vfs.Default, why}
		check := func(what string, fs vfs.FS) {
			t.Helper()
			s, err := Open(dir, Options{fs: fs})
			if err == nil {
				closeStore(t, s)
				t.Fatalf("%s, %v: it opens", what, why)
			}
			if errors.As(err, new(*CorruptError)) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "--state-dir") || !errors.Is(err, why) {
				t.Errorf("%s, %v: %v", what, why, err)
			}
		}
		check("a new one", fs)
		s := openStore(t, dir, Options{})
		commit(t, s, func(b *Batch) { b.Set(key("k"), []byte("v")) })
		closeStore(t, s)
		before := contents(t, dir)
		check("one that is there", fs)
		check("one that can be locked", lockable{fs})
		unchanged(t, before, contents(t, dir))
		s = openStore(t, dir, Options{})
		if got := dump(t, s); got != "k=v" {
			t.Errorf("after that: %s", got)
		}
		closeStore(t, s)
	}
}
