package tokens

import (
	"sort"
	"unicode/utf8"
)

// Truncate returns a prefix of s of at most max tokens and its exact count. s itself is returned if
// it fits. Otherwise the prefix ends behind the last line break that fits, if it then keeps at
// least half the bytes that a cut at any rune would keep; otherwise between two pieces of the split
// under the same rule; otherwise within a piece, at a rune boundary. It is empty if not even one
// rune fits.
func (c *Counter) Truncate(s string, max int) (prefix string, n int) {
	if max <= 0 {
		return "", 0
	}
	sc := c.pool.Get().(*scratch)
	defer c.put(sc)
	valid := utf8.ValidString(s)
	line, piece, next := 0, 0, 0 // ends of what fits: behind a line break, and behind a piece; and of the piece after it
	for ; piece < len(s); piece = next {
		next, _ = c.next(s, piece)
		more := c.piece(sc, s[piece:next], valid)
		if n+more > max {
			break
		}
		n += more
		if last := s[next-1]; last == '\n' || last == '\r' {
			line = next
		}
	}
	if piece == len(s) {
		return s, n
	}
	// The counts of longer prefixes are hardly ever lower.
	longest := piece + sort.Search(next-piece, func(more int) bool { return c.count(sc, s[:border(s, piece+more+1)]) > max })
	for _, end := range []int{line, piece, longest} {
		if end = border(s, end); 2*end < longest {
			continue
		}
		// What a piece at the end of the text looks at is gone, so it may have more tokens.
		for ; end > 0; end = border(s, end-1) {
			if n := c.count(sc, s[:end]); n <= max {
				return s[:end], n
			}
		}
	}
	return "", 0
}

// border returns the last rune boundary of s at or before i.
func border(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	for j := i; j >= 0 && i-j < utf8.UTFMax; j-- {
		if utf8.RuneStart(s[j]) {
			if _, n := utf8.DecodeRuneInString(s[j:]); j+n > i {
				return j
			}
			break
		}
	}
	return i
}
