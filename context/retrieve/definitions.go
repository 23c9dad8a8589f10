package retrieve

import (
	"bytes"
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/indexer"
)

// mostBefore is how many lines of decorators, attributes and annotations may stand before the line
// with a definition's name.
const mostBefore = 6

// NamedAt returns the line that has the name of a definition, which begins at a line; that line if
// none of the next ones has it.
func NamedAt(lines [][]byte, first int, name string) int {
	for n := first; name != "" && n < min(first+mostBefore, len(lines)); n++ {
		if hasWord(lines[n], name) {
			return n
		}
	}
	return first
}

// HasName reports whether a line has a name that is no part of a longer one.
func HasName(line, name string) bool { return hasWord([]byte(line), name) }

// hasWord reports whether a name stands in a line, and not as a part of another.
func hasWord(line []byte, name string) bool {
	for at := 0; ; {
		i := bytes.Index(line[at:], []byte(name))
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRune(line[:at+i])
		after, _ := utf8.DecodeRune(line[at+i+len(name):])
		if !isNameRune(before) && !isNameRune(after) {
			return true
		}
		at += i + len(name)
	}
}

// DefinitionLines returns the functions and types of a file, whose lines are given, an outer one
// before those within it.
func DefinitionLines(s *indexer.Snapshot, file int, lines [][]byte) (out []cut.Definition) {
	for _, y := range s.Symbols().InFile(file) {
		if IsCallable(y) || slices.Contains(typeKinds, y.Kind) {
			d := cut.Definition{Range: cut.Range{First: y.Line, Last: max(y.Line, y.EndLine)}}
			d.Named = min(NamedAt(lines, d.First, y.Name), d.Last)
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(x, y cut.Definition) int { return cmp.Or(x.First-y.First, y.Last-x.Last) })
	return slices.CompactFunc(out, func(x, y cut.Definition) bool { return x.Range == y.Range })
}
