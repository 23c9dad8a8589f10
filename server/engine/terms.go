package engine

import (
	"hash/maphash"
	"sync/atomic"
	"unicode/utf8"

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
	keptWords    = 1 << 15 // a word replaces another with the same hash: five megabytes at most
	longestWord  = 48      // bytes of the longest word that is cached
	shortestWord = 2       // shorter ones have no term
)

// each calls yield for the terms of a text, in order, like lexical.Terms.
func (l *lexicon) each(text string, yield func(string)) {
	for i := 0; i < len(text); {
		if separates(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && !separates(text[i]) {
			i++
		}
		l.word(text[start:i], yield)
	}
}

// separates reports whether a byte always ends a word. Some non-ASCII characters end words too,
// which is left to lexical.Terms: it does not matter where a text is cut, as long as no word is.
func separates(c byte) bool {
	return c < utf8.RuneSelf && c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z')
}

func (l *lexicon) word(word string, yield func(string)) {
	if len(word) < shortestWord {
		return
	}
	if len(word) > longestWord {
		lexical.Terms([]byte(word), yield)
		return
	}
	slot := &l.slots[maphash.String(l.seed, word)%keptWords]
	e := slot.Load()
	if e == nil || e.word != word {
		e = &lexeme{word: string([]byte(word))} // so that the text is not kept in memory
		lexical.Terms([]byte(word), func(t string) { e.terms = append(e.terms, t) })
		slot.Store(e)
	}
	for _, t := range e.terms {
		yield(t)
	}
}
