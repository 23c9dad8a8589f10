package indexer

import (
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/contexture-dev/contexture/indexer/chunk"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/indexer/mapped"
	"github.com/zeebo/xxh3"
)

// hash is the 128-bit content hash of a file or of a chunk's text.
type hash = xxh3.Uint128

// segment holds the index of a set of files. It is independent of their paths: a renamed file keeps
// its place. Immutable.
type segment struct {
	id     uint64
	body   *lexical.Segment // documents are chunks, groups are files
	files  []fileRec
	chunks []chunkRec
	info   table // per chunk: title, header, enclosing and symbols, see joinInfo
	names  table // distinct names of symbols and references, sorted
	// symbols are sorted by name, then by position; those of names[i] are
	// symbols[symStart[i]:symStart[i+1]].
	symbols  []symbolRec
	symStart []uint32
	refs     table // per file: varint pairs (delta of name, count)
	signs    table // per file: the signature of its text, see exact.Sign
	// byFile are the indices of symbols, sorted by file; those of files[i] are
	// byFile[byFileStart[i]:byFileStart[i+1]]. Both are made on first use, see symbolsIn.
	byFile, byFileStart []uint32
	byFileOnce          sync.Once
	// named has the paths that the files had when the segment was made; nil for one that the store
	// had as a blob.
	named *pathSet
	// file is the file with everything except files, which stays mapped as long as the segment is
	// referred to; nil when it is in the program's own memory.
	file *mapped.File
}

type fileRec struct {
	Language string
	Hash     hash
	Size     int64
	First    uint32 // first chunk
	DocStart uint32 // the package's or file's doc comment, bytes
	DocEnd   uint32
	Problem  string // why its syntax was not used, or ""
}

type chunkRec struct {
	Hash          hash
	File          uint32
	Start, End    uint32 // bytes
	Line, EndLine uint32 // from 0, inclusive
	Tokens        uint32
	Kind          uint8
	_             [7]uint8 // records are written to files in this form
}

type symbolRec struct {
	Name, Container uint32 // indices of names; container 0 is ""
	File            uint32
	Line, EndLine   uint32
	Start, End      uint32
	Kind            uint8
	_               [3]uint8
}

// table is a list of byte strings end to end.
type table struct {
	blob []byte
	off  []uint32
}

func (t *table) add(b string) {
	if len(t.off) == 0 {
		t.off = append(t.off, 0)
	}
	t.blob = append(t.blob, b...)
	t.off = append(t.off, uint32(len(t.blob)))
}

func (t *table) len() int { return max(0, len(t.off)-1) }

// at returns the i-th string; empty when the table belongs to a file that was truncated while
// mapped.
func (t *table) at(i int) []byte {
	from, to := t.off[i], t.off[i+1]
	if from > to || int(to) > len(t.blob) {
		return nil
	}
	return t.blob[from:to]
}

func (t *table) bytes() int { return len(t.blob) + 4*len(t.off) }

// find returns the index of name in a sorted table, or -1.
func (t *table) find(name string) int {
	i := sort.Search(t.len(), func(i int) bool { return string(t.at(i)) >= name })
	if i < t.len() && string(t.at(i)) == name {
		return i
	}
	return -1
}

// inAnyCase calls yield for the names of a sorted table that equal text but for case and
// separators. text is in lower case and has no separators.
func (t *table) inAnyCase(text string, yield func(n int)) { t.inRange(0, t.len(), 0, text, yield) }

// inRange is inAnyCase for the names from one number to another, which have their first at bytes in
// common; text is what must follow.
func (t *table) inRange(from, to, at int, text string, yield func(n int)) {
	for text == "" && from < to && len(t.at(from)) == at {
		yield(from)
		from++
	}
	next := separators
	if text != "" {
		next += text[:1]
		if c := text[0]; 'a' <= c && c <= 'z' {
			next += string(c &^ 0x20)
		}
	}
	for i := 0; i < len(next) && from < to; i++ {
		c := next[i]
		first := from + sort.Search(to-from, func(k int) bool { b := t.at(from + k); return len(b) > at && b[at] >= c })
		end := first + sort.Search(to-first, func(k int) bool { b := t.at(first + k); return len(b) <= at || b[at] > c })
		rest := text
		if i >= len(separators) {
			rest = text[1:]
		}
		t.inRange(first, end, at+1, rest, yield)
	}
}

// separators are the bytes that separate the words of a name.
const separators = "_-"

// chunkKinds and symbolKinds number the kinds that records store in a byte; the lists may only be
// extended at the end.
var (
	chunkKinds  = []string{"file", "function", "method", "type", "block", "section", "paragraph"}
	symbolKinds = []string{"", "function", "method", "class", "struct", "interface", "type", "enum", "const", "var", "field",
		"module", "macro", "rule", "section", "key", "stage", "target", "table", "message", "service", "rpc", "resource", "trait", "constructor", "property", chunk.KindComponent}
)

func kindNumber(kinds []string, k string) uint8 { return uint8(max(0, slices.Index(kinds, k))) }

func kindName(kinds []string, n uint8) string {
	if int(n) < len(kinds) {
		return kinds[n]
	}
	return kinds[0]
}

const (
	infoField = "\x00" // between the fields of a chunk's info
	infoItem  = "\x1f" // between the items of a list in it
)

func joinInfo(title, header string, enclosing, symbols []string) string {
	clean := func(s string) string {
		return strings.NewReplacer(infoField, " ", infoItem, " ").Replace(s)
	}
	list := func(items []string) string {
		out := make([]string, len(items))
		for i, s := range items {
			out[i] = clean(s)
		}
		return strings.Join(out, infoItem)
	}
	return clean(title) + infoField + clean(header) + infoField + list(enclosing) + infoField + list(symbols)
}

func splitInfo(b []byte) (title, header string, enclosing, symbols []string) {
	f := strings.SplitN(string(b), infoField, 4)
	for len(f) < 4 {
		f = append(f, "")
	}
	list := func(s string) []string {
		if s == "" {
			return nil
		}
		return strings.Split(s, infoItem)
	}
	return f[0], f[1], list(f[2]), list(f[3])
}

// symbolsOf returns the symbols of names[n].
func (s *segment) symbolsOf(n int) []symbolRec {
	from, to := s.symStart[n], s.symStart[n+1]
	if from > to || int(to) > len(s.symbols) {
		return nil // of a file that was truncated while mapped
	}
	return s.symbols[from:to]
}

func (s *segment) fileChunks(f int) (first, end int) { return s.body.GroupDocs(f) }

// chunkAt returns the chunk of file f that contains line, or the nearest before it; -1 when the
// file has none.
func (s *segment) chunkAt(f int, line uint32) int {
	first, end := s.fileChunks(f)
	if first == end {
		return -1
	}
	after := sort.Search(end-first, func(i int) bool { return s.chunks[first+i].Line > line })
	return first + max(0, after-1)
}

// bytes returns approximately the segment's size in memory.
func (s *segment) bytes() int {
	return s.body.Bytes() + len(s.files)*80 + len(s.chunks)*48 + len(s.symbols)*36 + 4*len(s.symStart) + s.info.bytes() + s.names.bytes() + s.refs.bytes() + s.signs.bytes()
}
