package lexical

import (
	"math/bits"
	"sync"
)

// Scratch lends the large lists that a search fills and discards, to reduce garbage collection on a
// large corpus: for an index in mapped files, the allocations of a few searches are most of the
// heap. The zero value is ready for use; a nil Scratch allocates new lists. It is safe for
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

// Return takes back lists, of which no caller may hold a part any more. It ignores nil lists.
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

// Release returns the lists of a search to Scratch. The scores and Held must not be used
// afterwards.
func (c *Corpus) Release(s Scores) {
	c.Scratch.Return(s.Doc, s.Group)
	if s.Held != nil {
		c.Scratch.returnPostings(s.Held.all)
	}
}
