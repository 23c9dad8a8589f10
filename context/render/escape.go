package render

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Escape makes every imitation of this package's tags in body harmless, and changes nothing else.
// It is reversible: Unescape(Escape(s)) == s for every s.
//
// Only the bracket that opens an imitation changes: '<' becomes "&lt;", a look-alike such as '＜'
// its numeric reference. So that this can be undone, an existing reference before a tag's name gets
// one more "amp;": "&lt;ctx-code>" becomes "&amp;lt;ctx-code>". tagAfter defines what is an
// imitation. It reads only the text after the bracket and stops at the next bracket or '&', so that
// escaping one never affects the others.
func Escape(body string) string {
	return rewrite(body, func(b *strings.Builder, m mark) {
		if m.amps < 0 {
			b.WriteByte('&')
			b.WriteString(reference(m.bracket))
			return
		}
		writeReference(b, m.amps+1, m.bracket)
	})
}

// Unescape undoes Escape.
func Unescape(escaped string) string {
	return rewrite(escaped, func(b *strings.Builder, m mark) {
		if m.amps <= 0 {
			b.WriteRune(m.bracket)
			return
		}
		writeReference(b, m.amps-1, m.bracket)
	})
}

// mark is a bracket before one of the tags' names.
type mark struct {
	bracket rune
	amps    int // how often its reference is escaped: 0 is "&lt;", 1 "&amp;lt;"; -1 is the bare bracket
	size    int // bytes in the text
}

// rewrite copies s and passes each mark to replace. Linear: a mark's lookahead ends at the next
// bracket, so that no byte is read more than a few times.
func rewrite(s string, replace func(*strings.Builder, mark)) string {
	var b strings.Builder
	copied := 0
	for i := 0; i < len(s); {
		if !startsMark[s[i]] {
			i++
			continue
		}
		m, size := markAt(s[i:])
		if m.size == 0 || !tagAfter(s[i+m.size:]) {
			i += size
			continue
		}
		b.WriteString(s[copied:i])
		replace(&b, m)
		i += m.size
		copied = i
	}
	if copied == 0 {
		return s
	}
	b.WriteString(s[copied:])
	return b.String()
}

// markAt parses a bracket or the reference to one. Without a mark, skip is how far the reader may
// advance.
func markAt(s string) (m mark, skip int) {
	if s[0] == '<' {
		return mark{bracket: '<', amps: -1, size: 1}, 1
	}
	if s[0] != '&' {
		r, size := utf8.DecodeRuneInString(s)
		if isBracket(r) {
			return mark{bracket: r, amps: -1, size: size}, size
		}
		return mark{}, size
	}
	if len(s) < len("&lt;") || s[1] != 'a' && s[1] != 'l' && s[1] != '#' {
		return mark{}, 1
	}
	i, amps := 1, 0
	for strings.HasPrefix(s[i:], "amp;") {
		i += len("amp;")
		amps++
	}
	for k, ref := range bracketRefs {
		if strings.HasPrefix(s[i:], ref) {
			return mark{bracket: brackets[k], amps: amps, size: i + len(ref)}, 1
		}
	}
	return mark{}, 1
}

func writeReference(b *strings.Builder, amps int, bracket rune) {
	b.WriteByte('&')
	for range amps {
		b.WriteString("amp;")
	}
	b.WriteString(reference(bracket))
}

// brackets are '<' and the characters that look like it.
var brackets = []rune{'<', '＜', '﹤', '‹', '〈', '〈', '⟨', '❮', '˂', 'ᐸ'}

// startsMark holds the bytes that a mark can start with; all others, including the inner bytes of
// characters, are skipped.
var startsMark = func() (starts [256]bool) {
	starts['&'] = true
	for _, r := range brackets {
		starts[string(r)[0]] = true
	}
	return starts
}()

func isBracket(r rune) bool {
	for _, b := range brackets {
		if r == b {
			return true
		}
	}
	return false
}

// bracketRefs holds the references of brackets, by the same index.
var bracketRefs = func() (refs []string) {
	for _, r := range brackets {
		refs = append(refs, reference(r))
	}
	return refs
}()

// reference returns a bracket's character reference without the '&'.
func reference(bracket rune) string {
	if bracket == '<' {
		return "lt;"
	}
	return "#x" + strconv.FormatInt(int64(bracket), 16) + ";"
}
