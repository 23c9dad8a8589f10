package indexer

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// inFiles stores every segment in a file, however small.
func inFiles(o *Options) { o.mapped = 1 }

// sameMeaning compares the cosines of two indexes of one tree.
func sameMeaning(t *testing.T, got, want *Snapshot) error {
	t.Helper()
	for _, q := range queries {
		if err := sameHits(meaningHits(t, got, q), meaningHits(t, want, q)); err != nil {
			return fmt.Errorf("query %q: %w", q, err)
		}
	}
	return nil
}

// An index in files has the same answers as one in memory: when it is built, after changes, and at
// the next start.
func TestMappedIndexIsTheSame(t *testing.T) {
	r := random(60)
	w := newWorkspace(t)
	paths := w.fill(r, 120)
	dir, plain := t.TempDir(), t.TempDir()
	x, y := w.open(dir, inFiles), w.open(plain)
	compare := func(when string) {
		t.Helper()
		settle(t, x)
		settle(t, y)
		got, want := x.current.Load(), y.current.Load()
		for _, p := range got.layout.parts {
			if p.seg.file == nil || p.vec != nil && p.vec.file == nil {
				t.Fatalf("%s: a segment lies in memory", when)
			}
		}
		for _, p := range want.layout.parts {
			if len(p.mappedFiles()) > 0 {
				t.Fatalf("%s: a segment lies in a file", when)
			}
		}
		if err := sameAnswers(t, got, want); err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if err := sameMeaning(t, got, want); err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		got.layout.releaseFiles()
		if err := sameAnswers(t, got, want); err != nil {
			t.Fatalf("%s, after its memory was handed back: %v", when, err)
		}
	}
	compare("cold")
	for round := range 12 {
		for range 1 + r.IntN(30) {
			p := paths[r.IntN(len(paths))]
			w.write(p, sourceText(r, p))
		}
		w.remove(paths[r.IntN(len(paths))])
		for _, x := range []*Index{x, y} {
			if err := x.do(context.Background(), x.w.syncAll); err != nil {
				t.Fatal(err)
			}
		}
		compare(fmt.Sprintf("round %d", round))
	}
	shut(t, x)
	shut(t, y)
	x, y = w.open(dir, inFiles), w.open(plain)
	defer shut(t, x)
	defer shut(t, y)
	compare("restart")
	if st := x.Status(); st.Parsed != 0 || st.Embedded != 0 || len(st.Errors) != 0 {
		t.Errorf("the next start: %+v", st)
	}
	if err := onlyUsedFiles(x, dir); err != nil {
		t.Error(err)
	}
}

// onlyUsedFiles compares the files in an index's folder with those that its state refers to.
func onlyUsedFiles(x *Index, dir string) error {
	want := map[string]bool{}
	for _, p := range x.current.Load().layout.parts {
		for _, f := range p.mappedFiles() {
			want[f.Name()] = true
		}
	}
	var found []string
	for _, pattern := range []string{"*" + segmentExt, "*" + vectorExt, "*.tmp"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		found = append(found, names...)
	}
	for _, name := range found {
		if !want[filepath.Base(name)] {
			return fmt.Errorf("%s is left over", name)
		}
	}
	if len(found) != len(want) || len(want) == 0 {
		return fmt.Errorf("%d files, want %d", len(found), len(want))
	}
	return nil
}

// Damage of a segment's file rebuilds the index, which is reported once; damage of its vectors
// rebuilds the vectors alone.
func TestDamagedFiles(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(61), 60)
	origin := t.TempDir()
	x := w.open(origin, inFiles)
	settle(t, x)
	before := x.current.Load()
	shut(t, x)
	for name, tt := range map[string]struct {
		pattern string
		change  func([]byte) []byte
		said    int
	}{
		"segment cut":     {"*" + segmentExt, func(b []byte) []byte { return b[:len(b)/2] }, 1},
		"segment emptied": {"*" + segmentExt, func([]byte) []byte { return nil }, 1},
		"segment flipped": {"*" + segmentExt, func(b []byte) []byte { b[len(b)/3] ^= 1; return b }, 1},
		"segment gone":    {"*" + segmentExt, nil, 1},
		"vectors cut":     {"*" + vectorExt, func(b []byte) []byte { return b[:len(b)/2] }, 0},
		"vectors flipped": {"*" + vectorExt, func(b []byte) []byte { b[len(b)/3] ^= 1; return b }, 0},
		"vectors gone":    {"*" + vectorExt, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "index")
			w := workspace{t, w.dir}
			w.must(os.CopyFS(dir, os.DirFS(origin)))
			w.must(os.WriteFile(filepath.Join(dir, "7-left"+segmentExt), []byte("left by a crash"), 0o600))
			each(t, dir, tt.pattern, tt.change)
			x := w.open(dir, inFiles)
			settle(t, x)
			got := x.current.Load()
			if err := sameAnswers(t, got, before); err != nil {
				t.Error(err)
			}
			if err := sameMeaning(t, got, before); err != nil {
				t.Error(err)
			}
			st := x.Status()
			if len(st.Errors) != tt.said || tt.said == 1 && !strings.Contains(st.Errors[0], "damaged") || (st.Parsed > 0) != (tt.said == 1) {
				t.Errorf("said %q, %d files parsed", st.Errors, st.Parsed)
			}
			if err := onlyUsedFiles(x, dir); err != nil {
				t.Error(err)
			}
			shut(t, x)
			x = w.open(dir, inFiles)
			defer shut(t, x)
			settle(t, x)
			if st := x.Status(); len(st.Errors) != 0 || st.Parsed != 0 || st.Embedded != 0 {
				t.Errorf("the start after the damage: %+v", st)
			}
		})
	}
}

