package retrieve

import (
	"cmp"
	"slices"

	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/indexer"
)

// DefinitionLines returns the lines of a file's functions and types, an outer one before those
// within it.
func DefinitionLines(s *indexer.Snapshot, file int) (out []cut.Range) {
	for _, y := range s.FileSymbols(file) {
		if IsCallable(y) || slices.Contains(typeKinds, y.Kind) {
			out = append(out, cut.Range{First: y.Line, Last: max(y.Line, y.EndLine)})
		}
	}
	slices.SortFunc(out, func(x, y cut.Range) int { return cmp.Or(x.First-y.First, y.Last-x.Last) })
	return slices.Compact(out)
}
