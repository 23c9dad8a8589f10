package chunk

import "bytes"

var javaSpec = spec{
	defs: map[string]definition{
		"class_declaration":                   {kind: "class", name: "name", scope: true},
		"record_declaration":                  {kind: "class", name: "name", scope: true},
		"interface_declaration":               {kind: "interface", name: "name", scope: true},
		"annotation_type_declaration":         {kind: "interface", name: "name", scope: true},
		"enum_declaration":                    {kind: "enum", name: "name", scope: true},
		"method_declaration":                  {kind: "method", name: "name"},
		"constructor_declaration":             {kind: "method", name: "name"},
		"compact_constructor_declaration":     {kind: "method", name: "name"},
		"annotation_type_element_declaration": {kind: "method", name: "name"},
		"enum_constant":                       {kind: "const", name: "name"},
		"field_declaration":                   {kind: "const", name: "declarator", outer: true, refine: javaConstant},
		"constant_declaration":                {kind: "const", name: "declarator", outer: true},
	},
	names: []string{"identifier", "type_identifier"},
	toward: map[string]string{
		"variable_declarator": "name", "scoped_identifier": "name", "scoped_type_identifier": ".type_identifier",
		"generic_type": ".type_identifier .scoped_type_identifier",
	},
	calls: map[string]string{
		"method_invocation": "name", "object_creation_expression": "type", "marker_annotation": "name", "annotation": "name",
	},
	types:    []string{"type_identifier"},
	visit:    map[string]func(*extractor, uint32){"import_declaration": javaImport},
	comments: []string{"line_comment", "block_comment"},
	strings:  []string{"string_literal"},
	builtins: "String Object Integer Long Boolean Override",
	typing:   &javaTyping,
}

// javaConstant accepts static final fields; other fields are not symbols.
func javaConstant(x *extractor, i uint32, _ *Symbol) bool {
	m, ok := x.typed(i, "modifiers")
	return ok && bytes.Contains(x.text(m), []byte("final")) && bytes.Contains(x.text(m), []byte("static"))
}

func javaImport(x *extractor, i uint32) {
	text := bytes.TrimSuffix(trimBlank(bytes.TrimPrefix(x.text(i), []byte("import"))), []byte(";"))
	text = trimBlank(bytes.TrimPrefix(trimBlank(text), []byte("static ")))
	x.importing(text)
	if last := lastName(text, ""); string(last) != "*" {
		x.referText(last)
	}
}
