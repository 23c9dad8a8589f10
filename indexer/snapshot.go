package indexer

import (
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
	version uint64
	layout  *layout
	words   *WordSearch
	symbols *SymbolSearch
	vectors *VectorSearch
	tree    *source.Tree
	history *historyIndex
	scratch *lexical.Scratch
	reparse func(path string, src []byte) (*part, bool)
	census  census
}

func newSnapshot(version uint64, parts []*part, tree *source.Tree, h *historyIndex) *Snapshot {
	at := newLayout(parts)
	words := newWordSearch(at)
	return &Snapshot{
		version: version, layout: at, tree: tree, history: h,
		words: words, symbols: &SymbolSearch{layout: at, corpus: words.corpus}, vectors: &VectorSearch{layout: at, tree: tree},
	}
}

// Words returns the search by the words of texts and paths. Like those of Symbols and Vectors it is
// valid as long as the snapshot, and safe for concurrent use.
func (s *Snapshot) Words() *WordSearch { return s.words }

// Symbols returns the search by names: definitions, references and mentions.
func (s *Snapshot) Symbols() *SymbolSearch { return s.symbols }

// Vectors returns the semantic search.
func (s *Snapshot) Vectors() *VectorSearch { return s.vectors }

// Scratch lends lists of numbers for the duration of a request, and takes back those that the
// searches returned. A list that is not returned is left to the collector.
func (s *Snapshot) Scratch() *lexical.Scratch { return s.scratch }

// lend makes the snapshot's searches borrow from scratch.
func (s *Snapshot) lend(scratch *lexical.Scratch) {
	s.scratch, s.words.corpus.Scratch, s.words.names.Scratch, s.vectors.scratch = scratch, scratch, scratch, scratch
}

// Version increases with every change of the index.
func (s *Snapshot) Version() uint64 { return s.version }

// Files returns the bound of the files' numbers, those of deleted files included.
func (s *Snapshot) Files() int { return s.layout.files() }

// Chunks returns the bound of the chunks' numbers, those of deleted files included.
func (s *Snapshot) Chunks() int { return s.layout.chunks() }

// LiveFiles returns how many files are in the snapshot.
func (s *Snapshot) LiveFiles() int { return s.words.corpus.LiveGroups }

// LiveChunks returns the number of chunks of live files.
func (s *Snapshot) LiveChunks() int { return s.words.corpus.LiveDocs }

// Path returns a file's path relative to the root, "" for a removed one.
func (s *Snapshot) Path(file int) string { return s.layout.path(file) }

// File returns a path's number.
func (s *Snapshot) File(path string) (int, bool) { return s.layout.find(path) }

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
	for k, p := range s.layout.parts {
		for i, name := range p.paths {
			if name != "" {
				yield(s.layout.fileBase[k]+i, name)
			}
		}
	}
}

// Language returns the language of a file.
func (s *Snapshot) Language(file int) string {
	p, i := s.layout.filePart(file)
	return p.seg.files[i].Language
}

// FileOf returns a chunk's file.
func (s *Snapshot) FileOf(chunk int) int {
	p, c, k := s.layout.chunkPart(chunk)
	return s.layout.fileBase[k] + int(p.seg.chunks[c].File)
}

// FileChunks returns a file's chunks, half open.
func (s *Snapshot) FileChunks(file int) (first, end int) {
	k := s.layout.partOf(file)
	first, end = s.layout.parts[k].seg.fileChunks(file - s.layout.fileBase[k])
	return first + s.layout.chunkBase[k], end + s.layout.chunkBase[k]
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
	p, c, _ := s.layout.chunkPart(id)
	out.Title, out.Header, out.Enclosing, out.Symbols = splitInfo(p.seg.info.at(c))
	return out
}

// Place is Chunk without its title, its header and its names, which are slow to decode.
func (s *Snapshot) Place(id int) Chunk {
	p, c, k := s.layout.chunkPart(id)
	r := p.seg.chunks[c]
	return Chunk{
		ID: id, File: s.layout.fileBase[k] + int(r.File), Path: p.paths[r.File], Language: p.seg.files[r.File].Language,
		Kind: kindName(chunkKinds, r.Kind), Start: int(r.Start), End: int(r.End), StartLine: int(r.Line), EndLine: int(r.EndLine),
		Tokens: int(r.Tokens), Hash: r.Hash,
	}
}

// ChunkAt returns the chunk of a file that contains line (from 0), else the nearest one; false for
// a file without chunks.
func (s *Snapshot) ChunkAt(file, line int) (int, bool) {
	k := s.layout.partOf(file)
	c := s.layout.parts[k].seg.chunkAt(file-s.layout.fileBase[k], uint32(max(0, line)))
	return c + s.layout.chunkBase[k], c >= 0
}
