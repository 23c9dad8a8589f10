package translate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// How much of a word tells what it means. Endings follow; languages that write them onto the word
// (German, Polish, Russian, Turkish) would have too many forms of each to learn all.
const (
	stemRunes   = 7
	hangulStem  = 4 // syllables
	gramRunes   = 4 // of a script without spaces
	shortestRun = 2
)

// Unit is a piece of a text that may have a meaning.
type Unit struct {
	Key        string // under which it is known
	Start, End int    // bytes of the text
}

// Units calls yield for the units of a text in order: of a word that is written with spaces its
// beginning, of Hangul words every beginning, and of scripts without spaces every sequence of two
// to four signs, but a run of katakana as it is. What looks like code (digits, underscores,
// capitals within) is none.
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

// word calls yield for the units of a run of letters, which scripts part.
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
	spaced   script = iota // words stand between spaces
	hangul                 // words stand between spaces, their particles written onto them
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

// grams calls yield for the sequences of two to gramRunes signs, the longest of each place first.
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

// Stem is what of a word between spaces it is known by: its beginning, in small letters; "" for a
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
