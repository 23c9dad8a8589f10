package indexer

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer/chunk"
	"github.com/contexture-dev/contexture/indexer/exact"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/zeebo/xxh3"
	"golang.org/x/text/unicode/norm"
)

// segBuilder collects parsed files and seals them into a segment. Not safe for concurrent use.
type segBuilder struct {
	body    *lexical.Builder
	seg     *segment
	ids     map[string]uint32 // name → provisional number, from 1; 0 is ""
	names   []string
	refs    [][]chunk.Ref
	symbols []symbolRec // Name and Container are provisional
}

func newSegBuilder() *segBuilder {
	return &segBuilder{body: lexical.NewBuilder(), seg: &segment{}, ids: map[string]uint32{"": 0}, names: []string{""}}
}

// name returns the number of a name. Names are stored in NFC, so that a reference matches its
// definition whatever the normal forms of the two.
func (b *segBuilder) name(s string) uint32 {
	id, ok := b.ids[s]
	switch {
	case ok:
	case !norm.NFC.IsNormalString(s):
		id = b.name(norm.NFC.String(s))
		b.ids[strings.Clone(s)] = id
	default:
		id = uint32(len(b.names))
		s = strings.Clone(s)
		b.ids[s] = id
		b.names = append(b.names, s)
	}
	return id
}

// add adds one file; tokens holds the exact count of each chunk.
func (b *segBuilder) add(src []byte, h hash, f chunk.File, tokens []int) {
	file := uint32(len(b.seg.files))
	b.seg.files = append(b.seg.files, fileRec{
		Language: f.Language, Hash: h, Size: int64(len(src)), First: uint32(len(b.seg.chunks)),
		DocStart: uint32(f.Doc.Start), DocEnd: uint32(f.Doc.End), Problem: f.Problem,
	})
	b.seg.signs.add(string(exact.Sign(src)))
	b.body.Group()
	comments := f.Comments
	for i, c := range f.Chunks {
		comments = b.addText(src, c, comments)
		for _, s := range c.Symbols {
			b.body.Add(lexical.Symbol, []byte(s))
		}
		for _, s := range c.Enclosing {
			b.body.Add(lexical.Scope, []byte(s))
		}
		if c.Header != "" {
			b.body.Add(lexical.Scope, []byte(c.Header))
		}
		b.body.Close()
		b.seg.chunks = append(b.seg.chunks, chunkRec{
			Hash: xxh3.Hash128(src[c.Start:c.End]), File: file,
			Start: uint32(c.Start), End: uint32(c.End), Line: uint32(c.StartLine), EndLine: uint32(c.EndLine),
			Tokens: uint32(tokens[i]), Kind: kindNumber(chunkKinds, string(c.Kind)),
		})
		b.seg.info.add(joinInfo(c.Title, c.Header, c.Enclosing, c.Symbols))
	}
	for _, s := range f.Symbols {
		b.symbols = append(b.symbols, symbolRec{
			Name: b.name(s.Name), Container: b.name(s.Container), File: file, Line: uint32(s.Line), EndLine: uint32(s.EndLine),
			Start: uint32(s.Start), End: uint32(s.End), Kind: kindNumber(symbolKinds, s.Kind),
		})
	}
	refs := make([]chunk.Ref, len(f.Refs))
	for i, r := range f.Refs {
		refs[i] = chunk.Ref{Name: b.names[b.name(r.Name)], Count: r.Count}
	}
	b.refs = append(b.refs, refs)
}

// addText counts the chunk's terms, comments with their own weight; it returns the comments after
// the chunk.
func (b *segBuilder) addText(src []byte, c chunk.Chunk, comments []chunk.Span) []chunk.Span {
	at := c.Start
	for len(comments) > 0 && comments[0].End <= at {
		comments = comments[1:]
	}
	for _, s := range comments {
		if s.Start >= c.End {
			break
		}
		start, end := max(s.Start, at), min(s.End, c.End)
		b.body.Add(lexical.Body, src[at:start])
		b.body.Add(lexical.Comment, src[start:end])
		at = end
	}
	b.body.Add(lexical.Body, src[at:c.End])
	return comments
}

// size estimates the memory that the segment under construction takes.
func (b *segBuilder) size() int {
	return b.body.Size() + len(b.seg.info.blob) + len(b.seg.signs.blob) + 44*len(b.seg.chunks)
}

// seal finishes the segment and returns it.
func (b *segBuilder) seal(id uint64) *segment {
	s := b.seg
	s.id = id
	s.body = b.body.Seal()
	order := make([]uint32, len(b.names))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return strings.Compare(b.names[x], b.names[y]) })
	final := make([]uint32, len(order))
	for i, old := range order {
		final[old] = uint32(i)
		s.names.add(b.names[old])
	}
	for i := range b.symbols {
		b.symbols[i].Name = final[b.symbols[i].Name]
		b.symbols[i].Container = final[b.symbols[i].Container]
	}
	s.setSymbols(b.symbols)
	for _, refs := range b.refs {
		s.refs.add(encodeRefs(refs, func(name string) uint32 { return final[b.ids[name]] }))
	}
	return s
}

