package chunk

import "bytes"

var zigSpec = spec{
	defs: map[string]definition{
		"function_declaration": {kind: "function", member: "method", name: "name"},
		"variable_declaration": {kind: "const", name: ".identifier", refine: zigVariable},
		"container_field":      {kind: "const", name: "name", in: "enum_declaration"},
	},
	names:  []string{"identifier"},
	toward: map[string]string{"field_expression": "member", "parenthesized_expression": ".identifier .field_expression"},
	calls:  map[string]string{"call_expression": "function"},
	fields: []string{"type", "ok", "error"},
	uses:   []string{"slice_type", "pointer_type", "nullable_type", "array_type", "struct_initializer"},
	visit: map[string]func(*extractor, uint32){
		"builtin_function":   zigImport,
		"struct_declaration": zigReturned, "union_declaration": zigReturned, "enum_declaration": zigReturned,
		"test_declaration": zigBlock, "comptime_declaration": zigBlock,
	},
	comments: []string{"comment"},
	strings:  []string{"string", "multiline_string", "character"},
	builtins: "Self",
}

// zigVariable accepts types by the constant that holds them, and variables outside of functions,
// but not imports.
func zigVariable(x *extractor, i uint32, s *Symbol) bool {
	var value uint32
	for c := range x.children(i) {
		value = c
	}
	switch x.typeOf(value) {
	case "struct_declaration", "union_declaration", "opaque_declaration":
		s.Kind = "struct"
	case "enum_declaration", "error_set_declaration":
		s.Kind = "enum"
	case "builtin_function":
		if text := x.text(value); x.insideFunction() || bytes.HasPrefix(text, []byte("@import")) || bytes.HasPrefix(text, []byte("@This")) {
			return false
		}
	}
	if s.Kind != "const" {
		x.open = append(x.open, scope{end: x.nodes[i].next, name: s.Name})
		return true
	}
	if bytes.Contains(x.src[x.nodes[i].start:x.nameEnd], []byte("var ")) {
		s.Kind = "var"
	}
	return !x.insideFunction()
}

// zigReturned makes a function that returns a type, as a generic one does, the container of the
// type's members.
func zigReturned(x *extractor, i uint32) {
	if top := len(x.open) - 1; top >= 0 && x.open[top].kind == inFunction && x.typeOf(x.nodes[i].parent) == "return_expression" {
		x.open = append(x.open, scope{end: x.nodes[i].next, name: x.open[top].name})
	}
}

// zigBlock keeps local definitions of a test or a block out of the file's symbols.
func zigBlock(x *extractor, i uint32) {
	x.open = append(x.open, scope{end: x.nodes[i].next, kind: inFunction})
}

func zigImport(x *extractor, i uint32) {
	name, ok := x.typed(i, "builtin_identifier")
	if !ok {
		return
	}
	switch string(x.text(name)) {
	case "@import", "@embedFile", "@cInclude":
		if args, ok := x.typed(i, "arguments"); ok {
			if text, ok := x.typed(args, "string"); ok {
				x.importing(bytes.Trim(x.text(text), `"`))
			}
		}
	}
}
