package indexer

import (
	"context"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/indexer/mapped"
	"github.com/contexture-dev/contexture/indexer/source"
	"golang.org/x/text/unicode/norm"
)

// part is a segment as one snapshot sees it: with the present paths of its files, and the available
// vectors. Immutable once a snapshot has it.
type part struct {
	seg   *segment
	paths []string // by file; "" = removed
	dead  int      // number of removed files
	vec   *vectors // nil until embedded
	texts [][]byte // by file, for the overlay of unsaved buffers; nil otherwise

	named, renamed *pathSet       // see name; renamed is nil when no file was
	searched       []lexical.Part // the body and the sets of paths; nil until the first snapshot has the part
}

// counted returns the part's texts, and its sets of paths, as they are searched. Counting what is
// live reads the whole part: it is done once for as long as the same files are.
func (p *part) counted() []lexical.Part {
	if p.searched == nil {
		p.searched = append(p.searched, lexical.Part{Segment: p.seg.body, Live: p.live(), Totals: lexical.Total(p.seg.body, p.live())})
		for _, set := range p.sets() {
			live := p.livePaths(set)
			p.searched = append(p.searched, lexical.Part{Segment: set.words, Live: live, Totals: lexical.Total(set.words, live)})
		}
	}
	return p.searched
}

// vectors are the rows of one segment's chunks by one table of words.
type vectors struct {
	digest string
	dims   int
	rows   []int8
	file   *mapped.File // the file with rows, which stays mapped as long as the vectors are referred to; nil for memory
}

// Doc and Group implement lexical.Live.
func (p *part) Doc(d int) bool   { return p.paths[p.seg.chunks[d].File] != "" }
func (p *part) Group(g int) bool { return p.paths[g] != "" }

func (p *part) live() lexical.Live {
	if p.dead == 0 {
		return nil
	}
	return p
}

// Snapshot is one consistent state of the index. Files and chunks are numbered over the whole
// snapshot; numbers of removed files stay unused. Immutable and safe for concurrent use; it stays
// valid as long as it is held, whatever the index does meanwhile.
type Snapshot struct {
	version   uint64
	parts     []*part
	fileBase  []int // one more than parts
	chunkBase []int
	corpus    *lexical.Corpus
	names     *lexical.Corpus // documents and groups are paths
	tree      *source.Tree
	history   *historyIndex
	encoded   *encoded // nil: searches use the built-in embedder
	asked     *queryCache
	scratch   *lexical.Scratch
	reparse   func(path string, src []byte) (*part, bool)

	countOnce   sync.Once // guards the four below, see counts
	totalBytes  int64
	symbolTotal int
	quarantined []Quarantined
	languages   []LanguageCount
}

func newSnapshot(version uint64, parts []*part, tree *source.Tree, h *historyIndex) *Snapshot {
	s := &Snapshot{version: version, parts: parts, tree: tree, history: h, fileBase: []int{0}, chunkBase: []int{0}}
	bodies := make([]lexical.Part, len(parts))
	var names []lexical.Part
	for i, p := range parts {
		s.fileBase = append(s.fileBase, s.fileBase[i]+len(p.seg.files))
		s.chunkBase = append(s.chunkBase, s.chunkBase[i]+len(p.seg.chunks))
		all := p.counted()
		bodies[i] = all[0]
		names = append(names, all[1:]...)
	}
	s.corpus, s.names = lexical.Measure(bodies), lexical.Measure(names)
	return s
}

// Version increases with every change of the index.
func (s *Snapshot) Version() uint64 { return s.version }

// Files returns the bound of the files' numbers, those of deleted files included.
func (s *Snapshot) Files() int { return s.fileBase[len(s.parts)] }

// Chunks returns the bound of the chunks' numbers, those of deleted files included.
func (s *Snapshot) Chunks() int { return s.chunkBase[len(s.parts)] }

// LiveFiles returns how many files are in the snapshot.
func (s *Snapshot) LiveFiles() int { return s.corpus.LiveGroups }

// partOf returns the number of a file's part.
func (s *Snapshot) partOf(file int) int { return sort.SearchInts(s.fileBase, file+1) - 1 }

func (s *Snapshot) filePart(f int) (*part, int) {
	k := s.partOf(f)
	return s.parts[k], f - s.fileBase[k]
}

