package subject

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// where is the context of a token, which decides how much it takes to count as a name.
type where byte

const (
	prose where = iota
	fenced
	inline // the only text between two backticks
)

// token is a run of the characters that names and paths consist of.
type token struct {
	text   string
	where  where
	called int    // 1: followed by (, 2: followed by ()
	before string // the token before it on the line
}

// maxInline bounds the text between two backticks of one line, in bytes.
const maxInline = 160

// text adds the names in a Markdown text.
func (c *collector) text(s string) {
	fence := ""
	for line := range strings.Lines(s) {
		if c.full() {
			return
		}
		mark := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && strings.HasPrefix(mark, fence):
			fence = ""
		case fence != "":
			c.tokens(line, fenced)
		default:
			c.prose(line)
		}
	}
}

// fenceOf returns the mark that begins or ends a code block, or "" if the line does neither.
func fenceOf(line string) string {
	s := strings.TrimLeft(line, " \t>")
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(s, mark) && (mark != "```" || !strings.Contains(s[3:], "```")) {
			return mark
		}
	}
	return ""
}

// prose adds the names in a line that may have code in backticks.
func (c *collector) prose(line string) {
	for {
		start := strings.IndexByte(line, '`')
		if start < 0 {
			c.tokens(line, prose)
			return
		}
		c.tokens(line[:start], prose)
		line = line[start:]
		ticks := len(line) - len(strings.TrimLeft(line, "`"))
		line = line[ticks:]
		if end := closing(line[:min(len(line), maxInline)], ticks); end >= 0 {
			c.code(line[:end])
			line = line[end+ticks:]
		}
	}
}

// closing returns the index of the run of exactly as many backticks, or -1.
func closing(s string, ticks int) int {
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '`')
		if i < 0 {
			return -1
		}
		at += i
		run := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
		if run == ticks {
			return at
		}
		at += run
	}
}

// code adds the names in the text between backticks: one name, or a piece of code.
func (c *collector) code(s string) {
	s = strings.TrimSpace(s)
	if strings.ContainsAny(strings.TrimSuffix(s, "()"), " \t=,;(") {
		c.tokens(s, fenced)
		return
	}
	c.tokens(s, inline)
}

// tokens reads a line without backticks.
func (c *collector) tokens(s string, w where) {
	before := ""
	for len(s) > 0 && !c.full() {
		n, size := nextToken(s)
		t := token{text: s[n : n+size], where: w, before: before}
		s = s[n+size:]
		if size == 0 {
			return
		}
		if strings.Contains(t.text, "://") || strings.HasPrefix(t.text, "www.") {
			rest := strings.IndexFunc(s, unicode.IsSpace) // what follows belongs to the address
			if rest < 0 {
				rest = len(s)
			}
			if strings.HasPrefix(t.text, "file://") {
				c.uri(strings.TrimRight(t.text, ".,:;"))
			}
			s, before = s[rest:], ""
			continue
		}
		if strings.HasPrefix(s, "()") {
			t.called = 2
		} else if strings.HasPrefix(s, "(") {
			t.called = 1
		}
		if !isOrdinary(t) {
			c.word(t)
		}
		before = t.text
	}
}

// isOrdinary detects most words of prose cheaply: ASCII letters of which only the first may be a
// capital.
func isOrdinary(t token) bool {
	if t.where == inline || t.called > 0 || t.where == fenced && declares[t.before] {
		return false
	}
	s := strings.TrimRight(t.text, ".:")
	for i := 0; i < len(s); i++ {
		if !isLetter(s[i]) || s[i] < 'a' && i > 0 {
			return false
		}
	}
	return s == "" || s[0] >= 'a' || !bareNames[s]
}

// nextToken returns the index and the length of the next token in s. A length of 0 means that there
// is none.
func nextToken(s string) (start, size int) {
	at := 0
	for at < len(s) && tokenBytes(s, at, at) == 0 {
		at++
	}
	start = at
	for at < len(s) {
		n := tokenBytes(s, start, at)
		if n == 0 {
			break
		}
		at += n
	}
	return start, at - start
}

// tokenBytes returns the number of bytes at index at that continue the token begun at start, or 0
// if the token ends there.
func tokenBytes(s string, start, at int) int {
	ch := s[at]
	switch {
	case isLetter(ch) || isDigit(ch) || strings.IndexByte(`_$./\:#-@~+%`, ch) >= 0:
		return 1
	case ch == '>':
		if at > start && s[at-1] == '-' && at+1 < len(s) && (isLetter(s[at+1]) || s[at+1] == '_') {
			return 1
		}
	case ch == '[' && at > start && s[at-1] == '/': // a route's parameter: app/[id]/page.tsx
		end := strings.IndexByte(s[at:min(len(s), at+40)], ']')
		if end > 1 && !strings.ContainsFunc(s[at+1:at+end], func(r rune) bool { return !isIdentRune(r) && r != '.' && r != '-' }) {
			return end + 1
		}
	case ch >= utf8.RuneSelf:
		r, size := utf8.DecodeRuneInString(s[at:])
		if r != utf8.RuneError && isIdentRune(r) {
			return size
		}
	}
	return 0
}

// isIdentRune reports whether a name may contain the rune. Runes of scripts written without spaces
// are excluded: a name among them could not be told apart.
func isIdentRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isLetter(byte(r)) || isDigit(byte(r)) || r == '_' || r == '$'
	}
	return (unicode.IsLetter(r) || unicode.IsMark(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer)
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// word adds what a token names: a path, a symbol, or nothing.
func (c *collector) word(t token) {
	t.text = strings.TrimRight(t.text, ".:-+#@~%")
	if c.path(t) || c.pathsOnly {
		return
	}
	if strings.HasPrefix(t.text, "-") && t.where != fenced || strings.HasPrefix(t.text, ".") && extensions[t.text[1:]] {
		return // an option, an extension
	}
	t.text = strings.TrimLeft(t.text, ".:-+#$%")
	if strings.ContainsAny(t.text, `/\@~+%`) {
		return
	}
	parts := splitNames(t.text)
	if len(parts) > 1 && t.where == inline {
		t.where = prose // data-id, Content-Type
	}
	for _, part := range parts {
		if c.symbol(part, t) {
			t.before = part
		}
	}
}

// splitNames splits a token at characters that names do not contain: single colons, and hyphens
// that are not part of an arrow.
func splitNames(s string) []string {
	if strings.IndexByte(s, ':') < 0 && strings.IndexByte(s, '-') < 0 {
		return []string{s}
	}
	var out []string
	start := 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "::") || strings.HasPrefix(s[i:], "->"):
			i++
		case s[i] == ':' || s[i] == '-':
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}
