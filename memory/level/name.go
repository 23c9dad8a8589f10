package level

import (
	"strings"
	"unicode/utf8"
)

// Names calls found for each path and identifier of a text, in order. The same one may occur
// several times.
func Names(text string, found func(string)) {
	scan(text, func(s string, figure bool) {
		if !figure && !strings.ContainsAny(s, " \t") {
			found(s)
		}
	})
}

// names finds the anchors inside a text: code in backticks, URLs, commands, paths, identifiers,
// versions, figures.
func names(text string, found func(string)) { scan(text, func(s string, _ bool) { found(s) }) }

// scan finds names and figures by their form, in a text of any language.
func scan(s string, found func(s string, figure bool)) {
	c := command{text: s, found: found}
	for i := 0; i < len(s); {
		if s[i] == '`' {
			if n := strings.IndexByte(s[i+1:min(len(s), i+202)], '`'); n > 0 {
				if !strings.Contains(s[i+1:i+1+n], "\n") {
					found(s[i+1:i+1+n], false)
				}
				i += n + 2
				continue
			}
			i++
			continue
		}
		end := fieldEnd(s, i)
		if end == i {
			_, n := utf8.DecodeRuneInString(s[i:])
			i += n
			continue
		}
		c.field(i, end)
		field(s[i:end], s[end:], found)
		i = end
	}
	c.flush()
}

