package lexical

import (
	"cmp"
	"slices"
	"sort"
)

// Holders records which of a query's terms occur in which documents.
type Holders struct {
	hits []termHits // of Terms
	base []int      // first document by part, one more than parts
	all  []Posting  // the memory of all lists in hits
}

// Over returns the bits of the terms that occur in the documents of one group from first up to end,
// excluding end: bit i stands for Terms[i]. It returns 0 for a nil h.
func (h *Holders) Over(first, end int) (bits uint64) {
	if h == nil || first >= end {
		return 0
	}
	k := sort.SearchInts(h.base, first+1) - 1
	from, to := uint32(first-h.base[k]), uint32(end-h.base[k])
	for i := range h.hits {
		list := h.hits[i].part[k]
		at := seek(list, from)
		if at < len(list) && list[at].Doc < to {
			bits |= 1 << i
		}
	}
	return bits
}

// Among is Corpus.Among on postings that are already decoded. ok is false if one of the terms is
// not among them.
func (h *Holders) Among(terms []string, docs []int) (n int, held []int, ok bool) {
	if h == nil || len(terms) == 0 {
		return 0, nil, false
	}
	asked := make([]*termHits, len(terms))
	for i, term := range terms {
		at := slices.IndexFunc(h.hits, func(t termHits) bool { return t.Text == term })
		if at < 0 {
			return 0, nil, false
		}
		asked[i] = &h.hits[at]
	}
	slices.SortStableFunc(asked, func(a, b *termHits) int { return cmp.Compare(a.docs, b.docs) }) // the rarest first
	for k, base := range h.base[:len(h.base)-1] {
		cut, _ := slices.BinarySearch(docs, h.base[k+1])
		for _, doc := range docs[:cut] {
			if holdAll(asked, k, uint32(doc-base)) {
				held = append(held, doc)
			}
		}
		docs = docs[cut:]
	}
	if len(asked) == 1 {
		return asked[0].docs, held, true
	}
	for k := range len(h.base) - 1 {
		n += countAll(asked, k)
	}
	return n, held, true
}

// holdAll reports whether a document of a part contains all of the terms.
func holdAll(asked []*termHits, part int, doc uint32) bool {
	for _, t := range asked {
		if list := t.part[part]; !holds(list, doc) {
			return false
		}
	}
	return true
}

func holds(list []Posting, doc uint32) bool {
	at := seek(list, doc)
	return at < len(list) && list[at].Doc == doc
}

// countAll returns the number of documents of a part that contain all of the terms, the rarest of
// which is the first.
func countAll(asked []*termHits, part int) (n int) {
	rests := make([][]Posting, len(asked)-1)
	for i, t := range asked[1:] {
		rests[i] = t.part[part]
	}
next:
	for _, x := range asked[0].part[part] {
		for i, rest := range rests {
			for len(rest) > 0 && rest[0].Doc < x.Doc {
				rest = rest[1:]
			}
			rests[i] = rest
			if len(rest) == 0 {
				return n
			}
			if rest[0].Doc != x.Doc {
				continue next
			}
		}
		n++
	}
	return n
}

// seek returns the index of the first posting whose document is doc or later. It guesses the index
// as if the documents of a term were spread evenly, and searches from there in doubling steps.
func seek(list []Posting, doc uint32) int {
	n := len(list)
	if n == 0 || list[0].Doc >= doc {
		return 0
	}
	first, last := list[0].Doc, list[n-1].Doc
	if last < doc {
		return n
	}
	low, high := 0, n-1 // list[low].Doc < doc <= list[high].Doc
	at := int(uint64(doc-first) * uint64(n-1) / uint64(last-first))
	if list[at].Doc < doc {
		low = at
		for step := 1; low+step < high; step *= 2 {
			if list[low+step].Doc >= doc {
				high = low + step
				break
			}
			low += step
		}
	} else {
		high = at
		for step := 1; high-step > low; step *= 2 {
			if list[high-step].Doc < doc {
				low = high - step
				break
			}
			high -= step
		}
	}
	for high-low > 1 {
		middle := int(uint(low+high) >> 1)
		if list[middle].Doc < doc {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// hold returns the holders of the rarest terms.
func (c *Corpus) hold(hits []termHits) (*Holders, []TermUse) {
	slices.SortStableFunc(hits, func(a, b termHits) int { return cmp.Compare(a.docs, b.docs) })
	h := &Holders{hits: hits[:min(len(hits), maxHeld)], base: []int{0}}
	for k, p := range c.Parts {
		h.base = append(h.base, h.base[k]+p.Segment.Docs())
	}
	terms := make([]TermUse, len(h.hits))
	for i, t := range h.hits {
		terms[i] = TermUse{t.QueryTerm, t.docs}
	}
	return h, terms
}
