package lexical

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// Field is the part of a document that a text belongs to; each has its weight in the document's
// term frequencies.
type Field uint8

// The weights are those of the best configuration measured without a model (body 1, symbol names 2,
// comments .5, enclosing .5), in units of one half so that frequencies stay whole numbers.
const (
	Body    Field = 2
	Comment Field = 2
	Symbol  Field = 4
	Scope   Field = 1
)

// Unit is the divisor that turns a stored weight into a weighted term frequency.
const Unit = 2

// Builder collects documents and builds a Segment of them. Documents of one group must be added
// consecutively. It is not safe for concurrent use.
type Builder struct {
	ids    map[string]uint32
	terms  []string
	lists  []list
	data   []bool              // whether a term is data, by its id
	cache  map[string][]uint32 // a word's term ids
	tf     []uint16            // of the open document, by term id
	seen   []uint32            // term ids with tf > 0
	lens   []uint32            // weighted length by document
	groups []uint32            // first document of each group
	bytes  int
}

type list struct {
	data []byte
	last uint32 // previous document + 1
	n    uint32
}

// NewBuilder returns an empty builder.
func NewBuilder() *Builder {
	return &Builder{ids: map[string]uint32{}, cache: map[string][]uint32{}}
}

// Group opens the next group, to which the following documents belong. A group may stay empty.
func (b *Builder) Group() { b.groups = append(b.groups, uint32(len(b.lens))) }

// Add adds text's terms to the open document with the weight of its field.
func (b *Builder) Add(f Field, text []byte) {
	Words(text, func(word []byte) {
		ids, ok := b.cache[string(word)]
		if !ok {
			ids = b.intern(expand(word))
			b.cache[string(word)] = ids
		}
		for _, id := range ids {
			if b.tf[id] == 0 {
				b.seen = append(b.seen, id)
			}
			b.tf[id] = uint16(min(uint32(b.tf[id])+uint32(f), math.MaxUint16))
		}
	})
}

func (b *Builder) intern(terms []string) []uint32 {
	if len(terms) == 0 {
		return nil
	}
	ids := make([]uint32, len(terms))
	for i, t := range terms {
		id, ok := b.ids[t]
		if !ok {
			id = uint32(len(b.terms))
			t = strings.Clone(t)
			b.ids[t] = id
			b.terms = append(b.terms, t)
			b.lists = append(b.lists, list{})
			b.tf = append(b.tf, 0)
			b.data = append(b.data, IsData(t))
		}
		ids[i] = id
	}
	return ids
}

// Close ends the open document and returns its number.
func (b *Builder) Close() int {
	doc := uint32(len(b.lens))
	length := uint32(0)
	for _, id := range b.seen {
		w := b.tf[id]
		if !b.data[id] {
			length += uint32(w)
		}
		b.tf[id] = 0
		l := &b.lists[id]
		n := len(l.data)
		l.data = appendPosting(l.data, doc+1-l.last, uint8(min(w, math.MaxUint8)))
		b.bytes += len(l.data) - n
		l.last = doc + 1
		l.n++
	}
	b.seen = b.seen[:0]
	b.lens = append(b.lens, length)
	return int(doc)
}

// Size estimates the size of the builder's postings in bytes; callers call Seal when it exceeds
// their limit.
func (b *Builder) Size() int { return b.bytes }

// Seal returns the segment of all closed documents. The builder must not be used again.
func (b *Builder) Seal() *Segment {
	order := make([]uint32, len(b.terms))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return strings.Compare(b.terms[x], b.terms[y]) })
	s := &Segment{lens: b.lens, groups: b.groups}
	s.termOff = make([]uint32, 0, len(order)+1)
	s.postOff = make([]uint32, 0, len(order)+1)
	termBytes := 0
	for _, t := range b.terms {
		termBytes += len(t)
	}
	s.termBlob = make([]byte, 0, termBytes)
	s.post = make([]byte, 0, b.bytes+3*len(order))
	for _, id := range order {
		s.termOff = append(s.termOff, uint32(len(s.termBlob)))
		s.postOff = append(s.postOff, uint32(len(s.post)))
		s.termBlob = append(s.termBlob, b.terms[id]...)
		s.post = binary.AppendUvarint(s.post, uint64(b.lists[id].n))
		s.post = append(s.post, b.lists[id].data...)
		b.lists[id].data = nil
	}
	s.termOff = append(s.termOff, uint32(len(s.termBlob)))
	s.postOff = append(s.postOff, uint32(len(s.post)))
	s.derive()
	*b = Builder{}
	return s
}
