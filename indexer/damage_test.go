package indexer

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/indexer/store"
)

// A damaged index is rebuilt automatically and reported once; the next start reports nothing.
func TestDamagedIndex(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(30), 60)
	origin := t.TempDir()
	x := w.open(origin)
	settle(t, x)
	before := x.current.Load()
	shut(t, x)
	for name, damage := range map[string]func(t *testing.T, dir string){
		"bytes of tables flipped": func(t *testing.T, dir string) {
			each(t, dir, "*.sst", func(b []byte) []byte {
				for i := 20; i < len(b); i += 50 {
					b[i] ^= 0xff
				}
				return b
			})
		},
		"tables cut":    func(t *testing.T, dir string) { each(t, dir, "*.sst", func(b []byte) []byte { return b[:len(b)/3] }) },
		"tables gone":   func(t *testing.T, dir string) { each(t, dir, "*.sst", nil) },
		"manifest gone": func(t *testing.T, dir string) { each(t, dir, "MANIFEST-*", nil) },
		"manifest cut": func(t *testing.T, dir string) {
			each(t, dir, "MANIFEST-*", func(b []byte) []byte { return b[:len(b)/2] })
		},
		"garbage in the folder": func(t *testing.T, dir string) {
			each(t, dir, "*", func([]byte) []byte { return []byte("\x00garbage") })
		},
		"a segment is missing": stored(func(b *store.Batch) error {
			return b.DeletePrefix(keySegment)
		}),
		"a segment is garbage": stored(func(b *store.Batch) error {
			for id := range uint64(9) {
				if err := b.SetBlob(segmentKey(id), []byte("garbage")); err != nil {
					return err
				}
			}
			return nil
		}),
		"a file's record is garbage": stored(func(b *store.Batch) error { return b.Set(fileKey("ghost.go"), []byte("\xff")) }),
		"a file's place is taken": stored(func(b *store.Batch) error {
			return b.Set(fileKey("ghost.go"), fileState{segment: 1, index: 1 << 40}.marshal())
		}),
		"the state is garbage": stored(func(b *store.Batch) error { return b.Set(keyState, []byte("\xff\xff\xff")) }),
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "index")
			w := workspace{t, w.dir}
			w.must(os.CopyFS(dir, os.DirFS(origin)))
			damage(t, dir)
			x := w.open(dir)
			settle(t, x)
			if err := sameAnswers(t, x.current.Load(), before); err != nil {
				t.Error(err)
			}
			said := 0
			for _, e := range x.Status().Errors {
				if strings.Contains(e, "damaged") && strings.Contains(e, "rebuilt") {
					said++
				}
			}
			want := 1
			if name == "manifest cut" { // as after a crash: an older state, which is no damage
				want = 0
			}
			if said != want || len(x.Status().Errors) != want {
				t.Errorf("said %q", x.Status().Errors)
			}
			shut(t, x)
			x = w.open(dir)
			defer shut(t, x)
			settle(t, x)
			if st := x.Status(); len(st.Errors) != 0 || st.Parsed != 0 {
				t.Errorf("the start after the damage: %+v", st)
			}
		})
	}
}

// each changes the files that match, or removes them where change is nil.
func each(t *testing.T, dir, pattern string, change func([]byte) []byte) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(list) == 0 {
		t.Fatalf("no %s: %v", pattern, err)
	}
	for _, name := range list {
		if info, err := os.Stat(name); err != nil || info.IsDir() {
			continue
		}
		b, err := os.ReadFile(name)
		if err == nil && change == nil {
			err = os.Remove(name)
		} else if err == nil {
			err = os.WriteFile(name, change(b), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// stored changes the store's data.
func stored(change func(b *store.Batch) error) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		db, err := store.Open(dir, discard)
		if err != nil {
			t.Fatal(err)
		}
		b := db.NewBatch()
		for _, err := range []error{change(b), b.Commit(), db.Close()} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// An index with an older or a newer format is rebuilt without a message, because nothing is wrong.
func TestOtherFormat(t *testing.T) {
	for name, format := range map[string][]byte{"older": {formatVersion - 1}, "newer": {formatVersion + 1}, "strange": []byte("three"), "none": nil} {
		t.Run(name, func(t *testing.T) {
			w := newWorkspace(t)
			w.fill(random(31), 20)
			dir := t.TempDir()
			x := w.open(dir)
			settle(t, x)
			want := x.current.Load()
			shut(t, x)
			stored(func(b *store.Batch) error {
				if format == nil {
					return b.Delete(keyFormat)
				}
				return b.Set(keyFormat, format)
			})(t, dir)
			x = w.open(dir)
			defer shut(t, x)
			settle(t, x)
			if st := x.Status(); st.Parsed != 20 || len(st.Errors) != 0 {
				t.Errorf("status %+v", st)
			}
			if err := sameAnswers(t, x.current.Load(), want); err != nil {
				t.Error(err)
			}
		})
	}
}

// The folder of a running index is removed: searches continue, and the process does not crash.
func TestFolderDeletedWhileRunning(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(32), 30)
	dir := filepath.Join(t.TempDir(), "index")
	x := w.open(dir, watched)
	settle(t, x)
	for os.RemoveAll(dir) != nil { // the store may still be writing
		runtime.Gosched()
	}
	w.write("after.go", "package after\n\nfunc After() {}\n")
	s := until(t, x, "a file written afterwards", has("after.go"))
	if len(s.Symbols().Definitions("After", 1)) != 1 {
		t.Error("not answered")
	}
	if err := x.Close(); err != nil {
		t.Logf("close: %v", err)
	}
	x = w.open(dir)
	defer shut(t, x)
	if err := x.Wait(context.Background()); err != nil || x.Status().Files != 31 {
		t.Errorf("afterwards %v, %+v", err, x.Status())
	}
}
