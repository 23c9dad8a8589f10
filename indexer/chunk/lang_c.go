package chunk

import (
	"bytes"
	"regexp"
)

var cSpec = spec{
	defs: map[string]definition{
		"function_definition":  {kind: "function", name: "declarator", refine: cFunction},
		"struct_specifier":     {kind: "struct", name: "name", refine: hasBody},
		"union_specifier":      {kind: "struct", name: "name", refine: hasBody},
		"enum_specifier":       {kind: "enum", name: "name", scope: true, refine: hasBody},
		"enumerator":           {kind: "const", name: "name"},
		"type_definition":      {kind: "type", name: "declarator"},
		"preproc_def":          {kind: "macro", name: "name"},
		"preproc_function_def": {kind: "macro", name: "name"},
		"declaration":          {kind: "var", name: "declarator", outer: true, refine: cVariable},
	},
	names:    cNames,
	toward:   cToward,
	calls:    map[string]string{"call_expression": "function"},
	types:    []string{"type_identifier"},
	visit:    map[string]func(*extractor, uint32){"preproc_include": cInclude},
	comments: []string{"comment"},
	strings:  []string{"string_literal", "char_literal", "concatenated_string"},
	builtins: "size_t ssize_t bool uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t uint NULL FILE sizeof",
	typing:   &cTyping,
}

// cMacroLine matches a line that is only a macro at its beginning, such as FMT_BEGIN_NAMESPACE,
// __BEGIN_DECLS or FMT_PRAGMA(push), or one of Qt's in a class. The grammar takes it for the type
// of what follows.
var cMacroLine = regexp.MustCompile(`^(?:_*[A-Z][A-Z0-9_]{2,}(?:\([^;{}()]*\))?|[ \t]+Q_(?:OBJECT|GADGET))[ \t]*\r?$`)

var (
	// cSpecifiers are the endings of macros that specify how a function or a class is compiled or
	// exported. Digits and underscores may follow.
	cSpecifiers = []string{
		"API", "EXPORT", "EXPORTS", "IMPORT", "IMPORTS", "INLINE", "CONSTEXPR", "CONSTEVAL", "CONSTINIT", "NORETURN", "NODISCARD",
		"DEPRECATED", "NOEXCEPT", "FUNC", "DECL", "HIDDEN", "VISIBLE", "__always_inline", "__init", "__exit", "__must_check",
	}
	// cLinkage matches a brace of extern "C" that only C++ sees.
	cLinkage = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*if(?:def)?[^\n]*__cplusplus[^\n]*\n(?:[ \t]*\n)*([ \t]*(?:extern[ \t]+"C"[ \t]*\{|\})[^\n]*)\n(?:[ \t]*\n)*[ \t]*#[ \t]*endif`)
	// cIncluded masks a header whose existence is tested.
	cIncluded = within("(<", `(?i:has_include)(?:_next)?[ \t]*\((<[^>\n]*>)`, "0")
)

// cKnown masks macros that the grammar takes for types, and unmatched braces.
func cKnown(m *masker) []byte {
	cMacros(m)
	if bytes.Contains(m.src, []byte("__cplusplus")) {
		braces := cLinkage.FindAllSubmatchIndex(m.src, -1)
		open := 0
		for _, found := range braces {
			if bytes.Contains(m.src[found[2]:found[3]], []byte("extern")) {
				open++
			}
		}
		for _, found := range braces {
			if 2*open == len(braces) { // they match
				m.put(found[2], found[3], " ")
			}
		}
	}
	return cMacroLines(m.text())
}

// cMacros masks the macros of cSpecifiers before other words, except in lines of the preprocessor.
func cMacros(m *masker) {
	directive := false // the line is, or continues, a directive
	for at := 0; at < len(m.src); at++ {
		switch b := m.src[at]; {
		case b == '\n':
			directive = directive && continued(m.src[:at+1])
		case b == '#' && len(trimBlank(m.src[bytes.LastIndexByte(m.src[:at], '\n')+1:at])) == 0:
			directive = true
		case isWord(b):
			end := at + 1
			for end < len(m.src) && isWord(m.src[end]) {
				end++
			}
			if !directive && (b == '_' || 'A' <= b && b <= 'Z') && isSpecifier(m.src[at:end]) {
				next := bytes.TrimLeft(m.src[end:], " \t\r\n")
				if len(next) > 0 && len(next) < len(m.src)-end && (isWord(next[0]) || next[0] == '~' || next[0] == ':') {
					m.put(at, end, " ")
				}
			}
			at = end - 1
		}
	}
}