// A store that names a file of another folder is treated as damaged.
func TestNamesOfFilesStayInside(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(62), 10)
	dir := t.TempDir()
	x := w.open(dir, inFiles)
	settle(t, x)
	id := x.current.Load().layout.parts[0].seg.id
	b := x.w.disk.db.NewBatch()
	w.must(b.Set(segmentFileKey(id), []byte("../"+filepath.Base(dir)+"/"+x.current.Load().layout.parts[0].seg.file.Name())))
	w.must(b.Commit())
	shut(t, x)
	x = w.open(dir, inFiles)
	defer shut(t, x)
	settle(t, x)
	if st := x.Status(); st.Parsed != 10 || len(st.Errors) != 1 {
		t.Errorf("status %+v", st)
	}
}

// A held snapshot has the same answers whatever happens to its files; files that no snapshot holds
// are unmapped.
func TestHeldSnapshotStaysMapped(t *testing.T) {
	r := random(63)
	w := newWorkspace(t)
	paths := w.fill(r, 40)
	dir := t.TempDir()
	x := w.open(dir, inFiles)
	defer shut(t, x)
	settle(t, x)
	held, release := x.Snapshot()
	before := content(held)
	for range 3 {
		for _, p := range paths {
			w.write(p, sourceText(r, p))
		}
		w.must(x.do(context.Background(), x.w.syncAll))
		settle(t, x)
		runtime.GC()
	}
	if content(held) != before {
		t.Error("a snapshot that is held has changed")
	}
	release()
	gone := func() bool {
		runtime.GC()
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			return true // another system
		}
		for line := range bytes.Lines(maps) {
			if bytes.Contains(line, []byte(dir)) && bytes.Contains(line, []byte("(deleted)")) {
				return false
			}
		}
		return true
	}
	for deadline := time.Now().Add(patience); !gone(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("files that nobody holds stay mapped")
		}
	}
}

// The folder of a running index is removed: the content of its files can still be searched.
func TestFolderOfFilesDeletedWhileRunning(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(64), 30)
	dir := filepath.Join(t.TempDir(), "index")
	x := w.open(dir, inFiles, watched)
	settle(t, x)
	before := content(x.current.Load())
	for os.RemoveAll(dir) != nil { // the store may still be writing
		runtime.Gosched()
	}
	x.current.Load().layout.releaseFiles()
	if content(x.current.Load()) != before {
		t.Error("the answers went with the folder")
	}
	w.write("after.go", "package after\n\nfunc After() {}\n")
	until(t, x, "a file written afterwards", has("after.go"))
	if err := x.Close(); err != nil {
		t.Logf("close: %v", err)
	}
	x = w.open(dir, inFiles)
	defer shut(t, x)
	settle(t, x)
	if x.Status().Files != 31 {
		t.Errorf("afterwards %+v", x.Status())
	}
}

// Memory is released some time after the last reader has ended, and not before.
func TestReadersKeepMemory(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(65), 10)
	x := w.index(inFiles)
	x.w.mapped.Store(restBytes)
	_, first := x.Snapshot()
	_, second := x.Snapshot()
	armed := func() bool {
		x.resting.mu.Lock()
		defer x.resting.mu.Unlock()
		return x.resting.timer != nil && x.resting.timer.Stop()
	}
	first()
	first() // a second release by the same reader
	if armed() {
		t.Error("memory is to be handed back while a request reads")
	}
	second()
	if !armed() {
		t.Error("memory is not handed back")
	}
	_, third := x.Snapshot()
	x.rest() // the timer fired at the same moment
	third()
	if !armed() {
		t.Error("memory is not handed back after another request")
	}
}

// Truncating the files of a running index fails no request permanently: the index is rebuilt, and
// the status reports it.
func TestFilesCutWhileRunning(t *testing.T) {
	r := random(66)
	for _, share := range []int{0, 3, 50, 90} {
		t.Run(fmt.Sprintf("to %d percent", share), func(t *testing.T) {
			w := newWorkspace(t)
			w.fill(r, 150)
			dir := t.TempDir()
			x := w.open(dir, inFiles)
			defer shut(t, x)
			settle(t, x)
			before := x.current.Load()
			want := w.index().current.Load()
			for _, pattern := range []string{"*" + segmentExt, "*" + vectorExt} {
				names, err := filepath.Glob(filepath.Join(dir, pattern))
				if err != nil || len(names) == 0 {
					t.Fatalf("no %s: %v", pattern, err)
				}
				for _, name := range names {
					info, err := os.Stat(name)
					w.must(err)
					w.must(os.Truncate(name, info.Size()*int64(share)/100))
				}
			}
			if len(before.layout.parts[0].mappedFiles()) == 0 {
				t.Fatal("nothing lies in files")
			}
			until(t, x, "the index rebuilt", func(*Snapshot) bool {
				s, release := x.Snapshot()
				content(s)
				for _, q := range queries {
					keywordHits(t, s, q)
					meaningHits(t, s, q)
				}
				release()
				return s.version > before.version && idle(x) && !anyDamaged(s.layout.parts) && s.LiveFiles() == 150
			})
			settle(t, x)
			if err := sameAnswers(t, x.current.Load(), want); err != nil {
				t.Error(err)
			}
			if errs := x.Status().Errors; len(errs) != 1 || !strings.Contains(errs[0], "damaged") {
				t.Errorf("said %q", errs)
			}
		})
	}
}
