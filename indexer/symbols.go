package indexer

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/contexture-dev/contexture/indexer/lexical"
	"golang.org/x/text/unicode/norm"
)

// Symbol is a definition.
type Symbol struct {
	Name, Container, Kind string
	File                  int
	Path                  string
	Line, EndLine         int // from 0, inclusive
}

// SymbolSearch finds the definitions, references and mentions of names in a snapshot. Safe for
// concurrent use.
type SymbolSearch struct {
	layout *layout
	corpus *lexical.Corpus // documents are chunks
}

func (s *SymbolSearch) symbol(k int, y symbolRec) Symbol {
	seg := s.layout.parts[k].seg
	return Symbol{
		Name: string(seg.names.at(int(y.Name))), Container: string(seg.names.at(int(y.Container))), Kind: kindName(symbolKinds, y.Kind),
		File: s.layout.fileBase[k] + int(y.File), Path: s.layout.parts[k].paths[y.File], Line: int(y.Line), EndLine: int(y.EndLine),
	}
}

// Definitions returns the symbols of exactly this name in any normal form, at most limit of them.
func (s *SymbolSearch) Definitions(name string, limit int) []Symbol {
	name = norm.NFC.String(name)
	var out []Symbol
	for k, p := range s.layout.parts {
		n := p.seg.names.find(name)
		if n < 0 {
			continue
		}
		for _, y := range p.seg.symbolsOf(n) {
			if p.paths[y.File] != "" && len(out) < limit {
				out = append(out, s.symbol(k, y))
			}
		}
	}
	return out
}

// Spellings returns the names of the workspace, defined there or not, that differ from a name only
// in the case of letters and in the separators - and _, sorted.
func (s *SymbolSearch) Spellings(name string) (out []string) {
	text := strings.Map(func(r rune) rune {
		if strings.ContainsRune(separators, r) {
			return -1
		}
		return r
	}, strings.ToLower(norm.NFC.String(name)))
	if text == "" {
		return nil
	}
	for _, p := range s.layout.parts {
		p.seg.names.inAnyCase(text, func(n int) { out = append(out, string(p.seg.names.at(n))) })
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Beginning calls yield for every symbol whose name begins with text, until it returns false.
func (s *SymbolSearch) Beginning(text string, yield func(Symbol) bool) {
	text = norm.NFC.String(text)
	for k, p := range s.layout.parts {
		names := &p.seg.names
		for n := sort.Search(names.len(), func(n int) bool { return string(names.at(n)) >= text }); n < names.len(); n++ {
			if !strings.HasPrefix(string(names.at(n)), text) {
				break
			}
			for _, y := range p.seg.symbolsOf(n) {
				if p.paths[y.File] != "" && !yield(s.symbol(k, y)) {
					return
				}
			}
		}
	}
}

// Containing calls yield for every symbol whose lower-cased name contains part, until it returns
// false.
func (s *SymbolSearch) Containing(ctx context.Context, part string, yield func(Symbol) bool) error {
	part = strings.ToLower(norm.NFC.String(part))
	for k, p := range s.layout.parts {
		for n := range p.seg.names.len() {
			if n%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			symbols := p.seg.symbolsOf(n)
			if len(symbols) == 0 || !containsFold(p.seg.names.at(n), part) {
				continue
			}
			for _, y := range symbols {
				if p.paths[y.File] != "" && !yield(s.symbol(k, y)) {
					return nil
				}
			}
		}
	}
	return nil
}

func containsFold(b []byte, lower string) bool {
	for i := 0; i+len(lower) <= len(b); i++ {
		j := 0
		for j < len(lower) && (b[i+j] == lower[j] || b[i+j]|0x20 == lower[j] && b[i+j] >= 'A' && b[i+j] <= 'Z') {
			j++
		}
		if j == len(lower) {
			return true
		}
	}
	return false
}

// InFile returns the definitions of a file in the order of their lines, an outer one before
// its members.
func (s *SymbolSearch) InFile(file int) []Symbol {
	k := s.layout.partOf(file)
	own := s.layout.parts[k].seg.symbolsIn(file - s.layout.fileBase[k])
	out := make([]Symbol, len(own))
	for i, y := range own {
		out[i] = s.symbol(k, s.layout.parts[k].seg.symbols[y])
	}
	return out
}

// symbolsIn returns the symbols of a file, as indices into symbols, in the order of InFile.
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

// Mentions calls yield for the chunks that may mention a name, in ascending order, until it returns
// false: those with the name's words in files that call, use or define it. A chunk may contain the
// words in another name.
func (s *SymbolSearch) Mentions(name string, yield func(chunk int) bool) {
	if rarest, _ := rarestTerm(s.corpus, name); rarest != "" {
		refers := s.referrers(name)
		s.corpus.Docs(rarest, func(c int) bool { return !refers(c) || yield(c) })
	}
}

// Mentioning returns those of some chunks, which must ascend, that are among the first chunks, most
// of them, for which Mentions calls yield.
func (s *SymbolSearch) Mentioning(name string, chunks []int, most int) (out []int) {
	rarest, count := rarestTerm(s.corpus, name)
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
func rarestTerm(corpus *lexical.Corpus, name string) (rarest string, count int) {
	lexical.Terms([]byte(name), func(term string) {
		if n := corpus.Count(term); rarest == "" || n < count {
			rarest, count = term, n
		}
	})
	return rarest, count
}

// referrers returns a function that reports whether the file of a chunk calls, uses or defines a
// name. It must be asked in the order of the chunks.
func (s *SymbolSearch) referrers(name string) func(chunk int) bool {
	numbers := make([]int, len(s.layout.parts)) // of the name
	for k, p := range s.layout.parts {
		numbers[k] = p.seg.names.find(name)
	}
	part, file, refers := 0, -1, false
	return func(c int) bool {
		for c >= s.layout.chunkBase[part+1] {
			part, file = part+1, -1
		}
		seg, n := s.layout.parts[part].seg, numbers[part]
		if n < 0 {
			return false
		}
		if f := int(seg.chunks[c-s.layout.chunkBase[part]].File); f != file {
			file, refers = f, seg.refers(f, n)
		}
		return refers
	}
}

// Refers reports whether a file calls, uses or defines a name.
func (s *SymbolSearch) Refers(file int, name string) bool {
	k := s.layout.partOf(file)
	seg, own := s.layout.parts[k].seg, file-s.layout.fileBase[k]
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
func (s *SymbolSearch) Referred(file int, yield func(name string)) {
	k := s.layout.partOf(file)
	seg := s.layout.parts[k].seg
	seg.fileRefs(file-s.layout.fileBase[k], func(name, _ uint32) { yield(string(seg.names.at(int(name)))) })
}
