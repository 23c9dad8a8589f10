package store

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// fickle is a disk that rejects changes while refuse holds an error.
type fickle struct {
	vfs.FS
	refuse atomic.Pointer[error]
}

func newFickle() *fickle {
	f := &fickle{}
	f.FS = errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch op.Kind {
		case errorfs.OpLock, errorfs.OpFileClose:
			return nil
		}
		if err := f.refuse.Load(); err != nil && op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
			return *err
		}
		return nil
	}))
	return f
}

func (f *fickle) set(err error) {
	if err == nil {
		f.refuse.Store(nil)
		return
	}
	f.refuse.Store(&err)
}

var quietly = slog.New(slog.DiscardHandler)

func setKey(s *Store, key string) error {
	b := s.NewBatch()
	return errors.Join(b.Set([]byte(key), []byte("value of "+key)), b.Commit())
}

func check(t *testing.T, s *Store, key string, want bool) {
	t.Helper()
	v, ok, err := s.Get([]byte(key))
	if err != nil || ok != want || ok && string(v) != "value of "+key {
		t.Errorf("%q: %q, %v, %v; want %v", key, v, ok, err, want)
	}
}

// leftDir returns a folder for a store that leaves files open until the process ends, as a crash
// does. Windows cannot remove them before.
func leftDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil && runtime.GOOS != "windows" {
			t.Error(err)
		}
	})
	return dir
}

// failed waits until the store rejects writes.
func failed(t *testing.T, s *Store) {
	t.Helper()
	select {
	case <-s.Failed():
	case <-time.After(20 * time.Second):
		t.Fatal("the store does not fail")
	}
}

// A disk is full for a while: the store rejects writes, still reads, cannot be renewed meanwhile
// and can afterwards, with the data flushed before.
func TestRenewAfterFullDisk(t *testing.T) {
	for _, fault := range fullErrors {
		t.Run(fault.Error(), func(t *testing.T) {
			disk, dir := newFickle(), leftDir(t)
			s, err := openOn(disk, dir, quietly)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(setKey(s, "early"), s.Flush(), setKey(s, "late")); err != nil {
				t.Fatal(err)
			}
			disk.set(fault)
			if err := s.Flush(); !errors.Is(err, fault) {
				t.Errorf("flush: %v", err)
			}
			failed(t, s)
			if s.Damaged() {
				t.Error("that is taken for damage")
			}
			old := s.NewBatch()
			check(t, s, "early", true)
			check(t, s, "late", true)
			for range 3 {
				if err := s.Renew(1 << 20); err == nil {
					t.Fatal("renewed on a disk that refuses")
				}
			}
			check(t, s, "late", true)
			disk.set(nil)
			if err := s.Renew(1 << 20); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(old.Set([]byte("stray"), nil), old.Commit()); err == nil {
				t.Error("a batch of before was taken")
			}
			check(t, s, "early", true)
			check(t, s, "late", false)
			if err := errors.Join(s.Fault(), setKey(s, "again"), s.Flush(), s.Close()); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir)
			defer closeStore(t, s)
			check(t, s, "early", true)
			check(t, s, "again", true)
			check(t, s, "stray", false)
		})
	}
}

// Damage found while the store is open: it is emptied and continues.
func TestRenewAfterDamage(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for i := range 200 {
		if err := setKey(s, fmt.Sprintf("key%03d", i)); err != nil {
			t.Fatal(err)
		}
	}
	closeStore(t, s)
	s = open(t, dir)
	defer closeStore(t, s)
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	for _, name := range tables {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range b {
			b[i] ^= 0x55
		}
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteAt(b, 0) // the same file, which the store has open
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	var corrupt *CorruptError
	if _, _, err = s.Get([]byte("key100")); !errors.As(err, &corrupt) {
		t.Fatalf("a damaged block gives %v", err)
	}
	s.Condemn(err)
	if !s.Damaged() || setKey(s, "more") == nil {
		t.Error("it is not condemned")
	}
	if err := errors.Join(s.Renew(0), setKey(s, "fresh"), s.Flush()); err != nil {
		t.Fatal(err)
	}
	check(t, s, "fresh", true)
	check(t, s, "key100", false)
}

// A folder that cannot be written is still read.
func TestDetached(t *testing.T) {
	dir := leftDir(t)
	s := open(t, dir)
	if err := setKey(s, "kept"); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	disk := newFickle()
	disk.set(syscall.EROFS)
	_, err := openOn(disk, dir, quietly)
	var corrupt *CorruptError
	if err == nil || errors.As(err, &corrupt) {
		t.Fatalf("open: %v", err)
	}
	s = detachedOn(disk, dir, quietly, err)
	check(t, s, "kept", true)
	if werr := setKey(s, "new"); !errors.Is(werr, syscall.EROFS) {
		t.Errorf("write: %v", werr)
	}
	disk.set(nil)
	if err := errors.Join(s.Renew(0), setKey(s, "new")); err != nil {
		t.Fatal(err)
	}
	check(t, s, "kept", true)
	check(t, s, "new", true)
	closeStore(t, s)
}

// Without a folder, and while none can be created, the store is empty.
func TestAbsent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(file, "index")
	_, err := Open(dir, quietly)
	if err == nil {
		t.Fatal("opened below a file")
	}
	s := Detached(dir, quietly, err)
	check(t, s, "anything", false)
	if _, ok, err := s.Blob([]byte("blob")); ok || err != nil {
		t.Errorf("blob: %v, %v", ok, err)
	}
	b := s.NewBatch()
	if err := errors.Join(b.SetBlob([]byte("blob"), noise(10)), b.Delete(nil), b.DeletePrefix([]byte("b"))); err != nil || b.Len() != 0 {
		t.Errorf("batch: %v", err)
	}
	if b.Commit() == nil || s.Flush() == nil || s.DiskBytes() != 0 || s.Renew(0) == nil {
		t.Error("it takes writes")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Renew(0), setKey(s, "first"), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// A store that was given up changes nothing in the folder.
func TestFence(t *testing.T) {
	dir := t.TempDir()
	f := newFence(vfs.Default)
	name := filepath.Join(dir, "a")
	file, err := f.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write([]byte("one")); err != nil {
		t.Fatal(err)
	}
	f.close()
	_, writeErr := file.Write([]byte("two"))
	_, createErr := f.Create(filepath.Join(dir, "b"), vfs.WriteCategoryUnspecified)
	for what, err := range map[string]error{
		"write": writeErr, "create": createErr, "remove": f.Remove(name), "rename": f.Rename(name, name+"2"),
		"remove all": f.RemoveAll(dir), "link": f.Link(name, name+"3"), "make": f.MkdirAll(dir+"/c", 0o700),
	} {
		if !errors.Is(err, errFenced) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(name); string(b) != "one" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}
