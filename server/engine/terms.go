package engine

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// Terms splits a text as the index of the workspace does.
func Terms(text string, yield func(string)) { analysed.each(text, yield) }

// analysed is shared by all callers: the terms of a word never change.
var analysed = &lexicon{seed: maphash.MakeSeed()}

// lexicon caches the terms of recent words. Stemming a word takes a hundred times as long as a
// lookup, and conversations repeat few words. Safe for concurrent use.
type lexicon struct {
	seed  maphash.Seed
	slots [keptWords]atomic.Pointer[lexeme]
}

// lexeme is a word with its terms. It is immutable.
type lexeme struct {
	word  string
	terms []string
}

const (
	keptWords   = 1 << 15 // a word replaces another with the same hash: five megabytes at most
	longestWord = 48      // bytes of the longest word that is cached
)

// each calls yield for the terms of a text, in order, like lexical.Terms.
func (l *lexicon) each(text string, yield func(string)) {
	lexical.Words([]byte(text), func(word []byte) { l.word(word, yield) })
}

func (l *lexicon) word(word []byte, yield func(string)) {
	if len(word) > longestWord {
		lexical.Terms(word, yield)
		return
	}
	slot := &l.slots[maphash.Bytes(l.seed, word)%keptWords]
	e := slot.Load()
	if e == nil || e.word != string(word) {
		e = &lexeme{word: string(word)}
		lexical.Terms(word, func(t string) { e.terms = append(e.terms, t) })
		slot.Store(e)
	}
	for _, t := range e.terms {
		yield(t)
	}
}