func (s *Snapshot) chunkPart(c int) (*part, int, int) {
	k := sort.SearchInts(s.chunkBase, c+1) - 1
	return s.parts[k], c - s.chunkBase[k], k
}

// Path returns a file's path relative to the root, "" for a removed one.
func (s *Snapshot) Path(file int) string {
	p, i := s.filePart(file)
	return p.paths[i]
}

// File returns a path's number.
func (s *Snapshot) File(path string) (int, bool) {
	for k := len(s.parts) - 1; k >= 0; k-- {
		if f, ok := s.parts[k].find(path); ok {
			return s.fileBase[k] + f, true
		}
	}
	return 0, false
}

// Spelling returns the path of the live file that a path in any normal form means, or the path
// itself when there is none.
func (s *Snapshot) Spelling(path string) string {
	if _, ok := s.File(path); ok || isASCII(path) {
		return path
	}
	found, wanted := path, norm.NFC.String(path)
	s.Paths(func(_ int, p string) {
		if !isASCII(p) && norm.NFC.String(p) == wanted {
			found = p
		}
	})
	return found
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Paths calls yield for every live file.
func (s *Snapshot) Paths(yield func(file int, path string)) {
	for k, p := range s.parts {
		for i, name := range p.paths {
			if name != "" {
				yield(s.fileBase[k]+i, name)
			}
		}
	}
}

// Language returns the language of a file.
func (s *Snapshot) Language(file int) string {
	p, i := s.filePart(file)
	return p.seg.files[i].Language
}

// FileOf returns a chunk's file.
func (s *Snapshot) FileOf(chunk int) int {
	p, c, k := s.chunkPart(chunk)
	return s.fileBase[k] + int(p.seg.chunks[c].File)
}

// FileChunks returns a file's chunks, half open.
func (s *Snapshot) FileChunks(file int) (first, end int) {
	k := sort.SearchInts(s.fileBase, file+1) - 1
	first, end = s.parts[k].seg.fileChunks(file - s.fileBase[k])
	return first + s.chunkBase[k], end + s.chunkBase[k]
}

// FileDoc returns the bytes of the file's own doc comment (package comment, module docstring), half
// open.
func (s *Snapshot) FileDoc(file int) (start, end int) {
	p, i := s.filePart(file)
	return int(p.seg.files[i].DocStart), int(p.seg.files[i].DocEnd)
}

// Chunk describes a piece of a file. Lines count from 0, EndLine is inclusive; Start and End are
// bytes.
type Chunk struct {
	ID                 int
	File               int
	Path, Language     string
	Kind               string
	Title, Header      string
	Symbols, Enclosing []string
	Start, End         int
	StartLine, EndLine int
	Tokens             int
	Hash               hash
}

// Chunk returns a chunk's description.
func (s *Snapshot) Chunk(id int) Chunk {
	out := s.Place(id)
	p, c, _ := s.chunkPart(id)
	out.Title, out.Header, out.Enclosing, out.Symbols = splitInfo(p.seg.info.at(c))
	return out
}

// Place is Chunk without its title, its header and its names, which are slow to decode.
func (s *Snapshot) Place(id int) Chunk {
	p, c, k := s.chunkPart(id)
	r := p.seg.chunks[c]
	return Chunk{
		ID: id, File: s.fileBase[k] + int(r.File), Path: p.paths[r.File], Language: p.seg.files[r.File].Language,
		Kind: kindName(chunkKinds, r.Kind), Start: int(r.Start), End: int(r.End), StartLine: int(r.Line), EndLine: int(r.EndLine),
		Tokens: int(r.Tokens), Hash: r.Hash,
	}
}

// ChunkAt returns the chunk of a file that contains line (from 0), else the nearest one; false for
// a file without chunks.
func (s *Snapshot) ChunkAt(file, line int) (int, bool) {
	k := sort.SearchInts(s.fileBase, file+1) - 1
	c := s.parts[k].seg.chunkAt(file-s.fileBase[k], uint32(max(0, line)))
	return c + s.chunkBase[k], c >= 0
}

// Symbol is a definition.
type Symbol struct {
	Name, Container, Kind string
	File                  int
	Path                  string
	Line, EndLine         int // from 0, inclusive
}

func (s *Snapshot) symbol(k int, y symbolRec) Symbol {
	seg := s.parts[k].seg
	return Symbol{
		Name: string(seg.names.at(int(y.Name))), Container: string(seg.names.at(int(y.Container))), Kind: kindName(symbolKinds, y.Kind),
		File: s.fileBase[k] + int(y.File), Path: s.parts[k].paths[y.File], Line: int(y.Line), EndLine: int(y.EndLine),
	}
}

// Definitions returns the symbols of exactly this name in any normal form, at most limit of them.
func (s *Snapshot) Definitions(name string, limit int) []Symbol {
	name = norm.NFC.String(name)
	var out []Symbol
	for k, p := range s.parts {
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
func (s *Snapshot) Spellings(name string) (out []string) {
	text := strings.Map(func(r rune) rune {
		if strings.ContainsRune(separators, r) {
			return -1
		}
		return r
	}, strings.ToLower(norm.NFC.String(name)))
	if text == "" {
		return nil
	}
	for _, p := range s.parts {
		p.seg.names.inAnyCase(text, func(n int) { out = append(out, string(p.seg.names.at(n))) })
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Symbols calls yield for every symbol whose lower-cased name contains part, until it returns
// false.
func (s *Snapshot) Symbols(ctx context.Context, part string, yield func(Symbol) bool) error {
	part = strings.ToLower(norm.NFC.String(part))
	for k, p := range s.parts {
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

// SymbolCount returns the number of definitions in live files.
func (s *Snapshot) SymbolCount() int {
	n := 0
	for _, p := range s.parts {
		if p.dead == 0 {
			n += len(p.seg.symbols)
			continue
		}
		for _, y := range p.seg.symbols {
			if p.paths[y.File] != "" {
				n++
			}
		}
	}
	return n
}

// Keyword scores chunks and files by their words (two-level BM25F).
func (s *Snapshot) Keyword(ctx context.Context, terms []lexical.QueryTerm, chunk, file lexical.Params) (lexical.Scores, error) {
	return s.corpus.ScoreHeld(ctx, terms, chunk, file)
}

// Having returns the live chunks whose text, symbols or enclosing names contain all of some terms.
func (s *Snapshot) Having(terms []string) []int { return s.corpus.Having(terms) }

// Among returns the number of live chunks that contain all of some terms, and those of the given
// ones, which must ascend, that do.
func (s *Snapshot) Among(terms []string, chunks []int) (n int, held []int) {
	return s.corpus.Among(terms, chunks)
}

// PathHaving returns the live files whose paths contain all of some terms.
func (s *Snapshot) PathHaving(terms []string) (out []int) {
	found := s.names.Having(terms) // a path is one document
	s.eachSet(func(k, from int, set *pathSet) {
		for ; len(found) > 0 && found[0] < from+set.names.len(); found = found[1:] {
			out = append(out, s.fileBase[k]+set.file(found[0]-from))
		}
	})
	return out
}

// PathScores scores files by the words of their paths; zero where none matches.
func (s *Snapshot) PathScores(ctx context.Context, terms []lexical.QueryTerm) ([]float32, error) {
	p := lexical.Params{K1: 1.2, B: .3}
	scores, err := s.names.Score(ctx, terms, p, p)
	out := s.scratch.Floats(s.Files())
	s.eachSet(func(k, from int, set *pathSet) {
		to := out[s.fileBase[k]:]
		for g, v := range scores.Group[from : from+set.names.len()] {
			if v > 0 {
				to[set.file(g)] = v
			}
		}
	})
	s.names.Release(scores)
	return out, err
}

// eachSet calls yield for every set of paths, with the number of its part and that of its first
// path.
func (s *Snapshot) eachSet(yield func(part, from int, set *pathSet)) {
	from := 0
	for k, p := range s.parts {
		for _, set := range p.sets() {
			yield(k, from, set)
			from += set.names.len()
		}
	}
}

// Floats returns n zeros for the duration of a request; see Return.
func (s *Snapshot) Floats(n int) []float32 { return s.scratch.Floats(n) }

// Return recycles scores of chunks or files, and slices of Floats, no part of which may be used any
// more. Without Return they are left to the collector.
func (s *Snapshot) Return(lists ...[]float32) { s.scratch.Return(lists...) }

// Release recycles the scores of Keyword in the same way.
func (s *Snapshot) Release(scores lexical.Scores) { s.corpus.Release(scores) }

// lend makes the snapshot's searches borrow from scratch.
func (s *Snapshot) lend(scratch *lexical.Scratch) {
	s.scratch, s.corpus.Scratch, s.names.Scratch = scratch, scratch, scratch
}
