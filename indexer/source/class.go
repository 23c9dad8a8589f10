package source

import "strings"

// compileClass reads the bracket expression that starts at p[at] and returns
// the set of bytes it matches and the index of its closing bracket. The set
// is nil when the expression is malformed: not closed, or naming a class that
// does not exist.
func compileClass(p string, at int, fold bool) (set *[4]uint64, end int) {
	set = new([4]uint64)
	for c := 0; c < 256; c++ {
		t := byte(c)
		if fold {
			t = lower(t)
		}
		in, e := classHas(p, at, t, fold)
		if e < 0 {
			return nil, 0
		}
		end = e
		if in {
			set[c>>6] |= 1 << (c & 63)
		}
	}
	return set, end
}

// classHas reports whether the bracket expression that starts at p[at] matches the byte t of a
// text, and returns the index of its closing bracket, -1 for a malformed expression. It follows the
// loop of Git's wildmatch.c. With fold, t is in lower case.
func classHas(p string, at int, t byte, fold bool) (in bool, end int) {
	b := bracket{pattern: p, at: at + 1}
	negated := b.peek(0) == '!' || b.peek(0) == '^'
	if negated {
		b.at++
	}
	first := b.at // a bracket here is an ordinary byte
	matched := false
	for prev := byte(0); ; b.at++ {
		c := b.peek(0)
		switch {
		case c == ']' && b.at > first:
			return matched != negated, b.at
		case c == '-' && prev != 0 && b.peek(1) != 0 && b.peek(1) != ']':
			b.at++
			last := b.literal()
			if last == 0 {
				return false, -1
			}
			matched = matched || inRange(t, prev, last, fold)
			prev = 0 // a range's end does not start another one
		case c == '[' && b.peek(1) == ':' && !b.isOrdinaryBracket():
			in, known := posixClass(b.className(), t, fold)
			if !known {
				return false, -1
			}
			matched = matched || in
			prev = 0
		default:
			if prev = b.literal(); prev == 0 {
				return false, -1
			}
			matched = matched || t == prev
		}
	}
}

// bracket is a position in a pattern's bracket expression.
type bracket struct {
	pattern string
	at      int
}

// peek returns the byte n after the position, or 0 past the pattern's end.
func (b *bracket) peek(n int) byte {
	if b.at+n < len(b.pattern) {
		return b.pattern[b.at+n]
	}
	return 0
}

// literal returns the byte at the position, or the one that the backslash there escapes, to which
// it moves; 0 at the pattern's end.
func (b *bracket) literal() byte {
	if b.peek(0) == '\\' {
		b.at++
	}
	return b.peek(0)
}

// isOrdinaryBracket reports whether the "[:" at the position begins no class, because the next
// closing bracket has no colon before it.
func (b *bracket) isOrdinaryBracket() bool {
	name := b.pattern[b.at+2:]
	end := strings.IndexByte(name, ']')
	return end >= 0 && !strings.HasSuffix(name[:end], ":")
}

// className returns the name of the class at the position, as in "[:alpha:]", and moves to the
// class's closing bracket. A class that is not closed has no name.
func (b *bracket) className() string {
	name, _, closed := strings.Cut(b.pattern[b.at+2:], ":]")
	if !closed {
		return ""
	}
	b.at += 2 + len(name) + 1
	return name
}

// inRange reports whether t is one of the bytes from lo to hi, with fold also in upper case.
func inRange(t, lo, hi byte, fold bool) bool {
	if lo <= t && t <= hi {
		return true
	}
	if fold && 'a' <= t && t <= 'z' {
		t -= 'a' - 'A'
		return lo <= t && t <= hi
	}
	return false
}

// posixClass reports whether a byte is in the class of that name, and whether there is such a
// class.
func posixClass(name string, t byte, fold bool) (in, known bool) {
	if fold && name == "upper" {
		name = "alpha" // t is in lower case
	}
	has, known := posixClasses[name]
	return known && has(t), known
}

// posixClasses are the classes that Git supports, as Git defines them: ASCII only, and white space
// without vertical tab and form feed.
var posixClasses = map[string]func(byte) bool{
	"alnum":  isAlnum,
	"alpha":  func(t byte) bool { return isUpper(t) || isLower(t) },
	"blank":  func(t byte) bool { return t == ' ' || t == '\t' },
	"cntrl":  func(t byte) bool { return t < 0x20 || t == 0x7f },
	"digit":  isDigit,
	"graph":  func(t byte) bool { return isPrint(t) && t != ' ' },
	"lower":  isLower,
	"print":  isPrint,
	"punct":  func(t byte) bool { return isPrint(t) && t != ' ' && !isAlnum(t) },
	"space":  func(t byte) bool { return t == ' ' || t == '\t' || t == '\n' || t == '\r' },
	"upper":  isUpper,
	"xdigit": func(t byte) bool { return isDigit(t) || 'a' <= t && t <= 'f' || 'A' <= t && t <= 'F' },
}

func isUpper(t byte) bool { return 'A' <= t && t <= 'Z' }
func isLower(t byte) bool { return 'a' <= t && t <= 'z' }
func isDigit(t byte) bool { return '0' <= t && t <= '9' }
func isAlnum(t byte) bool { return isUpper(t) || isLower(t) || isDigit(t) }
func isPrint(t byte) bool { return 0x20 <= t && t <= 0x7e }
