package chunk

import "bytes"

var csharpSpec = spec{
	defs: map[string]definition{
		"namespace_declaration":           {kind: "module", name: "name", scope: true},
		"class_declaration":               {kind: "class", name: "name", scope: true},
		"record_declaration":              {kind: "class", name: "name", scope: true},
		"struct_declaration":              {kind: "struct", name: "name", scope: true},
		"interface_declaration":           {kind: "interface", name: "name", scope: true},
		"enum_declaration":                {kind: "enum", name: "name", scope: true},
		"enum_member_declaration":         {kind: "const", name: "name"},
		"delegate_declaration":            {kind: "type", name: "name"},
		"method_declaration":              {kind: "method", name: "name"},
		"constructor_declaration":         {kind: "method", name: "name"},
		"destructor_declaration":          {kind: "method", name: "name"},
		"local_function_statement":        {kind: "function", name: "name"},
		"property_declaration":            {kind: "field", name: "name"},
		"event_declaration":               {kind: "field", name: "name"},
		"field_declaration":               {kind: "const", name: ".variable_declaration", refine: csharpConstant},
		"conversion_operator_declaration": {kind: "method", name: "type"},
	},
	names: []string{"identifier"},
	toward: map[string]string{
		"qualified_name": "name", "generic_name": ".identifier", "member_access_expression": "name", "alias_qualified_name": "name",
		"variable_declaration": ".variable_declarator", "variable_declarator": "name", "conditional_access_expression": ".member_binding_expression",
		"member_binding_expression": "name", "nullable_type": "type", "array_type": "type", "primary_constructor_base_type": "type",
	},
	calls: map[string]string{
		"invocation_expression": "function", "object_creation_expression": "type", "attribute": "name", "generic_name": ".identifier",
	},
	fields: []string{"type", "returns"},
	uses:   []string{"base_list", "type_argument_list", "type_parameter_constraint"},
	visit: map[string]func(*extractor, uint32){
		"using_directive": csharpUsing,
	},
	comments: []string{"comment"},
	strings:  []string{"string_literal", "verbatim_string_literal", "character_literal", "raw_string_literal"},
	builtins: "String Object var nameof",
	typing:   &csharpTyping,
}

// csharpConstant accepts const and static readonly fields.
func csharpConstant(x *extractor, i uint32, _ *Symbol) bool {
	head, _, _ := bytes.Cut(x.text(i), []byte("="))
	return bytes.Contains(head, []byte("const ")) || bytes.Contains(head, []byte("static ")) && bytes.Contains(head, []byte("readonly "))
}

func csharpUsing(x *extractor, i uint32) {
	var last uint32
	for c := range x.children(i) {
		last = c
	}
	if last != 0 {
		x.importing(x.text(last))
	}
}
