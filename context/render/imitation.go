package render

import (
	"unicode"
	"unicode/utf8"
)

// tagAfter reports whether s, the text after an opening bracket, continues like one of the tags:
// white space and slashes, then a name.
//
// A name is "ctx-" and a letter (for any future kind), or a turn tag. Case does not count;
// invisible characters are ignored; full-width letters, mathematical letters and the nearest
// look-alikes of other scripts count as their ASCII letter. "t-12-r" after '<' may also be
// arithmetic, so a turn tag must be followed, after optional white space, by what may be in a tag:
// a closing bracket, a slash, an attribute, or nothing more.
func tagAfter(s string) bool {
	if s != "" && isOrdinary[s[0]] {
		return false
	}
	c := cursor{rest: s}
	c.skip(func(r rune) bool { return isSpace(r) || isSlash(r) })
	if c.letters("ctx-") {
		return isNameLetter(c.peek())
	}
	if !c.letters("t-") || !c.digits() {
		return false
	}
	c.letters("-through-")
	c.digits()
	if !c.letters("-") || !c.oneOf("rsct") {
		return false
	}
	c.skip(isSpace)
	r := c.peek()
	return r == 0 || fold(r) == '>' || isSlash(r) || isNameLetter(r)
}

// isOrdinary holds the ASCII characters that cannot continue a tag: most of what follows '<' and
// '&' in code.
var isOrdinary = func() (is [256]bool) {
	for c := rune('!'); c < 0x7F; c++ {
		is[c] = !isSlash(c) && fold(c) != 'c' && fold(c) != 't'
	}
	return is
}()

// isNameLetter excludes the brackets that are letters of some script: whether something is a
// bracket must not depend on the one before it, see Escape.
func isNameLetter(r rune) bool { return unicode.IsLetter(r) && !isBracket(r) }

// cursor reads runes, skipping the invisible ones. At the end peek returns 0.
type cursor struct{ rest string }

func (c *cursor) peek() rune {
	for c.rest != "" {
		r, size := utf8.DecodeRuneInString(c.rest)
		if !isIgnorable(r) {
			return r
		}
		c.rest = c.rest[size:]
	}
	return 0
}

func (c *cursor) next() {
	_, size := utf8.DecodeRuneInString(c.rest)
	c.rest = c.rest[size:]
}

func (c *cursor) skip(in func(rune) bool) {
	for r := c.peek(); r != 0 && in(r); r = c.peek() {
		c.next()
	}
}

// letters consumes want, written in lower case, or nothing.
func (c *cursor) letters(want string) bool {
	start := c.rest
	for _, w := range want {
		if fold(c.peek()) != w {
			c.rest = start
			return false
		}
		c.next()
	}
	return true
}

func (c *cursor) digits() bool {
	start := len(c.rest)
	c.skip(func(r rune) bool { r = fold(r); return '0' <= r && r <= '9' })
	return len(c.rest) < start
}

func (c *cursor) oneOf(set string) bool {
	r := fold(c.peek())
	for _, s := range set {
		if r == s {
			c.next()
			return true
		}
	}
	return false
}

// isSpace is unicode.IsSpace extended by the blank letters of other scripts.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || r == '\u2800' || r == '\u3164'
}

func isSlash(r rune) bool {
	switch r {
	case '/', '／', '⁄', '∕', '⧸', '\\', '＼':
		return true
	}
	return false
}

// isIgnorable reports whether r is invisible: format and control characters, variation selectors,
// joiners.
func isIgnorable(r rune) bool {
	switch {
	case r < 0x80:
		return r < ' ' && (r < '\t' || r > '\r') || r == 0x7F
	case r == '\u034F' || r == '\u115F' || r == '\u1160' || r == '\u17B4' || r == '\u17B5':
		return true
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector)
}

// fold maps look-alikes of ASCII letters, digits, hyphen and '>' to them, letters in lower case.
func fold(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r < utf8.RuneSelf:
		return r
	case 0xFF01 <= r && r <= 0xFF5E: // full-width ASCII
		return fold(r - 0xFEE0)
	case 0x1D400 <= r && r <= 0x1D6A3: // mathematical letters: styles of A–Z, a–z
		return 'a' + (r-0x1D400)%26
	case 0x1D7CE <= r && r <= 0x1D7FF: // mathematical digits: styles of 0–9
		return '0' + (r-0x1D7CE)%10
	}
	if f, ok := lookalikes[r]; ok {
		return f
	}
	return r
}

// lookalikes maps letters of other scripts that look like those of "ctx-", "t-", "through" and the
// four levels.
var lookalikes = map[rune]rune{
	'С': 'c', 'с': 'c', 'Ϲ': 'c', 'ϲ': 'c', 'Ⅽ': 'c', 'ⅽ': 'c', 'ᴄ': 'c',
	'Т': 't', 'т': 't', 'Τ': 't', 'τ': 't', 'ᴛ': 't',
	'Х': 'x', 'х': 'x', 'Χ': 'x', 'χ': 'x', 'Ⅹ': 'x', 'ⅹ': 'x', '×': 'x',
	'Ѕ': 's', 'ѕ': 's', 'ꜱ': 's', 'ſ': 's',
	'Ꭱ': 'r', 'ʀ': 'r', 'ᴦ': 'r',
	'һ': 'h', 'Н': 'h', 'Η': 'h', 'о': 'o', 'О': 'o', 'ο': 'o', 'Ο': 'o',
	'υ': 'u', 'ս': 'u', 'ɡ': 'g', 'ց': 'g',
	'‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '―': '-', '−': '-', '﹣': '-', '⁃': '-', '˗': '-',
	'›': '>', '﹥': '>', '〉': '>', '⟩': '>', '❯': '>', '˃': '>', 'ᐳ': '>',
}
