// Package lexical ranks documents by their words: it turns code and prose into terms, keeps the postings of an
// immutable set of documents in a Segment, and scores queries by BM25F on two levels at once, the document (a chunk of
// a file) and the group it belongs to (the file).
//
// Use Terms for a query or a small text, Builder to make a Segment, Merge to join segments, and Scorer to search a
// list of them as one.
package lexical

import (
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

const (
	minTermBytes   = 2
	maxTermBytes   = 40 // longer words are data (digests, base64), not language
	maxDigits      = 5  // longer numbers are data
	maxHashyDigits = 6  // letters mixed with more digits than this are digests
)

// stopWords carry no topic in English questions about code. They are left out of postings and queries alike.
var stopWords = map[string]bool{}

func init() {
	for _, w := range []string{
		"the", "of", "to", "and", "in", "is", "it", "that", "this", "for", "be", "are", "was", "were", "as", "with",
		"by", "an", "at", "or", "on", "from", "we", "you", "they", "their", "there", "which", "its", "has", "have", "had",
		"will", "would", "should", "could", "can", "may", "might", "shall", "also", "than", "then", "so", "such", "these",
		"those", "been", "being", "because", "about", "into", "our", "your", "he", "she", "his", "her", "them", "us", "my",
		"me", "am", "does", "did", "what", "where", "when", "why", "how", "who", "whose", "please", "but", "just", "very",
		"any", "some", "all", "each", "both", "here", "now", "only", "do", "don", "doesn", "isn", "ll", "ve", "re",
	} {
		stopWords[w] = true
	}
}

// Terms calls yield for every term of text in order of appearance: each identifier's parts, lower-cased and stemmed,
// and, for an identifier of several parts, all of them joined, so that retryCount, retry_count and RetryCount meet.
func Terms(text []byte, yield func(term string)) {
	cache := map[string][]string{}
	words(text, func(word []byte) {
		terms, ok := cache[string(word)]
		if !ok {
			terms = expand(word)
			cache[string(word)] = terms
		}
		for _, t := range terms {
			yield(t)
		}
	})
}

// words calls yield for every run of letters, digits and underscores. The slice is text's own.
func words(text []byte, yield func(word []byte)) {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf && !wordByte[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(text[i:])
			if !wordRune(r) {
				i += n
				continue
			}
		}
		start := i
		for i < len(text) {
			if c := text[i]; c < utf8.RuneSelf {
				if !wordByte[c] {
					break
				}
				i++
				continue
			}
			r, n := utf8.DecodeRune(text[i:])
			if !wordRune(r) {
				break
			}
			i += n
		}
		yield(text[start:i])
	}
}

var wordByte = func() (t [utf8.RuneSelf]bool) {
	for c := range t {
		t[c] = c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return t
}()

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r))
}

// expand gives the terms of one word.
func expand(word []byte) []string {
	if len(word) > 4*maxTermBytes {
		return nil
	}
	if !ascii(word) {
		return expandUnicode(string(word))
	}
	parts := split(word)
	var terms []string
	joined := 0
	for _, p := range parts {
		joined += len(p)
		if t := term(p); t != "" {
			terms = append(terms, t)
		}
	}
	if len(parts) > 1 && joined <= maxTermBytes && digits(word) <= maxHashyDigits {
		whole := make([]byte, 0, joined)
		for _, p := range parts {
			whole = append(whole, p...)
		}
		terms = append(terms, string(whole))
	}
	return terms
}

// term turns one lower-case part into the term it is indexed under, or "".
func term(p string) string {
	if len(p) < minTermBytes || len(p) > maxTermBytes || stopWords[p] {
		return ""
	}
	d := digits([]byte(p))
	if d == len(p) && d > maxDigits || d > maxHashyDigits {
		return ""
	}
	if d > 0 || len(p) < 4 {
		return p
	}
	return english.Stem(p, false)
}

// split cuts an ASCII identifier at underscores and changes of case, and lower-cases the parts: HTTPServer_v2 gives
// http, server, v2. A plural s after capitals stays with them (IDs gives ids).
func split(word []byte) []string {
	var parts []string
	start := 0
	emit := func(end int) {
		if end > start {
			parts = append(parts, lower(word[start:end]))
		}
		start = end
	}
	for i, c := range word {
		switch {
		case c == '_':
			emit(i)
			start = i + 1
		case i > start && isUpper(c):
			prev := word[i-1]
			nextLower := i+1 < len(word) && isLower(word[i+1])
			pluralOnly := nextLower && word[i+1] == 's' && (i+2 == len(word) || !isLower(word[i+2]))
			if !isUpper(prev) && prev != '_' || nextLower && !pluralOnly {
				emit(i)
			}
		}
	}
	emit(len(word))
	return parts
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

func lower(b []byte) string {
	out := make([]byte, len(b))
	for i, c := range b {
		if isUpper(c) {
			c |= 0x20
		}
		out[i] = c
	}
	return string(out)
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func digits(b []byte) int {
	n := 0
	for _, c := range b {
		if c >= '0' && c <= '9' {
			n++
		}
	}
	return n
}

// expandUnicode handles words with letters outside ASCII: scripts written without spaces give pairs of letters, all
// others the lower-cased word.
func expandUnicode(word string) []string {
	var terms []string
	var run []rune
	flush := func() {
		if n := len(run); n > 0 && n*utf8.UTFMax <= 4*maxTermBytes {
			terms = append(terms, string(run))
		}
		run = run[:0]
	}
	prev := rune(-1)
	for _, r := range word {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			flush()
			if prev >= 0 {
				terms = append(terms, string([]rune{prev, r}))
			}
			prev = r
			continue
		}
		prev = -1
		if r == '_' {
			flush()
			continue
		}
		run = append(run, unicode.ToLower(r))
	}
	flush()
	if len(terms) == 0 && prev >= 0 {
		terms = append(terms, string(prev))
	}
	return terms
}
