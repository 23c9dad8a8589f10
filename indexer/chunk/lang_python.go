package chunk

import (
	"bytes"
	"regexp"
)

var pythonSpec = spec{
	defs: map[string]definition{
		"function_definition": {kind: "function", member: "method", name: "name"},
		"class_definition":    {kind: "class", name: "name", scope: true, refine: pythonClass},
		"assignment":          {kind: "var", name: "left", outer: true, refine: pythonAssignment},
	},
	names: []string{"identifier"},
	toward: map[string]string{
		"attribute": "attribute", "subscript": "value", "generic_type": ".identifier", "call": "function",
		"parenthesized_expression": ".identifier .attribute .call", "await": ".call .identifier .attribute",
	},
	calls: map[string]string{"call": "function"},
	uses:  []string{"decorator"},
	visit: map[string]func(*extractor, uint32){
		"type": pythonType, "import_statement": pythonImport, "import_from_statement": pythonImport, "expression_statement": pythonDocstring,
	},
	comments: []string{"comment"},
	lead:     []string{"decorator"},
	builtins: "int str bool float bytes object list dict set tuple len print range isinstance super type None True False property self cls",
	doc:      pythonDoc,
	typing:   &pythonTyping,
}

// pythonClass counts the superclasses as references.
func pythonClass(x *extractor, i uint32, _ *Symbol) bool {
	if list, ok := x.field(i, "superclasses"); ok {
		for c := range x.children(list) {
			if at, ok := x.resolve(c); ok {
				x.refer(at)
			} else if value, ok := x.field(c, "value"); ok && x.typeOf(value) == "identifier" {
				x.refer(value) // metaclass=Meta
			}
		}
	}
	return true
}

// pythonType counts the names of an annotation; of a.b.C only the last.
func pythonType(x *extractor, i uint32) {
	for k := i + 1; k < x.nodes[i].next; k++ {
		switch x.typeOf(k) {
		case "type":
			k = x.nodes[k].next - 1 // is visited separately
		case "identifier":
			if x.typeOf(x.nodes[k].parent) != "attribute" || x.nodes[k].field == x.fieldID["attribute"] {
				x.refer(k)
			}
		}
	}
}

// pythonAssignment accepts the names that a module binds: constants by their capitals, the rest as
// variables.
func pythonAssignment(x *extractor, i uint32, s *Symbol) bool {
	left, ok := x.field(i, "left")
	if !ok || x.typeOf(left) != "identifier" || len(x.open) > 0 || x.typeOf(x.nodes[i].parent) != "expression_statement" {
		return false
	}
	if name := []byte(s.Name); bytes.Equal(bytes.ToUpper(name), name) && letters(name) > 0 {
		s.Kind = "const"
	}
	return true
}

func pythonImport(x *extractor, i uint32) {
	module := x.fieldID["module_name"]
	for c := range x.children(i) {
		at := c
		if x.typeOf(c) == "aliased_import" {
			if n, ok := x.field(c, "name"); ok {
				at = n
			}
		}
		t := x.typeOf(at)
		if t != "dotted_name" && t != "relative_import" {
			continue
		}
		text := x.text(at)
		if x.nodes[c].field == module || x.typeOf(i) == "import_statement" {
			x.importing(text)
		}
		x.referText(text[bytes.LastIndexByte(text, '.')+1:])
	}
}

// pythonDocstring adds a string that is a statement as a comment.
func pythonDocstring(x *extractor, i uint32) {
	if c := i + 1; c < x.nodes[i].next && x.nodes[c].next == x.nodes[i].next && x.typeOf(c) == "string" {
		x.file.Comments = append(x.file.Comments, Span{int(x.nodes[c].start), int(x.nodes[c].end)})
	}
}

// pythonDoc returns the module's docstring, else the comment at the top.
func pythonDoc(x *extractor) Span {
	for c := range x.children(0) {
		if x.typeOf(c) == "comment" {
			continue
		}
		if x.typeOf(c) == "expression_statement" && x.nodes[c].next > c+1 && x.typeOf(c+1) == "string" {
			return Span{int(x.nodes[c+1].start), int(x.nodes[c+1].end)}
		}
		break
	}
	return x.topComment()
}

// pyHandler matches a handler of several exceptions without parentheses around them.
var pyHandler = regexp.MustCompile(`\A[ \t*]*\w[\w. \t]*,[\w., \t]*:`)

// pyKnown masks what is new in Python 3.14: it turns template strings (t"...") into formatted ones,
// and exceptions without parentheses into one.
func pyKnown(m *masker) {
	for _, mark := range []string{`t"`, "t'"} {
		for at := range occurrences(m.src, mark) {
			if at > 0 && !isWord(m.src[at-1]) && m.src[at-1] != '"' && m.src[at-1] != '\'' {
				m.put(at, at+1, "f")
			}
		}
	}
	for at := range occurrences(m.src, "except") {
		at += len("except")
		found := pyHandler.FindIndex(m.text()[at:min(len(m.src), at+reach)])
		if found == nil {
			continue
		}
		for i := at; i < at+found[1]; i++ {
			if m.src[i] == ',' {
				m.put(i, i+1, "|")
			}
		}
	}
}
