package tokens

import (
	"unicode/utf8"
)

// Truncate returns a prefix of s of at most max tokens and its exact count. s
// itself is returned when it fits. Otherwise the prefix ends behind the last line
// break that fits, when that keeps at least half of what a cut at any rune would
// keep; else between two pieces of the split under the same rule; else within a
// piece, at a rune's border. It is empty when not even one rune fits.
func (c *Counter) Truncate(s string, max int) (prefix string, n int) {
	if max <= 0 {
		return "", 0
	}
	sc := c.pool.Get().(*scratch)
	defer c.put(sc)

	valid := utf8.ValidString(s)
	var line, piece cut
	for i := 0; i < len(s); {
		next, _ := c.next(s, i)
		n := c.piece(sc, s[i:next], valid)
		if piece.tokens+n > max {
			return c.choose(sc, s, line, piece, next, max)
		}
		i = next
		piece = cut{i, piece.tokens + n}
		if b := s[i-1]; b == '\n' || b == '\r' {
			line = piece
		}
	}
	return s, piece.tokens
}

// cut is a prefix: its length in bytes and its tokens. Where the split of a text
// has a border, the prefix up to there splits the same, so its tokens are the sum
// of its pieces': what follows a piece could only make it longer, but for
// \s+(?!\S), which at the text's end takes exactly what it took before.
type cut struct{ length, tokens int }

// choose returns the best prefix of s: line and piece are the last ones at a line
// and at a piece that fit, next is where the first piece ends that does not.
func (c *Counter) choose(sc *scratch, s string, line, piece cut, next, max int) (string, int) {
	inner := c.within(sc, s[piece.length:next], max-piece.tokens)
	best := cut{piece.length + inner.length, piece.tokens + inner.tokens}
	for _, better := range []cut{piece, line} {
		if 2*better.length >= piece.length+inner.length && better.length > 0 {
			best = better
		}
	}
	return s[:best.length], best.tokens
}

// within returns a prefix of p, at a rune's border, of at most max tokens, close
// to the longest. Longer prefixes can have fewer tokens, so there is no order to
// search by; bisection finds one that fits and whose next rune does not.
func (c *Counter) within(sc *scratch, p string, max int) cut {
	if max <= 0 {
		return cut{}
	}
	fits, over := cut{}, len(p)
	if most := max * maxTokenLen; most < over { // beyond it nothing fits
		over = most + 1
	}
	for {
		mid := border(p, fits.length+(over-fits.length)/2)
		if mid <= fits.length {
			if _, n := utf8.DecodeRuneInString(p[fits.length:]); fits.length+n >= over {
				return fits
			} else {
				mid = fits.length + n
			}
		}
		if n := c.count(sc, p[:mid]); n <= max {
			fits = cut{mid, n}
		} else {
			over = mid
		}
	}
}

// border returns the last border of a rune of p at or before i.
func border(p string, i int) int {
	for j := i; j > 0 && i-j < utf8.UTFMax; j-- {
		if utf8.RuneStart(p[j]) {
			if _, n := utf8.DecodeRuneInString(p[j:]); j+n > i {
				return j
			}
			break
		}
	}
	return i
}
