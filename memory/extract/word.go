package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// stopWords say nothing about a subject.
var stopWords = wordSet(`a an the and or but nor so yet if then else than that this these those there here it its it's he she they them their theirs
	his her hers him we us our ours you your yours i i'm i've i'll i'd me my mine we're we've we'll we'd you're you've you'll you'd they're
	they've they'll is isn't are aren't was wasn't were weren't be been being am do does doesn't did didn't don't done doing have haven't has
	hasn't had hadn't having will won't would wouldn't shall should shouldn't can can't cannot could couldn't may might must of in on at by for
	with without from to into onto out over under up down off about as per via through between among within after before since until while
	during not no yes what which who whom whose when where why how all any some each every both few more most other another such only own same
	too very just also even still now again ever never always often really actually maybe perhaps please thanks thank ok okay well let lets
	let's get got gets go goes going gone went make makes made want wants need needs like know think thing things something anything
	everything nothing one way lot bit much many because that's what's there's here's who's how's let's it'd it'll
	say says said see seen look looks looking try tries tried trying sure yeah yep hey hi hello great good nice`)

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// Terms calls found for each word of text that can say what it is about, as the hash of its folded stem: no stop
// words, nothing under three letters but digits and capitals; of a name in code also its parts; of scripts without
// spaces each pair of characters. The same word may be found several times. The normal form of text does not matter.
func Terms(text string, found func(term uint32)) {
	text = norm.NFC.String(text)
	var prev rune
	for i := 0; i < len(text); {
		b := text[i]
		if b < utf8.RuneSelf && !wordByte(b) {
			i, prev = i+1, 0
			continue
		}
		if b >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(text[i:])
			if unspaced(r) {
				if prev != 0 {
					found(uint32(prev)*0x9E3779B1 ^ uint32(r))
				}
				i, prev = i+n, r
				continue
			}
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				i, prev = i+n, 0
				continue
			}
		}
		prev = 0
		end, compound := wordEnd(text, i)
		word := text[i:end]
		i = end
		term(word, found)
		if compound {
			parts(word, found)
		}
	}
}

// wordEnd is the end of the word at i and whether it is made of parts: camelCase, snake_case.
func wordEnd(text string, i int) (end int, compound bool) {
	for end = i; end < len(text); {
		b := text[end]
		switch {
		case wordByte(b):
			compound = compound || b == '_' && end > i || end > i && b >= 'A' && b <= 'Z' && text[end-1] >= 'a' && text[end-1] <= 'z'
			end++
		case b == '\'' && end > i && end+1 < len(text) && wordByte(text[end+1]):
			end++
		case b >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(text[end:])
			if r == '’' && end > i && end+n < len(text) && wordByte(text[end+n]) {
				end += n
				continue
			}
			if unspaced(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) {
				return end, compound
			}
			end += n
		default:
			return end, compound
		}
	}
	return end, compound
}

// parts finds the terms of a compound name.
func parts(word string, found func(uint32)) {
	start := 0
	for i := 1; i <= len(word); i++ {
		cut := i == len(word) || word[i] == '_' || word[i] >= 'A' && word[i] <= 'Z' && word[i-1] >= 'a' && word[i-1] <= 'z'
		if !cut {
			continue
		}
		term(strings.Trim(word[start:i], "_"), found)
		start = i
	}
}

// longestTerm bounds what is hashed of one word: more of it tells no two words apart that anybody wrote.
const longestTerm = 64

func term(word string, found func(uint32)) {
	if len(word) > longestTerm {
		word = word[:longestTerm]
	}
	var space [2 * longestTerm]byte
	low := foldWord(space[:0], word)
	if len(low) < 2 || stopWords[string(low)] {
		return
	}
	if len(low) == 2 && !(word[0] >= 'A' && word[0] <= 'Z' && word[1] >= 'A' && word[1] <= 'Z') && !(low[0] >= '0' && low[0] <= '9') {
		return
	}
	low = stem(low)
	h := uint32(2166136261)
	for _, b := range low {
		h = (h ^ uint32(b)) * 16777619
	}
	found(h)
}

// foldWord appends word in lower case with a plain apostrophe to buf; a possessive loses its end.
func foldWord(buf []byte, word string) []byte {
	ascii := true
	for i := range len(word) {
		if word[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
		buf = append(buf, lowerByte(word[i]))
	}
	if !ascii {
		buf = append(buf[:0], strings.ToLower(strings.ReplaceAll(word, "’", "'"))...)
	}
	if n := len(buf); n > 3 && buf[n-2] == '\'' && buf[n-1] == 's' && !stopWords[string(buf)] {
		buf = buf[:n-2]
	}
	return buf
}

// stem takes the commonest English endings off, so that "caches", "cached" and "caching" are one term.
func stem(w []byte) []byte {
	n := len(w)
	ends := func(s string) bool { return n > len(s)+2 && string(w[n-len(s):]) == s }
	switch {
	case ends("ies"):
		w = append(w[:n-3], 'y')
	case ends("ing") && n > 5:
		w = undouble(w[:n-3])
	case ends("ed") && n > 4:
		w = undouble(w[:n-2])
	case ends("es") && n > 4:
		w = w[:n-2]
	case ends("s") && w[n-2] != 's' && w[n-2] != 'u':
		w = w[:n-1]
	}
	if n = len(w); n > 3 && w[n-1] == 'e' {
		w = w[:n-1]
	}
	return w
}

func undouble(w []byte) []byte {
	if n := len(w); n > 3 && w[n-1] == w[n-2] && w[n-1] != 'l' && w[n-1] != 's' {
		return w[:n-1]
	}
	return w
}

// unspaced reports whether r belongs to a script that is written without spaces between words.
func unspaced(r rune) bool {
	return r >= 0x2E80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) || r >= 0x0E00 && r <= 0x0E7F
}
