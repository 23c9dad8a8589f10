package chunk

import "bytes"

var rustSpec = spec{
	defs: map[string]definition{
		"function_item":           {kind: "function", member: "method", name: "name"},
		"function_signature_item": {kind: "function", member: "method", name: "name"},
		"struct_item":             {kind: "struct", name: "name"},
		"union_item":              {kind: "struct", name: "name"},
		"enum_item":               {kind: "enum", name: "name", scope: true},
		"enum_variant":            {kind: "const", name: "name"},
		"trait_item":              {kind: "interface", name: "name", scope: true},
		"mod_item":                {kind: "module", name: "name", scope: true, refine: hasBody},
		"macro_definition":        {kind: "macro", name: "name"},
		"const_item":              {kind: "const", name: "name", outer: true},
		"static_item":             {kind: "var", name: "name", outer: true},
		"type_item":               {kind: "type", name: "name", outer: true},
		"associated_type":         {kind: "type", name: "name"},
	},
	scopes: map[string]string{"impl_item": "type"},
	names:  []string{"identifier", "field_identifier", "type_identifier"},
	toward: map[string]string{
		"field_expression": "field", "scoped_identifier": "name", "scoped_type_identifier": "name", "generic_function": "function",
		"generic_type": "type", "generic_type_with_turbofish": "type", "reference_type": "type", "parenthesized_expression": ".identifier .field_expression",
		"dynamic_type": "trait", "tuple_struct_pattern": "type", "struct_pattern": "type", "attribute": ".identifier .scoped_identifier",
	},
	calls:    map[string]string{"call_expression": "function", "macro_invocation": "macro", "struct_expression": "name"},
	types:    []string{"type_identifier"},
	visit:    map[string]func(*extractor, uint32){"use_declaration": rustUse, "extern_crate_declaration": rustUse},
	comments: []string{"line_comment", "block_comment"},
	lead:     []string{"attribute_item"},
	strings:  []string{"string_literal", "raw_string_literal", "char_literal"},
	builtins: "Self Some None Ok Err String Vec Option Result Box str bool usize u8 u16 u32 u64 i8 i16 i32 i64 f32 f64",
	doc:      rustDoc,
	typing:   &rustTyping,
}

// rustUse adds the path of "use a::b::{c, d}" and the names that it imports.
func rustUse(x *extractor, i uint32) {
	text := x.text(i)
	if a, ok := x.field(i, "argument"); ok {
		text = x.text(a)
	} else if a, ok := x.field(i, "name"); ok {
		text = x.text(a)
	}
	for k := i + 1; k < x.nodes[i].next; k++ {
		if x.typeOf(k) == "identifier" && x.typeOf(x.nodes[k].parent) != "use_as_clause" {
			if name := x.text(k); string(name) != "crate" && string(name) != "std" {
				x.referText(name)
			}
		}
	}
	head, _, _ := bytes.Cut(text, []byte("{"))
	x.importing(bytes.TrimSuffix(trimBlank(head), []byte("::")))
}

// rustDoc returns the run of //! comments, or a /*! comment, at the top.
func rustDoc(x *extractor) Span {
	var doc Span
	for c := range x.children(0) {
		n := &x.nodes[c]
		t := x.typeOf(c)
		text := x.text(c)
		switch {
		case bytes.HasPrefix(text, []byte("//!")) || bytes.HasPrefix(text, []byte("/*!")):
			if doc.End == 0 {
				doc.Start = int(n.start)
			}
			doc.End = int(n.end)
		case t == "line_comment" || t == "block_comment" || t == "inner_attribute_item":
			if doc.End > 0 {
				return doc
			}
		default:
			return doc
		}
	}
	return doc
}