func isSpecifier(word []byte) bool {
	word = bytes.TrimRight(word, "_0123456789")
	for _, end := range cSpecifiers {
		if bytes.HasSuffix(word, []byte(end)) && (end[0] == '_' && len(word) == len(end) || bytes.Equal(word, bytes.ToUpper(word))) {
			return true
		}
	}
	return false
}

// continued reports whether the last line of before continues on the next.
func continued(before []byte) bool {
	return bytes.HasSuffix(before, []byte("\\\n")) || bytes.HasSuffix(before, []byte("\\\r\n"))
}

// cMacroLines masks lines that are only a macro, except before a brace, where they define
// something.
func cMacroLines(src []byte) []byte {
	out := src
	for at := 0; at < len(src); {
		end := at + bytes.IndexByte(src[at:], '\n')
		if end < at {
			end = len(src)
		}
		if line := src[at:end]; mayBeMacro(line) && cMacroLine.Match(line) {
			rest := bytes.TrimLeft(src[end:], " \t\r\n")
			if len(rest) > 0 && rest[0] != '{' && !continues(src[:at]) {
				if &out[0] == &src[0] {
					out = bytes.Clone(src)
				}
				for i := at; i < end; i++ {
					out[i] = ' '
				}
			}
		}
		at = end + 1
	}
	return out
}

// mayBeMacro rules most lines out without the regular expression.
func mayBeMacro(line []byte) bool {
	if len(line) == 0 {
		return false
	}
	switch c := line[0]; {
	case c == ' ' || c == '\t':
		return bytes.Contains(line, []byte("Q_"))
	default:
		return c == '_' || 'A' <= c && c <= 'Z'
	}
}

// continues reports whether the next line belongs to the text before: an expression, a list or a
// macro's body.
func continues(before []byte) bool {
	before = bytes.TrimRight(before, " \t\r\n")
	return len(before) > 0 && bytes.IndexByte([]byte("\\,=(+-*|&<"), before[len(before)-1]) >= 0 && !bytes.HasSuffix(before, []byte("*/"))
}

var cNames = []string{"identifier", "field_identifier", "type_identifier"}

var cToward = map[string]string{
	"function_declarator": "declarator", "pointer_declarator": "declarator", "array_declarator": "declarator",
	"init_declarator": "declarator", "attributed_declarator": ".function_declarator .identifier .pointer_declarator",
	"parenthesized_declarator": ".pointer_declarator .function_declarator .identifier .type_identifier .field_identifier .array_declarator",
	"field_expression":         "field", "parenthesized_expression": ".identifier .field_expression .pointer_expression",
	"pointer_expression": "argument",
}

// cFunction rejects statements that look like definitions in a broken text.
func cFunction(_ *extractor, _ uint32, s *Symbol) bool { return !cKeywords[s.Name] }

// hasBody distinguishes a definition of a type from a mention of it.
func hasBody(x *extractor, i uint32, _ *Symbol) bool {
	_, ok := x.field(i, "body")
	return ok
}

// cVariable accepts variables defined outside of functions: no prototypes, no extern declarations.
func cVariable(x *extractor, i uint32, s *Symbol) bool {
	d, ok := x.field(i, "declarator")
	if !ok || cKeywords[s.Name] || bytes.HasPrefix(x.text(i), []byte("extern")) {
		return false
	}
	for range 8 {
		switch x.typeOf(d) {
		case "function_declarator":
			// A pointer to a function is a variable: void (*hook)(int).
			inner, ok := x.field(d, "declarator")
			return ok && x.typeOf(inner) == "parenthesized_declarator"
		case "identifier":
			return true
		}
		next, ok := x.field(d, "declarator")
		if !ok {
			return false
		}
		d = next
	}
	return false
}

func cInclude(x *extractor, i uint32) {
	if p, ok := x.field(i, "path"); ok {
		x.importing(bytes.Trim(x.text(p), "<>\""))
	}
}
