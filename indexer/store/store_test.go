package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func commit(t *testing.T, s *Store, fill func(b *Batch) error) {
	t.Helper()
	b := s.NewBatch()
	if err := errors.Join(fill(b), b.Commit()); err != nil {
		t.Fatal(err)
	}
}

func closeStore(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func noise(n int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return out
}

func TestBlobs(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	sizes := []int{0, 1, blobPiece - 1, blobPiece, blobPiece + 1, 3*blobPiece + 17}
	for _, n := range sizes {
		commit(t, s, func(b *Batch) error { return b.SetBlob(fmt.Appendf(nil, "s/%08d", n), noise(n)) })
	}
	check := func() {
		t.Helper()
		for _, n := range sizes {
			got, ok, err := s.Blob(fmt.Appendf(nil, "s/%08d", n))
			if err != nil || !ok || !bytes.Equal(got, noise(n)) {
				t.Errorf("blob of %d bytes: %d bytes, %v, %v", n, len(got), ok, err)
			}
		}
	}
	check()
	closeStore(t, s)
	s = open(t, dir)
	defer closeStore(t, s)
	check()
	if _, ok, err := s.Blob([]byte("s/none")); ok || err != nil {
		t.Errorf("a blob that is not there: %v, %v", ok, err)
	}
	commit(t, s, func(b *Batch) error { return b.DeletePrefix(fmt.Appendf(nil, "s/%08d", sizes[5])) })
	if _, ok, err := s.Blob(fmt.Appendf(nil, "s/%08d", sizes[5])); ok || err != nil {
		t.Errorf("a deleted blob: %v, %v", ok, err)
	}
}

func TestDamagedBlob(t *testing.T) {
	head := func(key string) []byte { return append([]byte(key), 0) }
	piece := func(key string, i byte) []byte { return append([]byte(key), 1, 0, 0, 0, i) }
	for name, damage := range map[string]func(b *Batch, key string) error{
		"a piece is missing": func(b *Batch, key string) error { return b.Delete(piece(key, 1)) },
		"a piece is other":   func(b *Batch, key string) error { return b.Set(piece(key, 0), noise(blobPiece)) },
		"a piece too many":   func(b *Batch, key string) error { return b.Set(piece(key, 9), []byte("x")) },
		"its header is cut":  func(b *Batch, key string) error { return b.Set(head(key), []byte("short")) },
		"its size is absurd": func(b *Batch, key string) error { return b.Set(head(key), bytes.Repeat([]byte{0xff}, 16)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir())
			defer closeStore(t, s)
			commit(t, s, func(b *Batch) error { return b.SetBlob([]byte("s/1"), noise(2*blobPiece)) })
			commit(t, s, func(b *Batch) error { return damage(b, "s/1") })
			_, ok, err := s.Blob([]byte("s/1"))
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || ok {
				t.Errorf("found %v, error %v", ok, err)
			}
		})
	}
}

