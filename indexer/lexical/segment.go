package lexical

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"
	"unsafe"

	"github.com/contexture-dev/contexture/indexer/mapped"
)

// Segment is an immutable set of documents with their postings. Documents are numbered from 0;
// those of one group are adjacent. It is safe for concurrent use.
type Segment struct {
	termBlob []byte // all terms, sorted, end to end
	termOff  []uint32
	post     []byte // per term: number of documents, then the postings, see appendPosting
	postOff  []uint32
	lens     []uint32 // weighted length by document
	groups   []uint32 // first document by group
	groupOf  []uint32 // by document; derived from groups

	lengthsOnce sync.Once // guards the two below, see lengths
	groupLens   []float32
	longest     int
}

// Posting is one document of a term with its weighted frequency in halves (see Unit).
type Posting struct {
	Doc    uint32
	Weight uint8
}

// derive computes the fields that are not stored.
func (s *Segment) derive() {
	s.groupOf = make([]uint32, len(s.lens))
	for g := range s.groups {
		first, end := s.GroupDocs(g)
		for d := first; d < end; d++ {
			s.groupOf[d] = uint32(g)
		}
	}
}

// lengths returns the sum of the weighted lengths of each group's documents, and the largest one.
func (s *Segment) lengths() (groups []float32, longest int) {
	s.lengthsOnce.Do(func() {
		s.groupLens = make([]float32, s.Groups())
		for g := range s.groupLens {
			n := uint32(0)
			first, end := s.GroupDocs(g)
			for _, l := range s.lens[first:end] {
				n += l
			}
			s.groupLens[g] = float32(n)
			s.longest = max(s.longest, int(s.groupLens[g]))
		}
	})
	return s.groupLens, s.longest
}

// Docs returns the number of documents, including deleted ones.
func (s *Segment) Docs() int { return len(s.lens) }

// Groups returns the number of groups.
func (s *Segment) Groups() int { return len(s.groups) }

// GroupDocs returns the documents of group g, half open.
func (s *Segment) GroupDocs(g int) (first, end int) {
	first, end = int(s.groups[g]), len(s.lens)
	if g+1 < len(s.groups) {
		end = int(s.groups[g+1])
	}
	return first, max(first, end) // if a mapped file was truncated, only zeros may be left
}

// Terms returns the number of distinct terms.
func (s *Segment) Terms() int { return len(s.termOff) - 1 }

// Bytes returns the segment's size in memory.
func (s *Segment) Bytes() int {
	return len(s.termBlob) + len(s.post) + 4*(len(s.termOff)+len(s.postOff)+2*len(s.lens)+len(s.groups))
}

