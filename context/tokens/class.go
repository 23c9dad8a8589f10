package tokens

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is the set of bits that the patterns test on a rune. A rune with no bit is punctuation, a
// symbol or unassigned.
type class uint8

const (
	upper   class = 1 << iota // in [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
	lower                     // in [\p{Ll}\p{Lm}\p{Lo}\p{M}]
	letter                    // in \p{L}
	number                    // in \p{N}
	space                     // in \s
	newline                   // \r or \n
	end                       // past the end of the text
)

// The classes of all runes in a two-level table, page = rune >> 8: most pages are equal, so the 1.1
// million runes take about 20 KB. They are built from package unicode, which tiktoken-go's regexp
// engine also uses, so both follow the same Unicode version.
var (
	asciiClass [utf8.RuneSelf]class
	classPage  [(unicode.MaxRune + 1) >> 8]uint8
	classPages [][256]class
)

// buildClasses fills the tables above, which takes about 3 ms.
var buildClasses = sync.OnceFunc(func() {
	flat := make([]class, unicode.MaxRune+1)
	add := func(t *unicode.RangeTable, bits class) {
		for _, r := range t.R16 {
			for c := uint32(r.Lo); c <= uint32(r.Hi); c += uint32(r.Stride) {
				flat[c] |= bits
			}
		}
		for _, r := range t.R32 {
			for c := r.Lo; c <= r.Hi; c += r.Stride {
				flat[c] |= bits
			}
		}
	}
	add(unicode.Lu, letter|upper)
	add(unicode.Lt, letter|upper)
	add(unicode.Ll, letter|lower)
	add(unicode.Lm, letter|upper|lower)
	add(unicode.Lo, letter|upper|lower)
	add(unicode.M, upper|lower)
	add(unicode.N, number)
	add(unicode.White_Space, space)
	flat['\n'] |= newline
	flat['\r'] |= newline

	copy(asciiClass[:], flat)
	known := map[[256]class]uint8{}
	for p := range classPage {
		page := [256]class(flat[p<<8:])
		n, ok := known[page]
		if !ok {
			n = uint8(len(classPages))
			known[page] = n
			classPages = append(classPages, page)
		}
		classPage[p] = n
	}
})

// classAt returns the class and the length in bytes of the rune at s[i:], or end and 0 past the end
// of the text. An invalid byte has the class of U+FFFD: none.
func classAt(s string, i int) (class, int) {
	if i >= len(s) {
		return end, 0
	}
	if b := s[i]; b < utf8.RuneSelf {
		return asciiClass[b], 1
	}
	return wideClassAt(s, i)
}

func wideClassAt(s string, i int) (class, int) {
	r, n := utf8.DecodeRuneInString(s[i:])
	return classPages[classPage[r>>8]][r&0xff], n
}
