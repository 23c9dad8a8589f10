package indexer

import (
	"context"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// partsOf cuts texts, one part each, without an index.
func partsOf(files [][2]string) (parts []*part) {
	x := &Index{opts: Options{Count: func(b []byte) int { return len(b) / 4 }}}
	for _, f := range files {
		p, _ := x.cut(f[0], []byte(f[1]))
		parts = append(parts, p)
	}
	return parts
}

// TestLayout numbers the files and chunks of parts one after another.
func TestLayout(t *testing.T) {
	parts := partsOf([][2]string{{"a.go", "package a\n\nfunc Kiln() {}\n"}, {"b.go", "package b\n\nfunc Glaze() { Kiln() }\n"}, {"a.go", "package a\n"}})
	parts[0] = parts[0].without(0)
	l := newLayout(parts)
	if l.files() != 3 || l.chunks() != len(parts[0].seg.chunks)+len(parts[1].seg.chunks)+len(parts[2].seg.chunks) {
		t.Errorf("%d files, %d chunks", l.files(), l.chunks())
	}
	if f, ok := l.find("a.go"); !ok || f != 2 || l.path(0) != "" || l.path(1) != "b.go" {
		t.Errorf("a.go is file %d, %t; paths %q, %q", f, ok, l.path(0), l.path(1))
	}
	for c := range l.chunks() {
		p, i, k := l.chunkPart(c)
		if p != l.parts[k] || l.chunkBase[k]+i != c {
			t.Errorf("chunk %d is %d of part %d", c, i, k)
		}
	}
}

// TestSearches finds words and names in parts, without a snapshot.
func TestSearches(t *testing.T) {
	l := newLayout(partsOf([][2]string{{"src/kiln.go", "package a\n\nfunc Kiln() {}\n"}, {"b.go", "package b\n\nfunc Glaze() { Kiln() }\n"}}))
	words := newWordSearch(l)
	if files := words.PathHaving([]string{"kiln"}); !slices.Equal(files, []int{0}) {
		t.Errorf("paths with kiln: %v", files)
	}
	scores, err := words.PathScores(context.Background(), lexical.Query([]byte("kiln")))
	if err != nil || scores[0] <= 0 || scores[1] != 0 {
		t.Errorf("scores of paths %v, %v", scores, err)
	}
	symbols := &SymbolSearch{layout: l, corpus: words.corpus}
	if found := symbols.Definitions("Kiln", 5); len(found) != 1 || found[0].Path != "src/kiln.go" || found[0].Line != 2 {
		t.Errorf("definitions %+v", found)
	}
	if !symbols.Refers(1, "Kiln") || symbols.Refers(0, "Glaze") {
		t.Error("b.go refers to Kiln, and nothing to Glaze")
	}
	vectors := &VectorSearch{layout: l}
	if ready, pending := vectors.Embedded(); ready || pending != l.chunks() {
		t.Errorf("ready %t, %d pending", ready, pending)
	}
}
