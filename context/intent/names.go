package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// names is what the names in a prompt indicate besides identifiers and files.
type names struct {
	packages  []string
	testNamed bool // the asking lines name a test, a test file or a test folder
	docNamed  bool // the asking lines name a document
}

// field is a run of characters that can make up a path or a name.
type field struct {
	text   string
	before byte // the character before and after it, 0 at the line's ends
	after  byte
	rest   string // the rest of the line
	inCode bool   // the field is everything between two backticks
	fenced bool   // its line is code
}

// readNames collects files, identifiers and packages, in one pass over the lines.
func readNames(d *document, s *Signals) names {
	var n names
	for _, l := range d.lines {
		if l.trace || l.text == "" || isTrailer(l.text) {
			continue
		}
		eachField(l, func(f field) {
			if !n.read(f, l.ask, s) {
				readIdentifiers(f, func(id string) {
					s.Identifiers = appendNew(s.Identifiers, id, maxIdentifiers)
					n.testNamed = n.testNamed || l.ask && isTestName(id)
				})
			}
		})
	}
	return n
}

// read records a field that is a file, a package or an address, and reports whether it is nothing
// else.
func (n *names) read(f field, ask bool, s *Signals) bool {
	if isAddress(f.text) {
		return true
	}
	if p, id, ok := packageOf(f); ok {
		n.packages = appendNew(n.packages, p, maxFiles)
		s.Identifiers = appendNew(s.Identifiers, id, maxIdentifiers)
		return true
	}
	if !strings.ContainsAny(f.text, `./\`) && !bareFiles[f.text] {
		return false
	}
	path, ok := fileOf(f)
	if !ok {
		return false
	}
	s.Files = appendNew(s.Files, path, maxFiles)
	if _, base := cutBase(path); ask && !f.fenced && (bareFiles[base] || hasCodeExtension(base)) {
		s.Asked = appendNew(s.Asked, path, maxFiles)
	}
	n.testNamed = n.testNamed || ask && isTestPath(path)
	n.docNamed = n.docNamed || ask && isDocPath(path)
	return true
}

// separators are the ASCII characters that end a field.
var separators = func() (is [utf8.RuneSelf]bool) {
	for c := range is {
		is[c] = c <= ' ' || strings.IndexByte("\"'`()[]{}<>,;|=&!?*^%", byte(c)) >= 0
	}
	return is
}()

// eachField calls visit for each field of a line. Scripts written without spaces separate as well,
// so that a name inside a Chinese sentence is found.
func eachField(l line, visit func(field)) {
	text := l.text
	for i := 0; i < len(text); {
		if size := separatorAt(text, i); size > 0 {
			i += size
			continue
		}
		start := i
		for i < len(text) {
			if separatorAt(text, i) > 0 {
				break
			}
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
		}
		f := field{text: text[start:i], rest: text[i:], fenced: l.code}
		if start > 0 {
			f.before = text[start-1]
		}
		if i < len(text) {
			f.after = text[i]
		}
		f.inCode = inBackticks(f)
		f.text = strings.TrimRight(f.text, ".:/-")
		if i < len(text) && text[i-1] == '/' || strings.HasSuffix(text[start:i], "/") {
			f.text += "/"
		}
		if f.text = strings.TrimLeft(f.text, ":"); f.text != "" && (f.inCode || f.after == '(' || !isPlainWord(f.text)) {
			visit(f)
		}
	}
}

// isPlainWord reports whether s is spelled like a word of a sentence and is not a file name; it
// rules most fields out quickly.
func isPlainWord(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLower(c) && c < utf8.RuneSelf && (i > 0 || !isUpper(c)) {
			return false
		}
	}
	return !bareFiles[s]
}

// inBackticks reports whether the field is alone between backticks, ignoring a call's arguments and
// the sign of a pointer or reference.
func inBackticks(f field) bool {
	if f.before != '`' && f.before != '*' && f.before != '&' {
		return false
	}
	if f.after == '`' {
		return true
	}
	if f.after != '(' && f.after != '<' && f.after != '[' && f.after != '!' {
		return false
	}
	inside, _, ok := strings.Cut(f.rest, "`")
	return ok && !strings.Contains(strings.TrimRight(inside, ")>]!"), " ")
}

func separatorAt(s string, i int) int {
	c := s[i]
	if c < utf8.RuneSelf {
		if separators[c] {
			return 1
		}
		return 0
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	if !unicode.IsLetter(r) && !unicode.IsMark(r) || isUnspaced(r) {
		return size
	}
	return 0
}

// isUnspaced reports whether r is of a script without spaces between words.
func isUnspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// isAddress reports whether s is a URL or a mail address; file URLs are files.
func isAddress(s string) bool {
	if strings.Contains(s, "://") {
		return !strings.HasPrefix(s, "file://")
	}
	at := strings.IndexByte(s, '@')
	return at > 0 && strings.Contains(s[at:], ".") && !strings.Contains(s, "/") || strings.HasPrefix(s, "www.")
}

// isTrailer reports whether a line is of a commit's trailer block, which names people and services,
// not code: "Signed-off-by: …", "Change-Id: …".
func isTrailer(text string) bool {
	key, _, ok := strings.Cut(text, ": ")
	if !ok {
		key, ok = strings.CutSuffix(text, ":")
	}
	if !ok || len(key) < 4 || !isUpper(key[0]) || !strings.Contains(key, "-") {
		return false
	}
	for i := range len(key) {
		if c := key[i]; !isIdent(c) && c != '-' {
			return false
		}
	}
	return true
}

func isTestName(id string) bool {
	base := id[strings.LastIndexAny(id, ".:")+1:]
	return strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test") ||
		len(base) > 4 && strings.HasPrefix(base, "Test") && isUpper(base[4]) ||
		len(base) > 9 && strings.HasPrefix(base, "Benchmark") && isUpper(base[9]) ||
		len(base) > 4 && (strings.HasSuffix(base, "Test") || strings.HasSuffix(base, "Tests"))
}

func isTestPath(path string) bool {
	lower := strings.ToLower(path)
	base := lower[strings.LastIndexByte(lower, '/')+1:]
	stem, _, _ := strings.Cut(base, ".")
	for part := range strings.SplitSeq(lower, "/") {
		if part == "test" || part == "tests" || part == "__tests__" || part == "spec" || part == "testdata" || part == "e2e" {
			return true
		}
	}
	return strings.HasPrefix(base, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec") ||
		strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") || base == "conftest.py" ||
		strings.HasSuffix(path[:len(path)-len(base)+len(stem)], "Test")
}

func isDocPath(path string) bool {
	lower := strings.ToLower(path)
	base := lower[strings.LastIndexByte(lower, '/')+1:]
	return strings.HasPrefix(lower, "docs/") || strings.HasPrefix(lower, "doc/") || strings.Contains(lower, "/docs/") ||
		strings.HasPrefix(base, "readme") || strings.HasPrefix(base, "changelog") || strings.HasPrefix(base, "contributing") ||
		strings.HasSuffix(base, ".md") || strings.HasSuffix(base, ".rst") || strings.HasSuffix(base, ".adoc")
}
