package lexical

import (
	"sync/atomic"

	"github.com/kljensen/snowball/english"
	"github.com/zeebo/xxh3"
)

// stemEntry is a word with its stem. It is immutable.
type stemEntry struct{ word, stem string }

// stemTable caches stems: a lookup takes a hundredth of the time to compute one, and the same words
// recur in names. A word has one slot, which holds the most recent word; a replaced one is computed
// again. The zero value is ready for use, and it is safe for concurrent use without a lock: each
// slot holds a whole pair or none.
type stemTable [1 << 13]atomic.Pointer[stemEntry] // less than a megabyte when full

// stems caches only values of a pure function.
var stems stemTable

// stem returns the stem of a lower-case word.
func (t *stemTable) stem(word []byte) string {
	at := &t[xxh3.Hash(word)%uint64(len(t))]
	if s := at.Load(); s != nil && s.word == string(word) {
		return s.stem
	}
	s := &stemEntry{string(word), english.Stem(string(word), false)}
	at.Store(s)
	return s.stem
}
