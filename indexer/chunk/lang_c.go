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
}

// cMacroLine is a line that is nothing but a macro at its beginning, such as
// FMT_BEGIN_NAMESPACE, __BEGIN_DECLS or FMT_PRAGMA(push), or one of Qt's in a
// class. To the grammar it is the type of what follows.
var cMacroLine = regexp.MustCompile(`^(?:_*[A-Z][A-Z0-9_]{2,}(?:\([^;{}()]*\))?|[ \t]+Q_(?:OBJECT|GADGET))[ \t]*\r?$`)

// cKnown masks such lines. Those before a brace stay: they define something.
func cKnown(src []byte) []byte {
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

// mayBeMacro spares most lines the expression.
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

// continues reports whether what comes next belongs to the text before: an
// expression, a list or a macro's body.
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

// cFunction rejects statements that a broken text makes look like definitions.
func cFunction(_ *extractor, _ uint32, s *Symbol) bool { return !cKeywords[s.Name] }

// hasBody tells a definition of a type from a mention of it.
func hasBody(x *extractor, i uint32, _ *Symbol) bool {
	_, ok := x.field(i, "body")
	return ok
}

// cVariable takes what a file defines outside of functions: no prototypes, no
// extern declarations.
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
