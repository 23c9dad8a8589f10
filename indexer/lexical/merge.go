package lexical

import "encoding/binary"

// Live selects the documents of a segment that count; nil means all.
type Live interface {
	// Doc reports whether document d is live.
	Doc(d int) bool
	// Group reports whether group g is live. All documents of a dead group are dead.
	Group(g int) bool
}

// Merge joins segments into one, in order, leaving out dead groups. The caller must keep the same
// order for data stored beside the segments.
func Merge(segs []*Segment, live []Live) *Segment {
	out := &Segment{}
	remap := make([][]uint32, len(segs)) // old document → new + 1
	for k, s := range segs {
		remap[k] = make([]uint32, s.Docs())
		for g := range s.Groups() {
			if live[k] != nil && !live[k].Group(g) {
				continue
			}
			out.groups = append(out.groups, uint32(len(out.lens)))
			first, end := s.GroupDocs(g)
			for d := first; d < end; d++ {
				out.lens = append(out.lens, s.lens[d])
				remap[k][d] = uint32(len(out.lens))
			}
		}
	}
	var buf []Posting
	var data []byte
	Union(segs, func(term string, at []int) bool {
		data = data[:0]
		n, last := uint64(0), uint32(0)
		for k, s := range segs {
			if at[k] < 0 {
				continue
			}
			buf = s.Postings(at[k], buf[:0])
			for _, p := range buf {
				if d := remap[k][p.Doc]; d > 0 {
					data = appendPosting(data, d-last, p.Weight)
					last = d
					n++
				}
			}
		}
		if n > 0 {
			out.termOff = append(out.termOff, uint32(len(out.termBlob)))
			out.postOff = append(out.postOff, uint32(len(out.post)))
			out.termBlob = append(out.termBlob, term...)
			out.post = binary.AppendUvarint(out.post, n)
			out.post = append(out.post, data...)
		}
		return true
	})
	out.termOff = append(out.termOff, uint32(len(out.termBlob)))
	out.postOff = append(out.postOff, uint32(len(out.post)))
	out.derive()
	return out
}

// Union calls yield for every term of the segments in sorted order. at holds the term's index in
// each segment, -1 if the segment lacks it, and is valid until yield returns. yield returns false
// to stop.
func Union(segs []*Segment, yield func(term string, at []int) bool) {
	next := make([]int, len(segs))
	at := make([]int, len(segs))
	for {
		term, found := "", false
		for k, s := range segs {
			if next[k] < s.Terms() && (!found || s.Term(next[k]) < term) {
				term, found = s.Term(next[k]), true
			}
		}
		if !found {
			return
		}
		for k, s := range segs {
			at[k] = -1
			if next[k] < s.Terms() && s.Term(next[k]) == term {
				at[k] = next[k]
				next[k]++
			}
		}
		if !yield(term, at) {
			return
		}
	}
}
