package lexical

import (
	"math/bits"
	"sync"
)

// Scratch lends the large lists that a search fills and forgets, so that searching a large corpus
// leaves the collector little to do: beside an index that lies in files, what a few searches
// allocate is most of the heap. The zero value is ready; a nil Scratch lends fresh lists. Safe for
// concurrent use.
type Scratch struct {
	floats   [64]sync.Pool // of *[]float32, by the binary logarithm of the capacity
	postings sync.Pool     // of *[]Posting
}

// Floats lends n zeros.
func (s *Scratch) Floats(n int) []float32 {
	if s != nil {
		if list, ok := s.floats[bits.Len(uint(n))].Get().(*[]float32); ok && cap(*list) >= n {
			out := (*list)[:n]
			clear(out)
			return out
		}
	}
	return make([]float32, n)
}

// Return takes lists back, of which nobody may hold a part any more. Nil ones are passed over.
func (s *Scratch) Return(lists ...[]float32) {
	if s == nil {
		return
	}
	for _, list := range lists {
		if cap(list) > 0 {
			s.floats[bits.Len(uint(cap(list)))].Put(&list)
		}
	}
}

// lendPostings lends an empty list with room for n.
func (s *Scratch) lendPostings(n int) []Posting {
	if s != nil {
		if list, ok := s.postings.Get().(*[]Posting); ok && cap(*list) >= n {
			return (*list)[:0]
		}
	}
	return make([]Posting, 0, n+n/4) // the next query may have more
}

func (s *Scratch) returnPostings(list []Posting) {
	if s != nil && cap(list) > 0 {
		s.postings.Put(&list)
	}
}

// Release gives back what a search was lent. The scores and what Held tells must not be used any
// more.
func (c *Corpus) Release(s Scores) {
	c.Scratch.Return(s.Doc, s.Group)
	if s.Held != nil {
		c.Scratch.returnPostings(s.Held.all)
	}
}
