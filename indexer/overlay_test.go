package indexer

import (
	"context"
	"os"
	"strings"
	"testing"
)

func TestOverlay(t *testing.T) {
	w := newWorkspace(t)
	w.fill(random(20), 30)
	w.write("main.go", "package main\n\nfunc OnDisk() {}\n")
	x := w.index()
	base := x.current.Load()
	o := NewOverlay()
	ctx := context.Background()
	with := func(buffers ...Buffer) *Snapshot { return x.With(ctx, base, o, buffers) }

	s := with(Buffer{Path: "main.go", Text: []byte("package main\n\nfunc Unsaved() {}\n")})
	if len(s.Symbols().Definitions("Unsaved", 5)) != 1 || len(s.Symbols().Definitions("OnDisk", 5)) != 0 {
		t.Error("the buffer does not stand in its file's place")
	}
	if len(keywordHits(t, s, "unsaved")) == 0 || len(keywordHits(t, s, "OnDisk")) != 0 {
		t.Error("the buffer's words are not those that are found")
	}
	if s.LiveFiles() != base.LiveFiles() {
		t.Errorf("%d files, %d without the buffer", s.LiveFiles(), base.LiveFiles())
	}
	f, _ := s.File("main.go")
	first, _ := s.FileChunks(f)
	c, text, gate := s.NewReader().Chunk(first)
	if gate != "" || !strings.Contains(string(text), "Unsaved") || c.Path != "main.go" {
		t.Errorf("the buffer reads as %q, gate %q", text, gate)
	}
	if got, _ := s.NewReader().File(f); !strings.Contains(string(got), "Unsaved") {
		t.Errorf("the buffer's whole text is %q", got)
	}
	if len(base.Symbols().Definitions("OnDisk", 5)) != 1 || len(base.Symbols().Definitions("Unsaved", 5)) != 0 {
		t.Error("the snapshot below changed")
	}
	if ready, pending := s.Vectors().Embedded(); !ready || pending != 0 {
		t.Errorf("the buffer has no vectors: %v, %d", ready, pending)
	}

	s = with(Buffer{Path: "untitled:1", Text: []byte("func Nowhere() {}\n")}, Buffer{Path: "sub/new.py", Text: []byte("def fresh_start():\n    pass\n")})
	if _, ok := s.File("untitled:1"); !ok || len(s.Symbols().Definitions("fresh_start", 5)) != 1 || s.LiveFiles() != base.LiveFiles()+2 {
		t.Errorf("buffers without a file: %d files", s.LiveFiles())
	}
	s = with(Buffer{Path: "a.ipynb", Text: []byte("{\"cells\": [\n{\"cell_type\": \"code\", \"outputs\": [\"Output\"],\n\"source\": [\n\"def in_a_cell():\\n\",\n\"  pass\"]}],\n\"metadata\": {}}")})
	if d := s.Symbols().Definitions("in_a_cell", 5); len(d) != 1 || d[0].Line != 3 || len(keywordHits(t, s, "Output")) != 0 {
		t.Errorf("a notebook's buffer defines %+v", d)
	}
	if len(s.Symbols().Definitions("Unsaved", 5)) != 0 || len(s.Symbols().Definitions("OnDisk", 5)) != 1 {
		t.Error("a closed buffer is still there")
	}
	if s := with(); s != base {
		t.Error("without buffers it is not the snapshot itself")
	}
	onDisk, err := os.ReadFile(w.abs("main.go"))
	w.must(err)
	if s := with(Buffer{Path: "main.go", Text: onDisk}); s != base {
		t.Error("a buffer equal to what is indexed costs something")
	}
}

// A snapshot with buffers has the same answers as an index of a tree in which they are saved.
func TestOverlayEqualsSaved(t *testing.T) {
	w := newWorkspace(t)
	r := random(21)
	paths := w.fill(r, 30)
	x := w.index()
	var buffers []Buffer
	for _, p := range append(paths[:6:6], "brand/new.go", "brand/new.md") {
		buffers = append(buffers, Buffer{Path: p, Text: []byte(sourceText(r, p))})
	}
	buffers = append(buffers, Buffer{Path: paths[7], Text: nil})
	s := x.With(context.Background(), x.current.Load(), NewOverlay(), buffers)
	for _, b := range buffers {
		w.write(b.Path, string(b.Text))
	}
	if err := sameAnswers(t, s, w.index().current.Load()); err != nil {
		t.Error(err)
	}
}

// The overlay caches its cuts: an unchanged buffer is not cut again, a changed one is.
func TestOverlayKeepsItsCuts(t *testing.T) {
	w := newWorkspace(t)
	w.write("a.go", "package a\n")
	x := w.index()
	o := NewOverlay()
	buffer := Buffer{Path: "a.go", Text: []byte("package a\n\nfunc One() {}\n")}
	x.With(context.Background(), x.current.Load(), o, []Buffer{buffer})
	first := o.buffers["a.go"].part
	x.With(context.Background(), x.current.Load(), o, []Buffer{buffer})
	if o.buffers["a.go"].part != first {
		t.Error("an unchanged buffer was cut again")
	}
	buffer.Text = []byte("package a\n\nfunc Two() {}\n")
	if s := x.With(context.Background(), x.current.Load(), o, []Buffer{buffer}); len(s.Symbols().Definitions("Two", 1)) != 1 {
		t.Error("a changed buffer was not cut again")
	}
	x.With(context.Background(), x.current.Load(), o, nil)
	if len(o.buffers) != 0 {
		t.Error("closed buffers are kept")
	}
}

// Every live file has its class once, with any buffers in place of files and any number of workers.
func TestClassesOfOverlays(t *testing.T) {
	w := newWorkspace(t)
	paths := w.fill(random(92), 30)
	x := w.index()
	s, release := x.Snapshot()
	defer release()
	for _, buffers := range [][]Buffer{
		nil,
		{{Path: paths[3], Text: []byte("package a\n\nfunc Changed() {}\n")}},
		{{Path: paths[3], Text: []byte("package a\n\nfunc Changed() {}\n")}, {Path: "new.go", Text: []byte("package a\n\nfunc New() {}\n")}},
	} {
		o := x.With(context.Background(), s, NewOverlay(), buffers)
		classify := func(path, _ string) uint8 { return uint8(len(path)) }
		seen := map[string]int{}
		o.Classes(4, classify, func(_ int, f ClassifiedFile) {
			path := o.Path(f.File)
			if class, live := o.Class(f.File, classify); f.Class != uint8(len(path)) || class != f.Class || !live {
				t.Errorf("%q has class %d, or %d, %v", path, f.Class, class, live)
			}
			if first, end := o.FileChunks(f.File); f.First != first || f.End != end {
				t.Errorf("%q has the chunks from %d to %d, want %d to %d", path, f.First, f.End, first, end)
			}
			seen[path]++
		})
		o.Paths(func(_ int, path string) {
			if seen[path] != 1 {
				t.Errorf("%s comes %d times", path, seen[path])
			}
		})
		if len(seen) != o.LiveFiles() {
			t.Errorf("%d files, want %d", len(seen), o.LiveFiles())
		}
	}
}
