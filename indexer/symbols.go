package indexer

import (
	"cmp"
	"slices"
	"sort"
)

// FileSymbols gives the definitions of a file in the order of their lines, an outer one before what it holds. The
// file's chunks tell their names, so that not all definitions of the segment are looked at.
func (s *Snapshot) FileSymbols(file int) []Symbol {
	k := sort.SearchInts(s.fileBase, file+1) - 1
	seg, own := s.parts[k].seg, uint32(file-s.fileBase[k])
	first, end := seg.fileChunks(int(own))
	seen := map[string]bool{}
	var out []Symbol
	for c := first; c < end; c++ {
		_, _, enclosing, names := splitInfo(seg.info.at(c))
		for _, name := range append(names, enclosing...) {
			if seen[name] {
				continue
			}
			seen[name] = true
			n := seg.names.find(name)
			if n < 0 {
				continue
			}
			same := seg.symbols[seg.symStart[n]:seg.symStart[n+1]]
			at := sort.Search(len(same), func(i int) bool { return same[i].File >= own })
			for ; at < len(same) && same[at].File == own; at++ {
				out = append(out, s.symbol(k, same[at]))
			}
		}
	}
	slices.SortFunc(out, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(b.EndLine, a.EndLine), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
	})
	return out
}
