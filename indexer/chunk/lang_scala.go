package chunk

import "bytes"

var scalaSpec = spec{
	defs: map[string]definition{
		"class_definition":     {kind: "class", name: "name", scope: true},
		"object_definition":    {kind: "class", name: "name", scope: true},
		"package_object":       {kind: "module", name: "name", scope: true},
		"trait_definition":     {kind: "interface", name: "name", scope: true},
		"enum_definition":      {kind: "enum", name: "name", scope: true},
		"simple_enum_case":     {kind: "const", name: "name"},
		"full_enum_case":       {kind: "const", name: "name"},
		"function_definition":  {kind: "function", member: "method", name: "name"},
		"function_declaration": {kind: "function", member: "method", name: "name"},
		"type_definition":      {kind: "type", name: "name"},
		"given_definition":     {kind: "const", name: "name"},
		"val_definition":       {kind: "const", name: "pattern", outer: true, refine: scalaValue},
		"var_definition":       {kind: "var", name: "pattern", outer: true, refine: scalaValue},
	},
	names: []string{"identifier", "type_identifier", "operator_identifier"},
	toward: map[string]string{
		"field_expression": "field", "generic_function": "function", "generic_type": "type", "stable_type_identifier": ".type_identifier",
		"compound_type": "base", "instance_expression": ".type_identifier .generic_type .stable_type_identifier",
	},
	calls:    map[string]string{"call_expression": "function", "instance_expression": ".type_identifier .generic_type .stable_type_identifier"},
	types:    []string{"type_identifier"},
	visit:    map[string]func(*extractor, uint32){"import_declaration": scalaImport},
	comments: []string{"comment", "block_comment"},
	builtins: "String Int Boolean Long Unit Any Double Option Seq List Map",
}

// scalaValue accepts values outside of classes: at the top or in objects.
func scalaValue(x *extractor, i uint32, _ *Symbol) bool {
	for at := x.nodes[i].parent; ; at = x.nodes[at].parent {
		switch x.typeOf(at) {
		case "template_body", "template_body_indented":
		case "object_definition", "package_object", "compilation_unit", "package_clause":
			return true
		default:
			return false
		}
	}
}

func scalaImport(x *extractor, i uint32) {
	text := trimBlank(bytes.TrimPrefix(x.text(i), []byte("import ")))
	head, _, _ := bytes.Cut(text, []byte("{"))
	x.importing(bytes.TrimSuffix(trimBlank(head), []byte(".")))
	for k := i + 1; k < x.nodes[i].next; k++ {
		if x.typeOf(k) == "identifier" && x.typeOf(x.nodes[k].parent) != "import_declaration" {
			x.refer(k)
		}
	}
	if bytes.IndexByte(text, '{') < 0 {
		if last := lastName(text, ""); string(last) != "_" && string(last) != "*" {
			x.referText(last)
		}
	}
}
