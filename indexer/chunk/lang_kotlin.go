package chunk

import "bytes"

var kotlinSpec = spec{
	defs: map[string]definition{
		"class_declaration":     {kind: "class", name: ".type_identifier", scope: true, refine: kotlinClass},
		"object_declaration":    {kind: "class", name: ".type_identifier", scope: true},
		"function_declaration":  {kind: "function", member: "method", name: ".simple_identifier"},
		"secondary_constructor": {kind: "method", refine: kotlinConstructor},
		"property_declaration":  {kind: "var", name: ".variable_declaration", outer: true, refine: kotlinProperty},
		"type_alias":            {kind: "type", name: ".type_identifier"},
		"enum_entry":            {kind: "const", name: ".simple_identifier"},
	},
	names: []string{"simple_identifier", "type_identifier"},
	toward: map[string]string{
		"variable_declaration": ".simple_identifier", "navigation_expression": ".navigation_suffix", "navigation_suffix": ".simple_identifier",
	},
	calls:    map[string]string{"call_expression": ".simple_identifier .navigation_expression"},
	types:    []string{"type_identifier"},
	visit:    map[string]func(*extractor, uint32){"import_header": kotlinImport},
	comments: []string{"line_comment", "multiline_comment"},
	tokens:   []string{"interface", "enum"},
	builtins: "String Int Boolean Long Double Float Unit Any List Map println",
}

func kotlinClass(x *extractor, i uint32, s *Symbol) bool {
	if _, ok := x.typed(i, "interface"); ok {
		s.Kind = "interface"
	} else if _, ok := x.typed(i, "enum_class_body"); ok {
		s.Kind = "enum"
	}
	return true
}

func kotlinConstructor(_ *extractor, _ uint32, s *Symbol) bool {
	s.Name = "constructor"
	return true
}

// kotlinProperty accepts properties outside of classes, and constants.
func kotlinProperty(x *extractor, i uint32, s *Symbol) bool {
	head, _, _ := bytes.Cut(x.text(i), []byte("="))
	if bytes.Contains(head, []byte("const ")) {
		s.Kind = "const"
		return true
	}
	return len(x.open) == 0
}

func kotlinImport(x *extractor, i uint32) {
	if name, ok := x.typed(i, "identifier"); ok {
		x.importing(x.text(name))
		x.referText(lastName(x.text(name), ""))
	}
}
