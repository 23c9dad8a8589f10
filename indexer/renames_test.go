package indexer

import (
	"slices"
	"strings"
	"testing"
)

func TestTakeRenames(t *testing.T) {
	w := newWorkspace(t)
	const body = "package p\n\n// One is one, and has enough text to be told from others.\nfunc One() {}\n"
	twin := strings.ReplaceAll(body, "One", "Twin")
	for path, text := range map[string]string{
		"a/one.go": body, "a/two.go": strings.ReplaceAll(body, "One", "Two"), "a/empty.go": "package p\n", "a/twin.go": twin, "b/twin.go": twin,
		"stays.go": strings.ReplaceAll(body, "One", "Stays"),
	} {
		w.write(path, text)
	}
	dir := t.TempDir()
	x := w.open(dir)
	settle(t, x)
	if got := x.TakeRenames(); len(got) != 0 {
		t.Errorf("at first %v", got)
	}
	shut(t, x)
	w.rename("a/one.go", "deep/below/one.go")
	w.rename("a/two.go", "deep/two.md")     // another kind of file is another file
	w.rename("a/empty.go", "deep/empty.go") // too little content
	w.rename("a/twin.go", "deep/twin.go")
	w.remove("b/twin.go")
	w.write("copy.go", strings.ReplaceAll(body, "One", "Stays"))
	x = w.open(dir)
	defer shut(t, x)
	settle(t, x)
	if got, want := x.TakeRenames(), []Rename{{"a/one.go", "deep/below/one.go"}}; !slices.Equal(got, want) {
		t.Errorf("renames %v, want %v", got, want)
	}
	if got := x.TakeRenames(); len(got) != 0 {
		t.Errorf("taken twice: %v", got)
	}
	var r renames
	for range maxRenames + 5 {
		r.add("x", "y")
	}
	if len(r.list) != maxRenames {
		t.Errorf("%d renames wait", len(r.list))
	}
}

func TestFileSymbols(t *testing.T) {
	w := newWorkspace(t)
	w.write("pool.go", "package p\n\ntype Pool struct {\n\tsize int\n}\n\nfunc (p *Pool) Get() int { return p.size }\n\nfunc Get() {}\n")
	w.write("other.go", "package p\n\nfunc Get2() {}\n\ntype Pool2 struct{}\n\nfunc (Pool2) Get() {}\n")
	x := w.index()
	s, release := x.Snapshot()
	defer release()
	names := func(s *Snapshot, path string) string {
		f, ok := s.File(path)
		if !ok {
			t.Fatalf("%s is not indexed", path)
		}
		var out []string
		for _, y := range s.Symbols().InFile(f) {
			if y.Path != path {
				t.Errorf("%+v is of another file", y)
			}
			if y.Kind != "field" {
				out = append(out, strings.TrimPrefix(y.Container+"."+y.Name, "."))
			}
		}
		return strings.Join(out, " ")
	}
	if got := names(s, "pool.go"); got != "Pool Pool.Get Get" {
		t.Errorf("pool.go defines %s", got)
	}
	if got := names(s, "other.go"); got != "Get2 Pool2 Pool2.Get" {
		t.Errorf("other.go defines %s", got)
	}
	with := x.With(t.Context(), s, NewOverlay(), []Buffer{{Path: "pool.go", Text: []byte("package p\n\nfunc Unsaved() {}\n")}})
	if got := names(with, "pool.go"); got != "Unsaved" {
		t.Errorf("with unsaved text pool.go defines %s", got)
	}
}
