package tokens

import (
	"unicode"
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
	var b borders
	for b.read.length < len(s) {
		next, _ := c.next(s, b.read.length)
		n := c.piece(sc, s[b.read.length:next], valid)
		if b.read.tokens+n > max {
			best := c.choose(sc, s[:next], b, max)
			return s[:best.length], best.tokens
		}
		b.add(s, cut{next, b.read.tokens + n})
	}
	return s, b.read.tokens
}

// cut is a prefix: its length in bytes and its tokens.
type cut struct{ length, tokens int }

// borders holds the positions between pieces where a text may be cut.
//
// A prefix that ends with a piece is split into the same pieces, so its tokens are the sum of
// theirs: what follows a piece could only make it longer. The exception is \s+(?!\S), which leaves
// the last of several spaces to what follows them, and at the end of the text takes them all. So
// there is no cut behind that last space, whether it is a piece or starts one.
type borders struct {
	line, piece cut  // the last that are good places to cut
	read        cut  // the last one, good or not
	spaced      bool // the byte before read is a space other than a line break
}

func (b *borders) add(s string, c cut) {
	b.read = c
	r, _ := utf8.DecodeLastRuneInString(s[:c.length])
	broken := r == '\n' || r == '\r'
	spaced := unicode.IsSpace(r) && !broken
	if broken {
		b.line = c
	}
	if !spaced || !b.spaced {
		b.piece = c
	}
	b.spaced = spaced
}

// choose returns the best prefix of s. The last piece read, which follows b.read, is the first that
// does not fit.
func (c *Counter) choose(sc *scratch, s string, b borders, max int) cut {
	longest := b.piece
	if inner := c.within(sc, s[b.read.length:], max-b.read.tokens); inner.length > 0 {
		longest = cut{b.read.length + inner.length, b.read.tokens + inner.tokens}
	}
	for _, better := range []cut{b.line, b.piece} {
		if better.length > 0 && 2*better.length >= longest.length {
			return better
		}
	}
	return longest
}

// within returns the longest prefix of the piece p, cut at a rune boundary, of at most max tokens;
// if p is longer than maxShort, nearly the longest.
func (c *Counter) within(sc *scratch, p string, max int) cut {
	if max <= 0 {
		return cut{}
	}
	least := 1 // byte; a space that starts a word is never cut off alone (see borders)
	if r, n := utf8.DecodeRuneInString(p); unicode.IsSpace(r) {
		if r, _ := utf8.DecodeRuneInString(p[n:]); !unicode.IsSpace(r) {
			least = n + 1
		}
	}
	if len(p) > maxShort {
		if found := c.withinLong(sc, p, max); found.length >= least {
			return found
		}
		p = p[:border(p, maxShort)]
	}
	for length := len(p); length >= least; length = border(p, length-1) {
		if n := c.count(sc, p[:length]); n <= max {
			return cut{length, n}
		}
	}
	return cut{}
}

// withinLong cuts p behind its first max tokens. If that is within a rune, the part of the last
// token before the rune can itself be several tokens; then it tries fewer tokens.
func (c *Counter) withinLong(sc *scratch, p string, max int) cut {
	// No prefix beyond this fits; max is less than len(p), so it cannot overflow.
	p = p[:border(p, max*maxTokenLen+utf8.UTFMax)]
	for limit := max; limit > 0; {
		text := p
		if !utf8.ValidString(p) {
			text = sc.repair(p)
		}
		_, length := c.vocab.mergeLong(sc, text, limit, window, overlap)
		length = skip(p, utf8.RuneCountInString(text[:border(text, length)]))
		n := c.count(sc, p[:length])
		if n <= max {
			return cut{length, n}
		}
		limit -= n - max
	}
	return cut{}
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

// skip returns the length in bytes of the first n runes of s.
func skip(s string, runes int) int {
	for i := range s {
		if runes == 0 {
			return i
		}
		runes--
	}
	return len(s)
}
