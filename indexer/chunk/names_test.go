package chunk

import (
	"slices"
	"testing"
)

// TestNamer: chunks are named by the symbols of the file alone, without a tree.
func TestNamer(t *testing.T) {
	src := []byte("type A\n  one\n  two\nend\n\nother line\n")
	var l lines
	l.index(src)
	file := &File{Symbols: []Symbol{
		{Name: "A", Kind: "class", Start: 0, End: 22, Line: 0, EndLine: 3},
		{Name: "one", Kind: "method", Container: "A", Start: 9, End: 12, Line: 1, EndLine: 1},
		{Name: "two", Kind: "method", Container: "A", Start: 15, End: 18, Line: 2, EndLine: 2},
	}}
	for _, tt := range []struct {
		from, to int
		kind     Kind
		title    string
		symbols  []string
		around   []string
	}{
		{0, 3, KindType, "class A", []string{"A", "one", "two"}, nil},
		{1, 2, KindBlock, "method A.one, method A.two", []string{"one", "two"}, []string{"A"}},
		{2, 2, KindMethod, "method A.two", []string{"two"}, []string{"A"}},
		{5, 5, KindParagraph, "other line", nil, nil},
	} {
		n := namer{src: src, lines: &l, file: file, groups: []group{{symbol: -1}}}
		span := l.span(tt.from, tt.to)
		ch := Chunk{Start: span.Start, End: span.End, StartLine: tt.from, EndLine: tt.to}
		n.name(&ch, draft{})
		if ch.Kind != tt.kind || ch.Title != tt.title || !slices.Equal(ch.Symbols, tt.symbols) || !slices.Equal(ch.Enclosing, tt.around) {
			t.Errorf("lines %d to %d: %v %q %q in %q", tt.from, tt.to, ch.Kind, ch.Title, ch.Symbols, ch.Enclosing)
		}
	}
}
