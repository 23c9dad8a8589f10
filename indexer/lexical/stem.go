package lexical

import (
	"sync/atomic"

	"github.com/kljensen/snowball/english"
	"github.com/zeebo/xxh3"
)

// stemmed is a word with its stem. It never changes.
type stemmed struct{ word, stem string }

// stemTable remembers stems: to look one up takes a hundredth of what it takes to compute, and the
// same words stand in names everywhere. A word has one place, which the word that came last holds;
// what is lost is computed again. The zero value is ready, and it is safe for concurrent use
// without a lock: each place holds a whole pair or none.
type stemTable [1 << 13]atomic.Pointer[stemmed] // less than a megabyte when full

// stems holds nothing but values of a pure function.
var stems stemTable

// stem returns the stem of a lower-case word.
func (t *stemTable) stem(word string) string {
	at := &t[xxh3.HashString(word)%uint64(len(t))]
	if s := at.Load(); s != nil && s.word == word {
		return s.stem
	}
	s := &stemmed{word, english.Stem(word, false)}
	at.Store(s)
	return s.stem
}