// Term returns the i-th term in sorted order. The string shares the segment's memory.
func (s *Segment) Term(i int) string {
	b := span(s.termBlob, s.termOff, i)
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// span returns the i-th of the byte strings that are stored end to end in blob; nil if off was
// corrupted because a mapped file was truncated.
func span(blob []byte, off []uint32, i int) []byte {
	from, to := off[i], off[i+1]
	if from > to || int(to) > len(blob) {
		return nil
	}
	return blob[from:to]
}

// find returns the index of a term, or -1.
func (s *Segment) find(term string) int {
	n := s.Terms()
	i := sort.Search(n, func(i int) bool {
		return string(span(s.termBlob, s.termOff, i)) >= term
	})
	if i < n && s.Term(i) == term {
		return i
	}
	return -1
}

// appendPosting appends a posting to a list: twice the distance of its document from the one before
// (for the first document, from -1). If the weight is not usualWeight, one is added and the weight
// follows.
func appendPosting(list []byte, delta uint32, weight uint8) []byte {
	if weight == usualWeight {
		return binary.AppendUvarint(list, uint64(delta)<<1)
	}
	return append(binary.AppendUvarint(list, uint64(delta)<<1|1), weight)
}

// usualWeight is the weight of a term that occurs once in a body, as most do.
const usualWeight = uint8(Body)

// Postings appends the postings of the i-th term to buf, in ascending order of document.
func (s *Segment) Postings(i int, buf []Posting) []Posting {
	data := span(s.post, s.postOff, i)
	n, k := binary.Uvarint(data)
	data = data[max(k, 0):]
	begin := len(buf)
	buf = slices.Grow(buf, min(int(n), len(s.lens)))
	doc := uint64(0)
	for j := 0; j < len(data); {
		d := uint64(data[j])
		j++
		if d >= 0x80 {
			if d, k = binary.Uvarint(data[j-1:]); k <= 0 {
				return buf[:begin]
			}
			j += k - 1
		}
		weight := usualWeight
		if d&1 != 0 {
			if j >= len(data) {
				return buf[:begin]
			}
			weight = data[j]
			j++
		}
		doc += d >> 1
		buf = append(buf, Posting{Doc: uint32(doc - 1), Weight: weight})
	}
	// Documents ascend, so checking the last one covers all. The check fails if a mapped file was
	// truncated.
	if doc > uint64(len(s.lens)) || len(buf) > begin && buf[begin].Doc >= uint32(len(s.lens)) {
		return buf[:begin]
	}
	return buf
}

// Count returns the number of documents of the i-th term, including deleted ones.
func (s *Segment) Count(i int) int {
	n, _ := binary.Uvarint(span(s.post, s.postOff, i))
	return int(n)
}

var errCorrupt = errors.New("the data are damaged")

// Sections returns the segment as sections of a file, which FromSections reads in place. They share
// its memory.
func (s *Segment) Sections() [][]byte {
	return [][]byte{
		s.termBlob, mapped.Bytes(s.termOff), s.post, mapped.Bytes(s.postOff), mapped.Bytes(s.lens), mapped.Bytes(s.groups),
		mapped.Bytes(s.groupOf),
	}
}

// SectionCount is the number of sections that Sections returns.
const SectionCount = 7

// FromSections returns the segment with the given sections, as returned by Sections, whose memory
// it shares. The caller has verified their checksum: only their sizes are checked here.
func FromSections(b [][]byte) (*Segment, error) {
	if len(b) != SectionCount {
		return nil, fmt.Errorf("lexical segment: %d sections: %w", len(b), errCorrupt)
	}
	s := &Segment{
		termBlob: b[0], termOff: mapped.View[uint32](b[1]), post: b[2], postOff: mapped.View[uint32](b[3]), lens: mapped.View[uint32](b[4]),
		groups: mapped.View[uint32](b[5]), groupOf: mapped.View[uint32](b[6]),
	}
	n := len(s.termOff) - 1
	if n < 0 || len(s.postOff) != n+1 || len(s.groupOf) != len(s.lens) || int(s.termOff[n]) != len(s.termBlob) || int(s.postOff[n]) != len(s.post) {
		return nil, fmt.Errorf("lexical segment: sizes: %w", errCorrupt)
	}
	return s, nil
}

// Marshal returns the segment as bytes for Unmarshal.
func (s *Segment) Marshal() []byte {
	sizes := []int{len(s.termBlob), len(s.post), len(s.termOff), len(s.lens), len(s.groups)}
	total := 5*binary.MaxVarintLen64 + s.Bytes()
	out := make([]byte, 0, total)
	for _, n := range sizes {
		out = binary.AppendUvarint(out, uint64(n))
	}
	out = append(out, s.termBlob...)
	out = append(out, s.post...)
	for _, a := range [][]uint32{s.termOff, s.postOff, s.groups} {
		prev := uint32(0)
		for _, v := range a { // ascending: small deltas
			out = binary.AppendUvarint(out, uint64(v-prev))
			prev = v
		}
	}
	for _, v := range s.lens {
		out = binary.AppendUvarint(out, uint64(v))
	}
	return out
}

// Unmarshal decodes the output of Marshal. The segment keeps b. Damaged data return an error: every
// offset and posting is checked once here so that searching needs no checks.
func Unmarshal(b []byte) (*Segment, error) {
	var size [5]int
	for i := range size {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > 1<<31 {
			return nil, fmt.Errorf("lexical segment: header: %w", errCorrupt)
		}
		size[i], b = int(v), b[n:]
	}
	if size[2] < 1 || size[0]+size[1]+2*size[2]+size[3]+size[4] > len(b) {
		return nil, fmt.Errorf("lexical segment: sizes: %w", errCorrupt)
	}
	s := &Segment{termBlob: b[:size[0]:size[0]], post: b[size[0] : size[0]+size[1] : size[0]+size[1]]}
	b = b[size[0]+size[1]:]
	var ok [4]bool
	s.termOff, b, ok[0] = readUint32s(b, size[2], true)
	s.postOff, b, ok[1] = readUint32s(b, size[2], true)
	s.groups, b, ok[2] = readUint32s(b, size[4], true)
	s.lens, _, ok[3] = readUint32s(b, size[3], false)
	if !ok[0] || !ok[1] || !ok[2] || !ok[3] {
		return nil, fmt.Errorf("lexical segment: tables: %w", errCorrupt)
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	s.derive()
	return s, nil
}

func readUint32s(b []byte, n int, deltas bool) (out []uint32, rest []byte, ok bool) {
	out = make([]uint32, n)
	prev := uint64(0)
	for i := range out {
		v, k := binary.Uvarint(b)
		if k <= 0 {
			return nil, nil, false
		}
		b = b[k:]
		if deltas {
			v += prev
			prev = v
		}
		if v > 1<<32-1 {
			return nil, nil, false
		}
		out[i] = uint32(v)
	}
	return out, b, true
}

func (s *Segment) check() error {
	n := s.Terms()
	if int(s.termOff[n]) != len(s.termBlob) || int(s.postOff[n]) != len(s.post) {
		return fmt.Errorf("lexical segment: bounds: %w", errCorrupt)
	}
	k := len(s.groups)
	if k == 0 && len(s.lens) > 0 || k > 0 && (s.groups[0] != 0 || int(s.groups[k-1]) > len(s.lens)) {
		return fmt.Errorf("lexical segment: groups: %w", errCorrupt)
	}
	for i := range n {
		if i > 0 && bytes.Compare(s.termBlob[s.termOff[i-1]:s.termOff[i]], s.termBlob[s.termOff[i]:s.termOff[i+1]]) >= 0 {
			return fmt.Errorf("lexical segment: order of terms: %w", errCorrupt)
		}
		if !checkList(s.post[s.postOff[i]:s.postOff[i+1]], len(s.lens)) {
			return fmt.Errorf("lexical segment: postings: %w", errCorrupt)
		}
	}
	return nil
}

func checkList(data []byte, docs int) bool {
	n, k := binary.Uvarint(data)
	if k <= 0 {
		return false
	}
	data = data[k:]
	doc, count := uint64(0), uint64(0)
	for len(data) > 0 {
		d, k := uint64(data[0]), 1
		if d >= 0x80 {
			d, k = binary.Uvarint(data)
		}
		if d&1 != 0 {
			k++ // the weight
		}
		if k <= int(d&1) || d>>1 == 0 || k > len(data) {
			return false
		}
		if doc += d >> 1; doc > uint64(docs) {
			return false
		}
		count++
		data = data[k:]
	}
	return count == n
}