// fieldEnd returns the end of the run at i that has no white space, backticks or characters of
// scripts without spaces.
func fieldEnd(s string, i int) int {
	for i < len(s) {
		if b := s[i]; b < utf8.RuneSelf {
			if isSpace(b) || b == '`' {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r >= 0x2E80 || r == utf8.RuneError || r >= 0x2010 && r <= 0x203A || r == '«' || r == '»' || r == 0xA0 {
			return i
		}
		i += n
	}
	return i
}

func isSpace(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }

// command collects a run of fields that can only be a command: two or more arguments with the words
// before them.
type command struct {
	text  string
	found func(string, bool)
	words [2]int // where the last plain words begin, -1 for none
	start int
	end   int
	args  int
}

// field reads the next field of the text.
func (c *command) field(from, to int) {
	f := c.text[from:to]
	plain := strings.TrimRight(f, ".,;:!?)")
	adjoins := c.end > 0 && from == c.end+1 && c.text[c.end] == ' '
	if !adjoins {
		c.flush()
		c.words = [2]int{-1, -1}
	}
	switch {
	case isArgument(plain) && (c.args > 0 || c.words[1] >= 0):
		if c.args == 0 {
			if c.start = c.words[1]; c.words[0] >= 0 {
				c.start = c.words[0]
			}
		}
		c.args++
		c.end = from + len(plain)
	case c.args > 0:
		c.flush()
		c.words = [2]int{-1, -1}
		fallthrough
	default:
		if c.words = [2]int{c.words[1], from}; len(plain) < len(f) || !isProgram(f) {
			c.words = [2]int{-1, -1}
		}
		c.end = to
	}
}

func (c *command) flush() {
	if c.args > 1 && c.end-c.start <= longestAnchor {
		c.found(c.text[c.start:c.end], false)
	}
	c.args, c.end = 0, 0
}

// isProgram reports whether a word may name a program or a subcommand.
func isProgram(w string) bool {
	for i := range len(w) {
		if b := w[i]; !(b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || strings.IndexByte("-_./", b) >= 0) {
			return false
		}
	}
	return w != ""
}

// isArgument reports whether a word can only be a command's argument: a flag, a path.
func isArgument(a string) bool {
	if len(a) < 2 {
		return false
	}
	return a[0] == '-' && a != "--" && strings.Trim(a, "-") != "" && !isNumber(a[1:]) || strings.HasPrefix(a, "./") || strings.HasPrefix(a, "../") ||
		strings.HasPrefix(a, "~/") || a[0] == '$' && isPlain(a[1:])
}

// field finds the name that a run without spaces is or contains. rest is what follows the run.
func field(f, rest string, found func(string, bool)) {
	if i := strings.Index(f, "://"); i > 0 {
		start := i
		for start > 0 && (wordByte(f[start-1]) || f[start-1] == '+') {
			start--
		}
		if start < i {
			found(strings.TrimRight(f[start:], `.,;:!?)]}>'"*`), false)
			return
		}
	}
	whole := f
	f = strings.TrimLeft(f, `,;!?"'<>[]{}()*|=`)
	call := strings.Contains(f, "()")
	f = strings.TrimRight(f, `,;!?"'<>[]{}*|=.:`)
	if !strings.Contains(f, "(") {
		f = strings.TrimRight(f, ").,:")
	}
	if len(f) < 2 || len(f) > longestAnchor {
		return
	}
	if !strings.HasSuffix(whole, f) {
		rest = "" // a punctuation mark follows
	}
	switch {
	case figure(f, rest, found):
	case isName(f):
		found(f, false)
	case call && isPlain(strings.TrimSuffix(f, "()")):
		found(f, false)
	case strings.ContainsAny(f, `,=:;([|"'`):
		for _, part := range strings.FieldsFunc(f, func(r rune) bool { return strings.ContainsRune(",=;([])|{}\"':", r) }) {
			if len(part) > 2 && len(part) < len(f) && isName(part) {
				found(part, false)
			}
		}
	}
}

// units are the unit symbols that may follow a number after a space.
const units = " ms s min h ns µs us kb mb gb tb kib mib gib b % °c px hz khz mhz ghz kw mbps gbps km m cm mm kg g rps qps "

// figure reports whether a run begins a meaningful number, and calls found with it: one with a
// unit, or with a mark in it ("v1.2", "2026-10-31", "$20"). rest is what follows the run.
func figure(f, rest string, found func(string, bool)) bool {
	number := withoutSign(f)
	if number == "" || number[0] < '0' || number[0] > '9' {
		return false
	}
	unit := number[numberEnd(number):]
	if unit != "" {
		if len(unit) > 6 || len(unit) > 3 && !isUnit(unit) {
			return false
		}
		found(f, true)
		return true
	}
	if next, ok := strings.CutPrefix(rest, " "); ok {
		if unit = next[:unitEnd(next)]; unit != "" && isUnit(unit) {
			found(f+" "+unit, true)
			return true
		}
	}
	if len(number) < len(f) || strings.ContainsAny(number, ".-") {
		found(f, true)
		return true
	}
	return false
}

// withoutSign returns a figure without what precedes its digits: a sign, a currency, the v of a
// version.
func withoutSign(f string) string {
	f = strings.TrimLeft(f, "$~-+^v")
	for _, currency := range [...]string{"€", "£"} {
		if number, ok := strings.CutPrefix(f, currency); ok {
			return number
		}
	}
	return f
}

// numberEnd returns the number of leading bytes that are digits or marks between digits.
func numberEnd(s string) int {
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || strings.IndexByte(".,_-", s[n]) >= 0) {
		n++
	}
	return n
}

// unitEnd returns the length in bytes of the first word of a text, at most eight.
func unitEnd(s string) int {
	n := 0
	for n < len(s) && n < 8 && !isSpace(s[n]) && strings.IndexByte(",;.!?)]:", s[n]) < 0 {
		n++
	}
	return n
}

func isUnit(s string) bool { return strings.Contains(units, " "+strings.ToLower(s)+" ") }

// isName reports whether a run has the form of a path or an identifier.
func isName(f string) bool {
	return isPath(f) || isIdentifier(f)
}

// isPath reports whether a run is a path, with or without a position in it ("a.go:12:3").
func isPath(f string) bool {
	f = withoutPosition(f)
	if isWindowsPath(f) {
		return true
	}
	slash := strings.IndexByte(f, '/')
	if slash < 0 || strings.Contains(f, "//") || !hasPathBytes(f) {
		return false
	}
	if strings.Trim(f, "0123456789/.-:") == "" { // a date, a ratio
		return strings.HasPrefix(f, "./") && len(f) > 2
	}
	if strings.HasPrefix(f, "./") || strings.HasPrefix(f, "../") || strings.HasPrefix(f, "~/") {
		return true
	}
	last := f[strings.LastIndexByte(f, '/')+1:]
	return len(f) > 2 && (slash == 0 || last == "") || strings.Contains(last, ".") || strings.Count(f, "/") > 1 || strings.ContainsAny(f, "_@")
}

// withoutPosition returns a path without the line and column after it.
func withoutPosition(f string) string {
	for {
		i := strings.LastIndexByte(f, ':')
		if i <= 0 || !isNumber(f[i+1:]) {
			return f
		}
		f = f[:i]
	}
}

// isWindowsPath reports whether a run begins with a drive or a server: C:\x, \\server.
func isWindowsPath(f string) bool {
	return strings.HasPrefix(f, `\\`) || len(f) > 3 && f[1] == ':' && f[2] == '\\'
}

// hasPathBytes reports whether a run is free of ASCII marks that paths do not have.
func hasPathBytes(f string) bool {
	for i := range len(f) {
		if b := f[i]; b < 0x80 && !wordByte(b) && strings.IndexByte("/.-_@+~#*[]{}$%:", b) < 0 {
			return false
		}
	}
	return true
}

// isIdentifier reports whether a run is a name in code: camelCase, snake_case, a.B, a::b, f(),
// --flag, @name, $NAME, #12, ABC-123, a commit, a file's name.
func isIdentifier(f string) bool {
	if isMarkedName(f) || isTicket(f) || isCommit(f) {
		return true
	}
	if !isPlain(f) {
		return false
	}
	if strings.Contains(strings.Trim(f, ":"), "::") || strings.Contains(strings.Trim(f, "_"), "_") || f[0] == '_' && len(f) > 2 {
		return true
	}
	if strings.Contains(f, ".") {
		return isDotted(f)
	}
	return len(f) > 3 && hasHump(f)
}

// isMarkedName reports whether a prefix makes a run a name: --flag, @name, $NAME, #12.
func isMarkedName(f string) bool {
	switch f[0] {
	case '-':
		return strings.HasPrefix(f, "--") && len(f) > 3 && isPlain(strings.ReplaceAll(f[2:], "-", "_"))
	case '@', '$':
		return len(f) > 2 && isPlain(f[1:])
	case '#':
		return isNumber(f[1:])
	}
	return false
}

// isDotted reports whether the parts of a run with dots are names rather than abbreviations: one
// has three letters or more.
func isDotted(f string) bool {
	long := false
	parts := strings.Split(f, ".")
	for _, p := range parts {
		if p == "" {
			return false
		}
		long = long || len(p) > 2
	}
	return long && (len(parts[len(parts)-1]) > 1 || len(f) > 4)
}

// hasHump reports whether a capital letter follows a lower-case one: camelCase.
func hasHump(f string) bool {
	for i := 1; i < len(f); i++ {
		if f[i] >= 'A' && f[i] <= 'Z' && f[i-1] >= 'a' && f[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// isPlain reports whether a run consists of letters, digits, dots and colons and begins like a
// name.
func isPlain(f string) bool {
	for i := range len(f) {
		if b := f[i]; b < 0x80 && !wordByte(b) && b != '.' && b != ':' {
			return false
		}
	}
	return f != "" && (f[0] < '0' || f[0] > '9') && f[0] != '.' && f[0] != ':' && f[len(f)-1] != '.'
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isTicket reports whether a run has the form "ABC-123".
func isTicket(f string) bool {
	head, tail, ok := strings.Cut(f, "-")
	return ok && len(head) > 1 && len(head) < 11 && isNumber(tail) && strings.ToUpper(head) == head && head[0] >= 'A' && head[0] <= 'Z'
}

// isCommit reports whether a run is a hexadecimal hash, and neither a word nor a number.
func isCommit(f string) bool {
	return len(f) >= 7 && len(f) <= 64 && strings.Trim(f, "0123456789abcdef") == "" && !isNumber(f) && strings.ContainsAny(f, "0123456789")
}
