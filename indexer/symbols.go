package indexer

import (
	"cmp"
	"slices"
	"sort"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// FileSymbols returns the definitions of a file in the order of their lines, an outer one before
// its members.
func (s *Snapshot) FileSymbols(file int) []Symbol {
	k := s.partOf(file)
	own := s.parts[k].seg.symbolsIn(file - s.fileBase[k])
	out := make([]Symbol, len(own))
	for i, y := range own {
		out[i] = s.symbol(k, s.parts[k].seg.symbols[y])
	}
	return out
}

// symbolsIn returns the symbols of a file, as indices into symbols, in the order of FileSymbols.
func (s *segment) symbolsIn(file int) []uint32 {
	s.byFileOnce.Do(s.sortByFile)
	return s.byFile[s.byFileStart[file]:s.byFileStart[file+1]]
}

// sortByFile makes byFile and byFileStart from symbols.
func (s *segment) sortByFile() {
	at := make([]uint32, len(s.symbols)) // the files: those in a file that is truncated while mapped change
	s.byFile, s.byFileStart = make([]uint32, len(s.symbols)), make([]uint32, len(s.files)+1)
	for i, y := range s.symbols {
		at[i] = min(y.File, uint32(len(s.files)-1))
		s.byFileStart[at[i]+1]++
	}
	for f := range s.files {
		s.byFileStart[f+1] += s.byFileStart[f]
	}
	next := slices.Clone(s.byFileStart)
	for i, f := range at {
		s.byFile[next[f]] = uint32(i)
		next[f]++
	}
	for f := range s.files {
		slices.SortFunc(s.byFile[s.byFileStart[f]:s.byFileStart[f+1]], func(i, j uint32) int {
			a, b := &s.symbols[i], &s.symbols[j] // names are sorted, and so are symbols by name
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(b.EndLine, a.EndLine), cmp.Compare(a.Name, b.Name), cmp.Compare(kindName(symbolKinds, a.Kind), kindName(symbolKinds, b.Kind)))
		})
	}
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
	if rarest, _ := s.rarestTerm(name); rarest != "" {
		refers := s.referrers(name)
		s.corpus.Docs(rarest, func(c int) bool { return !refers(c) || yield(c) })
	}
}

// Mentioning returns those of some chunks, which must ascend, that are among the first chunks, most
// of them, for which Mentions calls yield.
func (s *Snapshot) Mentioning(name string, chunks []int, most int) (out []int) {
	rarest, count := s.rarestTerm(name)
	switch {
	case rarest == "":
		return nil
	case count <= most:
		refers := s.referrers(name)
		_, held := s.corpus.Among([]string{rarest}, chunks)
		return slices.DeleteFunc(held, func(c int) bool { return !refers(c) })
	}
	n := 0
	s.Mentions(name, func(c int) bool {
		if _, found := slices.BinarySearch(chunks, c); found {
			out = append(out, c)
		}
		n++
		return n < most
	})
	return out
}

// rarestTerm returns the rarest term of a name and the number of chunks with it, "" for a name
// without terms.
func (s *Snapshot) rarestTerm(name string) (rarest string, count int) {
	lexical.Terms([]byte(name), func(term string) {
		if n := s.corpus.Count(term); rarest == "" || n < count {
			rarest, count = term, n
		}
	})
	return rarest, count
}

// referrers returns a function that reports whether the file of a chunk calls, uses or defines a
// name. It must be asked in the order of the chunks.
func (s *Snapshot) referrers(name string) func(chunk int) bool {
	numbers := make([]int, len(s.parts)) // of the name
	for k, p := range s.parts {
		numbers[k] = p.seg.names.find(name)
	}
	part, file, refers := 0, -1, false
	return func(c int) bool {
		for c >= s.chunkBase[part+1] {
			part, file = part+1, -1
		}
		seg, n := s.parts[part].seg, numbers[part]
		if n < 0 {
			return false
		}
		if f := int(seg.chunks[c-s.chunkBase[part]].File); f != file {
			file, refers = f, seg.refers(f, n)
		}
		return refers
	}
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
