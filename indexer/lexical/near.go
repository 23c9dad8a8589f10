package lexical

import (
	"sort"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Limits on the search for terms with a similar spelling.
const (
	nearBytes  = 5   // minimum length of the term
	nearPrefix = 3   // bytes of common prefix
	nearScan   = 512 // terms with that prefix that are compared in a segment
	nearLeast  = .72 // minimum Likeness
)

// Near returns the corpus term that is spelled most like term, which the corpus lacks, or "": it
// corrects typing errors and spellings of other languages. likeness is from 0 to 1.
func (c *Corpus) Near(term string) (near string, likeness float64) {
	term = plain(term)
	if len(term) < nearBytes || IsData(term) || strings.ContainsAny(term, "0123456789") {
		return "", 0
	}
	likeness = nearLeast
	for _, p := range c.Parts {
		s := p.Segment
		from := sort.Search(s.Terms(), func(i int) bool { return s.Term(i) >= term[:nearPrefix] })
		for i := from; i < min(s.Terms(), from+nearScan); i++ {
			t := s.Term(i)
			if !strings.HasPrefix(t, term[:nearPrefix]) {
				break
			}
			if l := Likeness(term, t); l > likeness || l == likeness && near == "" {
				near, likeness = t, l
			}
		}
	}
	if near == "" {
		return "", 0
	}
	return strings.Clone(near), likeness
}

// plain returns a term without the diacritics on its letters.
func plain(term string) string {
	if ascii([]byte(term)) {
		return term
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsMark(r) || r >= unicode.MaxASCII {
			return -1
		}
		return r
	}, norm.NFD.String(term))
}

// Likeness returns the Dice coefficient of two words' pairs of neighbouring letters, with the
// word's beginning as a letter: 1 for equal words, 0 for words without a common pair (Dice,
// "Measures of the Amount of Ecologic Association Between Species", 1945).
func Likeness(a, b string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	var pairs [64]uint16
	n := 0
	for i := range a {
		if n < len(pairs) {
			pairs[n] = pairAt(a, i)
			n++
		}
	}
	shared := 0
	for i := range b {
		pair := pairAt(b, i)
		for k := range n {
			if pairs[k] == pair {
				pairs[k] = 0
				shared++
				break
			}
		}
	}
	return 2 * float64(shared) / float64(len(a)+len(b))
}

// pairAt returns the pair that ends at byte i.
func pairAt(s string, i int) uint16 {
	if i == 0 {
		return 1<<8 | uint16(s[0])
	}
	return uint16(s[i-1])<<8 | uint16(s[i])
}
