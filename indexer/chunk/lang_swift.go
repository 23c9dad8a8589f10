package chunk

import "bytes"

var swiftSpec = spec{
	defs: map[string]definition{
		"class_declaration":             {kind: "class", name: "name", scope: true, refine: swiftType},
		"protocol_declaration":          {kind: "interface", name: "name", scope: true},
		"function_declaration":          {kind: "function", member: "method", name: "name"},
		"protocol_function_declaration": {kind: "method", name: "name"},
		"init_declaration":              {kind: "method", refine: swiftKeyword},
		"deinit_declaration":            {kind: "method", refine: swiftKeyword},
		"subscript_declaration":         {kind: "method", refine: swiftKeyword},
		"property_declaration":          {kind: "var", name: "name", outer: true, refine: swiftProperty},
		"typealias_declaration":         {kind: "type", name: "name"},
		"enum_entry":                    {kind: "const", name: "name", refine: swiftCases},
		"macro_declaration":             {kind: "macro", name: ".simple_identifier"},
	},
	names: []string{"simple_identifier", "type_identifier"},
	toward: map[string]string{
		"pattern": "bound_identifier", "user_type": ".type_identifier", "navigation_expression": "suffix", "navigation_suffix": "suffix",
	},
	calls:    map[string]string{"call_expression": ".simple_identifier .navigation_expression"},
	types:    []string{"type_identifier"},
	visit:    map[string]func(*extractor, uint32){"import_declaration": swiftImport},
	comments: []string{"comment", "multiline_comment"},
	tokens:   []string{"struct", "enum", "extension", "actor"},
	builtins: "String Int Bool Double Void Any Array Dictionary Self print",
}

// swiftType distinguishes the five kinds of type; an extension is not a definition of its type but
// contains some.
func swiftType(x *extractor, i uint32, s *Symbol) bool {
	for _, kind := range []string{"struct", "enum"} {
		if _, ok := x.typed(i, kind); ok {
			s.Kind = kind
			return true
		}
	}
	if _, ok := x.typed(i, "extension"); ok {
		x.open = append(x.open, scope{end: x.nodes[i].next, name: s.Name})
		return false
	}
	return true
}

func swiftKeyword(x *extractor, i uint32, s *Symbol) bool {
	switch x.typeOf(i) {
	case "init_declaration":
		s.Name = "init"
	case "deinit_declaration":
		s.Name = "deinit"
	default:
		s.Name = "subscript"
	}
	return true
}

// swiftProperty accepts properties outside of types, and static constants.
func swiftProperty(x *extractor, i uint32, s *Symbol) bool {
	head, _, _ := bytes.Cut(x.text(i), []byte("="))
	if bytes.Contains(head, []byte("let ")) {
		s.Kind = "const"
	}
	return len(x.open) == 0 || s.Kind == "const" && bytes.Contains(head, []byte("static "))
}

// swiftCases adds every name of "case a, b(Int)".
func swiftCases(x *extractor, i uint32, s *Symbol) bool {
	for c := range x.children(i) {
		if x.typeOf(c) == "simple_identifier" && x.nodes[c].field == x.fieldID["name"] {
			more := *s
			more.Name = x.word(c)
			x.add(i, more, x.nodes[c].end)
		}
	}
	return false
}

func swiftImport(x *extractor, i uint32) {
	if name, ok := x.typed(i, "identifier"); ok {
		x.importing(x.text(name))
	}
}