func TestSecondOpener(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	_, err := Open(dir, slog.New(slog.DiscardHandler))
	var locked *LockedError
	if !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.Dir != dir {
		t.Errorf("second opener: %v", err)
	}
	closeStore(t, s)
	closeStore(t, open(t, dir))
	if _, err := os.Stat(filepath.Join(dir, holderFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the holder's note after closing: %v", err)
	}
}

// Flushed data is found when a copy of the folder is opened in the state a crash leaves; so is the
// data of a closed store.
func TestFlushSurvives(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	commit(t, s, func(b *Batch) error { return b.Set([]byte("a"), []byte("flushed")) })
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	crashed := t.TempDir()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if file.Name() == "LOCK" { // holds nothing, and Windows does not let it be read
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(crashed, file.Name()), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	after := open(t, crashed)
	if v, ok, err := after.Get([]byte("a")); string(v) != "flushed" || !ok || err != nil {
		t.Errorf("after a crash: %q, %v, %v", v, ok, err)
	}
	closeStore(t, after)
	commit(t, s, func(b *Batch) error { return b.Set([]byte("b"), []byte("closed")) })
	closeStore(t, s)
	s = open(t, dir)
	defer closeStore(t, s)
	if v, ok, err := s.Get([]byte("b")); string(v) != "closed" || !ok || err != nil {
		t.Errorf("after closing: %q, %v, %v", v, ok, err)
	}
}

func TestScan(t *testing.T) {
	s := open(t, t.TempDir())
	defer closeStore(t, s)
	commit(t, s, func(b *Batch) error {
		for _, k := range []string{"f/b", "f/a\nb", "f/\xff\xff", "f/", "g/x", "e/z", "f/a"} {
			if err := b.Set([]byte(k), []byte("v"+k)); err != nil {
				return err
			}
		}
		return nil
	})
	var keys []string
	err := s.Scan([]byte("f/"), func(k, v []byte) error {
		if string(v) != "vf/"+string(k) {
			t.Errorf("key %q holds %q", k, v)
		}
		keys = append(keys, string(k))
		return nil
	})
	if want := []string{"", "a", "a\nb", "b", "\xff\xff"}; err != nil || !slices.Equal(keys, want) {
		t.Errorf("keys %q, error %v, want %q", keys, err, want)
	}
	stop := errors.New("stop")
	n := 0
	if err := s.Scan([]byte("f/"), func(_, _ []byte) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
		t.Errorf("stopped after %d with %v", n, err)
	}
	commit(t, s, func(b *Batch) error { return b.DeleteBetween([]byte("f/"), []byte("f/b")) })
	if _, ok, err := s.Get([]byte("f/a")); ok || err != nil {
		t.Errorf("a deleted key: %v, %v", ok, err)
	}
	if _, ok, err := s.Get([]byte("f/b")); !ok || err != nil {
		t.Errorf("the key at the end: %v, %v", ok, err)
	}
}

// Compacting keeps the data and frees disk space.
func TestCompact(t *testing.T) {
	s := open(t, t.TempDir())
	defer closeStore(t, s)
	commit(t, s, func(b *Batch) error {
		return errors.Join(b.SetBlob([]byte("s/1"), noise(8<<20)), b.Set([]byte("k"), []byte("v")))
	})
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	before := s.DiskBytes()
	commit(t, s, func(b *Batch) error { return b.DeletePrefix([]byte("s/")) })
	if err := s.Compact(context.Background()); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); s.DiskBytes() > before/4; { // in the background
		if time.Now().After(deadline) {
			t.Fatalf("%d bytes on disk before, %d after", before, s.DiskBytes())
		}
		runtime.Gosched()
	}
	if v, ok, err := s.Get([]byte("k")); string(v) != "v" || !ok || err != nil {
		t.Errorf("kept key: %q, %v, %v", v, ok, err)
	}
}

// A store with damaged files is reported as damaged when opened or read; it never panics, and the
// folder can be removed and opened again at once.
// handles is a file system that counts the files that are open.
type handles struct {
	vfs.FS
	open atomic.Int64
}

type handle struct {
	vfs.File
	of   *handles
	once sync.Once
}

func (h *handle) Close() error {
	h.once.Do(func() { h.of.open.Add(-1) })
	return h.File.Close()
}

func (h *handles) keep(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	h.open.Add(1)
	return &handle{File: f, of: h}, nil
}

func (h *handles) Open(name string, o ...vfs.OpenOption) (vfs.File, error) {
	return h.keep(h.FS.Open(name, o...))
}

func (h *handles) OpenDir(name string) (vfs.File, error) { return h.keep(h.FS.OpenDir(name)) }

func (h *handles) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return h.keep(h.FS.Create(name, c))
}

func (h *handles) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	return h.keep(h.FS.OpenReadWrite(name, c, o...))
}

func TestDamagedFiles(t *testing.T) {
	origin := t.TempDir()
	s := open(t, origin)
	commit(t, s, func(b *Batch) error { return b.SetBlob([]byte("s/1"), noise(4*blobPiece)) })
	closeStore(t, s)
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "index")
			if err := os.CopyFS(dir, os.DirFS(origin)); err != nil {
				t.Fatal(err)
			}
			damage(t, dir)
			disk := &handles{FS: vfs.Default}
			s, err := openOn(disk, dir, slog.New(slog.DiscardHandler))
			if err == nil {
				_, _, err = s.Blob([]byte("s/1"))
				if closeErr := s.Close(); closeErr != nil {
					t.Logf("close: %v", closeErr)
				}
			}
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) {
				t.Errorf("error %v, want one of damage", err)
			}
			if n := disk.open.Load(); n != 0 {
				t.Errorf("%d files are open, which Windows does not remove", n)
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			closeStore(t, open(t, dir))
		})
	}
}

var damages = map[string]func(t *testing.T, dir string){
	"bytes of a table": func(t *testing.T, dir string) {
		change(t, dir, "*.sst", func(b []byte) []byte {
			for i := range b {
				if i%1000 == 500 {
					b[i] ^= 0x55
				}
			}
			return b
		})
	},
	"a table cut":     func(t *testing.T, dir string) { change(t, dir, "*.sst", func(b []byte) []byte { return b[:len(b)/2] }) },
	"a table emptied": func(t *testing.T, dir string) { change(t, dir, "*.sst", func([]byte) []byte { return nil }) },
	"a table gone": func(t *testing.T, dir string) {
		for _, f := range files(t, dir, "*.sst") {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
	},
	"the manifest gone": func(t *testing.T, dir string) {
		for _, f := range files(t, dir, "MANIFEST-*") {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
	},
	"the manifest garbage": func(t *testing.T, dir string) {
		change(t, dir, "MANIFEST-*", func([]byte) []byte { return []byte("garbage") })
	},
	"the options garbage": func(t *testing.T, dir string) {
		change(t, dir, "OPTIONS-*", func([]byte) []byte { return []byte("\x00[garbage") })
	},
}

func files(t *testing.T, dir, pattern string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(list) == 0 {
		t.Fatalf("no %s in %s: %v", pattern, dir, err)
	}
	return list
}

func change(t *testing.T, dir, pattern string, f func([]byte) []byte) {
	t.Helper()
	for _, name := range files(t, dir, pattern) {
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, f(b), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A file in place of the folder.
func TestNoFolder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(name, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("opened a store in a file")
	}
}