// setSymbols sorts and indexes the symbols by name.
func (s *segment) setSymbols(symbols []symbolRec) {
	slices.SortFunc(symbols, func(x, y symbolRec) int {
		for _, d := range [3]int{int(x.Name) - int(y.Name), int(x.File) - int(y.File), int(x.Start) - int(y.Start)} {
			if d != 0 {
				return d
			}
		}
		return int(x.Kind) - int(y.Kind)
	})
	s.symbols = symbols
	s.symStart = make([]uint32, s.names.len()+1)
	at := 0
	for n := range s.names.len() {
		s.symStart[n] = uint32(at)
		for at < len(symbols) && int(symbols[at].Name) == n {
			at++
		}
	}
	s.symStart[s.names.len()] = uint32(at)
}

type numberedRef struct{ name, count uint32 }

func encodeRefs(refs []chunk.Ref, number func(string) uint32) string {
	list := make([]numberedRef, len(refs))
	for i, r := range refs {
		list[i] = numberedRef{number(r.Name), uint32(r.Count)}
	}
	return packRefs(list)
}

func packRefs(list []numberedRef) string {
	slices.SortFunc(list, func(x, y numberedRef) int { return int(x.name) - int(y.name) })
	var out []byte
	prev := uint32(0)
	for _, r := range list {
		out = binary.AppendUvarint(out, uint64(r.name-prev))
		out = binary.AppendUvarint(out, uint64(r.count))
		prev = r.name
	}
	return string(out)
}

// fileRefs calls yield for every name that file f refers to.
func (s *segment) fileRefs(f int, yield func(name, count uint32)) {
	b := s.refs.at(f)
	name := uint64(0)
	for len(b) > 0 {
		d, n := binary.Uvarint(b)
		if n <= 0 {
			return
		}
		c, m := binary.Uvarint(b[n:])
		if m <= 0 {
			return
		}
		b = b[n+m:]
		name += d
		if name >= uint64(s.names.len()) {
			return
		}
		yield(uint32(name), uint32(c))
	}
}

// refersTo reports whether a file refers to names[wanted].
func (s *segment) refersTo(f, wanted int) bool {
	b := s.refs.at(f)
	for name := 0; len(b) > 0 && name <= wanted; { // they ascend
		d, n := binary.Uvarint(b)
		if n <= 0 {
			return false
		}
		for b = b[n:]; len(b) > 0 && b[0] >= 0x80; { // past the count
			b = b[1:]
		}
		if len(b) == 0 {
			return false
		}
		b = b[1:]
		if name += int(d); name == wanted {
			return true
		}
	}
	return false
}

// mergeSegments joins the live files of segments into one, in order. place has each file's new
// index, or -1 for a dead one.
func mergeSegments(id uint64, segs []*segment, live []lexical.Live) (out *segment, place [][]int) {
	out = &segment{id: id}
	bodies := make([]*lexical.Segment, len(segs))
	ids := map[string]uint32{}
	var all []string
	for k, s := range segs {
		bodies[k] = s.body
		for i := range s.names.len() {
			n := string(s.names.at(i))
			if _, ok := ids[n]; !ok {
				ids[n] = 0
				all = append(all, n)
			}
		}
	}
	slices.Sort(all)
	for i, n := range all {
		ids[n] = uint32(i)
		out.names.add(n)
	}
	out.body = lexical.Merge(bodies, live)
	var symbols []symbolRec
	place = make([][]int, len(segs))
	for k, s := range segs {
		number := make([]uint32, s.names.len())
		for i := range number {
			number[i] = ids[string(s.names.at(i))]
		}
		place[k] = make([]int, len(s.files))
		for f := range s.files {
			place[k][f] = -1
			if live[k] == nil || live[k].Group(f) {
				place[k][f] = len(out.files)
				out.copyFile(s, f, number)
			}
		}
		for _, y := range s.symbols {
			if to := place[k][y.File]; to >= 0 {
				y.File, y.Name, y.Container = uint32(to), number[y.Name], number[y.Container]
				symbols = append(symbols, y)
			}
		}
	}
	out.setSymbols(symbols)
	return out, place
}

// copyFile appends file f of another segment with its chunks and references; number maps the name
// numbers of from to those of s.
func (s *segment) copyFile(from *segment, f int, number []uint32) {
	first, end := from.fileChunks(f)
	rec := from.files[f]
	rec.First = uint32(len(s.chunks))
	for c := first; c < end; c++ {
		ch := from.chunks[c]
		ch.File = uint32(len(s.files))
		s.chunks = append(s.chunks, ch)
		s.info.add(string(from.info.at(c)))
	}
	s.files = append(s.files, rec)
	s.signs.add(string(from.signs.at(f)))
	var refs []numberedRef
	from.fileRefs(f, func(name, count uint32) { refs = append(refs, numberedRef{number[name], count}) })
	s.refs.add(packRefs(refs))
}
