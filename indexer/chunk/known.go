package chunk

import (
	"bytes"
	"iter"
	"regexp"
	"sync"
)

// known returns src, or a copy of the same length in which what the language's grammar cannot parse
// is masked: newer syntax, what other tools insert into a file before it is read, and the marks
// that replace secrets. Names and positions are taken from src.
func known(language string, src []byte) []byte {
	m := masker{src: src}
	m.redacted()
	for _, r := range maskings[language] {
		m.apply(r)
	}
	switch language {
	case "dockerfile": // the grammar cannot parse \r
		return bytes.ReplaceAll(m.text(), []byte("\r\n"), []byte("\n "))
	case "c", "cpp":
		return cKnown(&m)
	case "dart":
		dartKnown(&m)
	case "go":
		goKnown(&m)
	case "lua":
		return luaKnown(m.text())
	case "protobuf":
		return protoKnown(m.text())
	case "python":
		pyKnown(&m)
	case "rust":
		rustKnown(&m)
	case "typescript", "tsx":
		tsKnown(&m, language == "tsx")
	}
	return m.text()
}

// A pattern is compiled when it is first used: a process that parses nothing, as one for a hook,
// would spend a fifth of its start on those of this package.
type pattern = func() *regexp.Regexp

func patternOf(text string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// masking replaces what the grammar of a language cannot parse.
type masking struct {
	part    string  // in every match of pattern; lines without it are skipped
	pattern pattern // of a line, with the break before it; group 1 is what is masked
	by      string  // the replacement, padded with blanks; a single byte is repeated
}

// within masks a match anywhere in a line, leading one at the beginning of a line, and before the
// line break before a match.
func within(part, pattern, by string) masking {
	return masking{part, patternOf(`\A(?:[^\n]*?|\n[^\n]*?)` + pattern), by}
}

func leading(part, pattern, by string) masking {
	return masking{part, patternOf(`\A\n?` + pattern), by}
}

func before(part, pattern string) masking {
	return masking{part, patternOf(`\A(\n)` + pattern), " "}
}

// template masks the places that a template fills in, usingName things called
// using, which is not the keyword of a declaration.
var (
	template      = within("{{", `({{[^{}\n]*}})`, "_")
	usingName     = within("using", `\b(using)(?:[^\w \t$]|[ \t]+[^\w \t$])`, "usinG")
	templateBlock = within("<%", `(<%(?s:.*?)%>)`, " ")
	exportedTypes = within("type *", `export[ \t]+(type)[ \t]+\*`, " ")
)

// maskings are the ones that a regular expression can express, by language.
var maskings = map[string][]masking{
	"c":   {cIncluded},
	"cpp": {cIncluded},
	"css": {template},
	"bash": {
		within("%[", `(%\[\d\][a-z])`, "_"), // in a text that is formatted before it is run
		// Expansions that only zsh has.
		within("$+", `(\$\+\w+(?:\[[^\]\n]*\])?)`, "0"),
		within("${${", `(\$\{\$\{[^{}\n]*\}[^{}\n]*\})`, "_"),
		within("${(", `\$\{(\([^()\n]*\))\w`, "_"),
		leading("() {", `(\(\)) {`, " "), // a function without a name, of zsh
	},
	"csharp": {
		// A statement or value that begins with a dereference would be parsed as a product.
		leading("*(", `[ \t]*(\*\(\w+\*\))`, "_="),
		within("= *(", `= (\*\(\w+\*\))`, "0+"),
	},
	"dart": {
		leading("abstract ", `[ \t]*(abstract )(?:final|var|late|covariant)\b`, " "),
		leading("external ", `[ \t]*(external )[^(\n]*;`, " "), // of a field
		within("extension type ", `\bextension type (?:const )?\w+(?:<[^>\n]*>)?(\.\w+)\(`, " "),
	},
	"dockerfile": {
		leading("<%", `[ \t]*(<%(?s:.*?)%>)[ \t\r]*(?:\n|\z)`, " "),
		within("<%", `(<%(?s:.*?)%>)`, "_"),
		leading("EXPOSE", `EXPOSE[ \t]+\d+(:\d+)`, " "),
		leading("ARG ", `ARG[ \t]+[\w=.:/-]+([ \t]+\w+=[^\n]*)`, " "),
	},
	"go": {
		leading("] = ", `type \w+\[[^=\n]*\] (=) `, " "),                    // of a generic alias
		leading("func (", `func \(\*?\w+(\[[\w, \t]*\])\)[ \t]*\w`, " "),    // of a receiver without a name
		leading("func (", `func \([^()\n]*\)[ \t]*\w+(\[[^\n]*?\])\(`, " "), // of a generic method
	},
	"haskell": { // of a condition the grammar reads one branch only
		leading("#", `(#[ \t]*(?:if|ifdef|ifndef|else|elif|endif|define|undef|include|error|warning)\b(?:[^\n]*\\\n)*[^\n]*)`, " "),
	},
	"html": {
		templateBlock,
		within("{%", `({%(?s:.*?)%})`, " "),
		template,
	},
	"javascript": {usingName},
	"kotlin": {
		within("fun interface", `\b(fun )interface\b`, " "),
		within("0b", `\b(0b)[01]`, "0x"),
		within("class ", `\bclass[ \t]+\w+(?:<[^>\n]*>)?([ \t\r]*\n(?:\s|@[\w.:]+(?:\([^()\n]*\))?|internal|private|protected|public|actual|expect)*)constructor\b`, " "),
		before("as", `[ \t]+as\??[ \t]+[A-Z]`),
		// The members after what an object delegates to would be parsed as a closure.
		within(" by ", `\bobject[ \t]*:[^\n{]*?[ \t](by[ \t][^\n{]*?)[ \t]*\{`, " "),
		leading(" by ", `[ \t]*[A-Z][\w.<>]*[ \t]+(by[ \t][^\n{]*?)[ \t]*\{`, " "),
		leading(" if ", `[ \t]*(?:!?is|in)[ \t](?:[^\n"{}-]|-[^>\n])*?[ \t](if[ \t][^\n{}]*?)->`, " "), // the guard of a case
		within("$\"", `(\$\$+)"`, " "),
		within("@{", `\b(\w+@)\{`, " "),
	},
	"python": {
		leading("except", `[ \t]*except[ \t]*(\*)`, " "),
		leading("lazy ", `(lazy )(?:import|from)\b`, " "),
	},
	"sql": {within("AUTOINCREMENT", `\b(AUTOINCREMENT)\b`, " ")},
	"swift": {
		within("throws(", `\bthrows(\([\w.]+\))`, " "),
		within("#", `(#)(?:expect|require|isolation|Preview|Predicate|_\w+)\b`, "_"),
		within("isolated ", `:[ \t]*(isolated )[\w(]`, " "),
		within("nonisolated(", `\b(nonisolated\(\w+\))`, " "),
		within("sending ", `(?:->|:)[ \t]*(sending )[\w(\[]`, " "),
		// The braces after it would be parsed as a closure.
		within("await ", `\b(?:switch|in)[ \t]+((?:try[?!]?[ \t]+)?await)[ \t]`, " "),
		within("await ", `\b(?:while|if|guard)[ \t]+(?:let|var|case)[^\n={]*=[ \t]*((?:try[?!]?[ \t]+)?await)[ \t]`, " "),
		within("try ", `\b(?:switch|in)[ \t]+(try[?!]?)[ \t]`, " "),
		leading("()", `[ \t]*(\(\))[ \t\r]*(?:\n|\z)`, "0"),
		within("@Sendable", `(@Sendable)[ \t]+func\b`, " "),
	},
	"tsx":        {usingName, exportedTypes},
	"typescript": {usingName, exportedTypes, within("keyof readonly ", `keyof (readonly )`, " ")},
	"yaml": {
		templateBlock,
		leading("{{", `[ \t]*({{[^\n]*}})[ \t\r]*(?:\n|\z)`, " "),
		template,
	},
}

// A masker changes bytes of a text in a copy, which it makes at the first change.
type masker struct{ src, out []byte }

// text returns the current text.
func (m *masker) text() []byte {
	if m.out != nil {
		return m.out
	}
	return m.src
}

// put replaces the bytes from start to end with by, padded with blanks; a single byte is repeated.
func (m *masker) put(start, end int, by string) {
	if m.out == nil {
		m.out = bytes.Clone(m.src)
	}
	for i := start; i < end; i++ {
		switch {
		case len(by) == 1:
			m.out[i] = by[0]
		case i-start < len(by):
			m.out[i] = by[i-start]
		default:
			m.out[i] = ' '
		}
	}
}

// reach bounds how far from its part a pattern is matched: no expression is run over a whole file,
// or repeatedly over one long line.
const reach = 1000

func (m *masker) apply(r masking) {
	for i := range occurrences(m.src, r.part) {
		start := max(bytes.LastIndexByte(m.src[:i], '\n'), i-reach, 0)
		if found := r.pattern().FindSubmatchIndex(m.text()[start:min(len(m.src), i+reach)]); found != nil {
			m.put(start+found[2], start+found[3], r.by)
		}
	}
}

// occurrences yields the positions of part in text.
func occurrences(text []byte, part string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := 0; ; {
			i := bytes.Index(text[at:], []byte(part))
			if i < 0 || !yield(at+i) {
				return
			}
			at += i + len(part)
		}
	}
}

const redactedMark = "[REDACTED:"

// redacted replaces the marks of secrets with names: in a string or comment that changes nothing,
// and elsewhere the mark replaced a value.
func (m *masker) redacted() {
	for start := range occurrences(m.src, redactedMark) {
		at := start + len(redactedMark)
		end := at
		for end < len(m.src) && end-at < 64 && (isWord(m.src[end]) || m.src[end] == '-') {
			end++
		}
		if end == len(m.src) || m.src[end] != ']' {
			continue
		}
		for k := start; k <= end; k++ {
			if !isWord(m.src[k]) {
				m.put(k, k+1, "_")
			}
		}
	}
}

func isWord(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}
