package indexer

import (
	"cmp"
	"slices"
	"sort"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// FileSymbols returns the definitions of a file in the order of their lines, an outer one before
// its members. It finds the names by the file's chunks, so that not all definitions of the segment
// are examined.
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
			same := seg.symbolsOf(n)
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

// LiveChunks returns the number of chunks of live files.
func (s *Snapshot) LiveChunks() int { return s.corpus.LiveDocs }

// TermCount returns the number of chunks with a term (see lexical.Terms), including those of
// removed files.
func (s *Snapshot) TermCount(term string) int { return s.corpus.Count(term) }

// NearTerm returns the term of the workspace with the spelling most similar to one that no chunk
// has, "" for none.
func (s *Snapshot) NearTerm(term string) (near string, likeness float64) { return s.corpus.Near(term) }

// TermChunks calls yield for every chunk with a term, in ascending order, until it returns false.
func (s *Snapshot) TermChunks(term string, yield func(chunk int) bool) { s.corpus.Docs(term, yield) }

// Mentions calls yield for the chunks that may mention a name, in ascending order, until it returns
// false: those with the name's words in files that call, use or define it. A chunk may contain the
// words in another name.
func (s *Snapshot) Mentions(name string, yield func(chunk int) bool) {
	rarest, least := "", 0
	lexical.Terms([]byte(name), func(term string) {
		if n := s.corpus.Count(term); rarest == "" || n < least {
			rarest, least = term, n
		}
	})
	if rarest == "" {
		return
	}
	numbers := make([]int, len(s.parts)) // of the name
	for k, p := range s.parts {
		numbers[k] = p.seg.names.find(name)
	}
	part, file, refers := 0, -1, false
	s.corpus.Docs(rarest, func(c int) bool {
		for c >= s.chunkBase[part+1] {
			part, file = part+1, -1
		}
		seg, n := s.parts[part].seg, numbers[part]
		if n < 0 {
			return true
		}
		if f := int(seg.chunks[c-s.chunkBase[part]].File); f != file {
			file, refers = f, seg.refers(f, n)
		}
		return !refers || yield(c)
	})
}

// Refers reports whether a file calls, uses or defines a name.
func (s *Snapshot) Refers(file int, name string) bool {
	k := sort.SearchInts(s.fileBase, file+1) - 1
	seg, own := s.parts[k].seg, file-s.fileBase[k]
	n := seg.names.find(name)
	return n >= 0 && seg.refers(own, n)
}

// refers reports whether a file calls, uses or defines names[n].
func (s *segment) refers(file, n int) bool {
	same := s.symbolsOf(n)
	at := sort.Search(len(same), func(i int) bool { return int(same[i].File) >= file })
	return at < len(same) && int(same[at].File) == file || s.refersTo(file, n)
}

// Referred calls yield for every name that a file calls or uses, in the order of the names.
func (s *Snapshot) Referred(file int, yield func(name string)) {
	k := sort.SearchInts(s.fileBase, file+1) - 1
	seg := s.parts[k].seg
	seg.fileRefs(file-s.fileBase[k], func(name, _ uint32) { yield(string(seg.names.at(int(name)))) })
}
