package translate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The length of the prefix that determines a word's meaning. Endings follow; languages that append
// them to the word (German, Polish, Russian, Turkish) have too many forms of each word to learn
// all.
const (
	stemRunes   = 7
	hangulStem  = 4 // syllables
	gramRunes   = 4 // of a script without spaces
	shortestRun = 2
)

// Unit is a piece of a text that may have a meaning.
type Unit struct {
	Key        string // its key in the table
	Start, End int    // bytes of the text
}

// Units calls yield for the units of a text in order: for a word between spaces its prefix, for
// Hangul words every prefix, and for scripts without spaces every sequence of two to four
// characters, but a run of katakana as a whole. It skips what looks like code (digits, underscores,
// inner capitals).
func Units(text string, yield func(Unit)) {
	for start := 0; start < len(text); {
		r, n := utf8.DecodeRuneInString(text[start:])
		if !wordRune(r) {
			start += n
			continue
		}
		end := start
		for end < len(text) {
			r, n := utf8.DecodeRuneInString(text[end:])
			if !wordRune(r) {
				break
			}
			end += n
		}
		word(text[start:end], start, yield)
		start = end
	}
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '_' || r == 'ー'
}

// word calls yield for the units of a run of letters, separated by script.
func word(run string, at int, yield func(Unit)) {
	from, kind := 0, scriptOf(rune(0))
	for i, r := range run {
		k := scriptOf(r)
		if unicode.IsMark(r) || r == 'ー' {
			k = kind
		}
		if k != kind {
			if i > from {
				piece(run[from:i], kind, at+from, yield)
			}
			from, kind = i, k
		}
	}
	piece(run[from:], kind, at+from, yield)
}

type script int

const (
	spaced   script = iota // words are separated by spaces
	hangul                 // words are separated by spaces, with particles appended
	signs                  // Han and hiragana: no spaces
	katakana               // a word of its own
)

func scriptOf(r rune) script {
	switch {
	case r < 0x1100:
		return spaced
	case unicode.Is(unicode.Hangul, r):
		return hangul
	case unicode.Is(unicode.Katakana, r):
		return katakana
	case unicode.Is(unicode.Han, r), unicode.Is(unicode.Hiragana, r):
		return signs
	}
	return spaced
}

func piece(run string, kind script, at int, yield func(Unit)) {
	switch kind {
	case katakana:
		if utf8.RuneCountInString(run) >= shortestRun {
			yield(Unit{run, at, at + len(run)})
		}
	case signs:
		grams(run, at, yield)
	case hangul:
		n := 0
		for i, r := range run {
			if n++; n >= shortestRun && n <= hangulStem {
				yield(Unit{run[:i+utf8.RuneLen(r)], at, at + len(run)})
			}
		}
	default:
		if key := Stem(run); key != "" {
			yield(Unit{key, at, at + len(run)})
		}
	}
}

// grams calls yield for the sequences of two to gramRunes characters, the longest at each position
// first.
func grams(run string, at int, yield func(Unit)) {
	var ends []int
	for i := range run {
		ends = append(ends, i)
	}
	ends = append(ends, len(run))
	for i := range ends {
		for n := min(gramRunes, len(ends)-1-i); n >= shortestRun; n-- {
			yield(Unit{run[ends[i]:ends[i+n]], at + ends[i], at + ends[i+n]})
		}
	}
}

// Stem returns the prefix by which a word between spaces is looked up, in lower case; "" for a
// single letter and what looks like code.
func Stem(word string) string {
	for i, r := range word {
		if unicode.IsDigit(r) || r == '_' || i > 0 && unicode.IsUpper(r) && strings.ToUpper(word) != word {
			return ""
		}
	}
	word = norm.NFC.String(strings.ToLower(word))
	n := 0
	for i := range word {
		if n == stemRunes {
			return word[:i]
		}
		n++
	}
	if n < shortestRun {
		return ""
	}
	return word
}
