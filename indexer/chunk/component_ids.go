package chunk

import (
	"bytes"
	"slices"
	"sort"
)

// identify records the element that a template names by a value that is no expression.
func (m *markup) identify(name string, open, end int) {
	value := m.src[open+1 : end]
	if name != "id" || len(value) == 0 || len(value) > maxName || bytes.ContainsAny(value, "{}<> \t\r\n") {
		return
	}
	start := max(bytes.LastIndexByte(m.src[:open], '<'), 0)
	m.ids = append(m.ids, Symbol{Name: string(bytes.ToValidUTF8(value, nil)), Kind: "key", Start: start, End: end + 1})
}

// mark adds the named elements of a template, which the script has not.
func (f *File) mark(ids []Symbol, lines *lines) {
	for _, s := range ids {
		s.Line, s.EndLine = lines.of(s.Start), lines.of(s.End-1)
		at := sort.Search(len(f.Symbols), func(i int) bool { return f.Symbols[i].Start > s.Start })
		f.Symbols = slices.Insert(f.Symbols, at, s)
	}
	for i := range f.Chunks {
		c := &f.Chunks[i]
		for _, s := range ids {
			if c.Start <= s.Start && s.Start < c.End {
				c.Symbols = append(c.Symbols, s.Name)
			}
		}
	}
}
