package chunk

import "bytes"

var phpSpec = spec{
	defs: map[string]definition{
		"class_declaration":     {kind: "class", name: "name", scope: true},
		"interface_declaration": {kind: "interface", name: "name", scope: true},
		"trait_declaration":     {kind: "interface", name: "name", scope: true},
		"enum_declaration":      {kind: "enum", name: "name", scope: true},
		"enum_case":             {kind: "const", name: "name"},
		"function_definition":   {kind: "function", name: "name"},
		"method_declaration":    {kind: "method", name: "name"},
		"const_element":         {kind: "const", name: ".name"},
		"namespace_definition":  {kind: "module", name: "name", scope: true, refine: hasBody},
	},
	names: []string{"name", "namespace_name"},
	toward: map[string]string{
		"qualified_name": ".name", "variable_name": ".name", "named_type": ".name .qualified_name", "attribute": ".name .qualified_name",
	},
	calls: map[string]string{
		"function_call_expression": "function", "scoped_call_expression": "name", "member_call_expression": "name",
		"nullsafe_member_call_expression": "name", "object_creation_expression": ".name .qualified_name",
		"class_constant_access_expression": ".name .qualified_name", "attribute": ".name .qualified_name",
	},
	fields: []string{"scope"},
	uses:   []string{"named_type", "base_clause", "class_interface_clause", "use_declaration", "namespace_use_clause", "optional_type", "union_type"},
	visit: map[string]func(*extractor, uint32){
		"namespace_use_declaration": phpUse, "require_expression": phpRequire, "require_once_expression": phpRequire,
		"include_expression": phpRequire, "include_once_expression": phpRequire,
	},
	comments: []string{"comment"},
	lead:     []string{"attribute_list"},
	strings:  []string{"string", "heredoc", "nowdoc"},
	builtins: "self static parent array isset empty true false null",
	doc:      phpDoc,
}

func phpUse(x *extractor, i uint32) {
	text := bytes.TrimSuffix(x.text(i), []byte(";"))
	text = trimBlank(bytes.TrimPrefix(text, []byte("use ")))
	for _, word := range []string{"function ", "const "} {
		text = trimBlank(bytes.TrimPrefix(text, []byte(word)))
	}
	if head, _, group := bytes.Cut(text, []byte("{")); group {
		x.importing(bytes.TrimSuffix(trimBlank(head), []byte(`\`)))
		return
	}
	for name := range bytes.SplitSeq(text, []byte(",")) {
		name, _, _ = bytes.Cut(trimBlank(name), []byte(" "))
		x.importing(name)
	}
}

func phpRequire(x *extractor, i uint32) {
	for k := i + 1; k < x.nodes[i].next; k++ {
		if t := x.typeOf(k); t == "string" || t == "encapsed_string" {
			x.importing(bytes.Trim(x.text(k), `"'`))
			return
		}
	}
}

// phpDoc returns the first comment after the opening tag.
func phpDoc(x *extractor) Span {
	for c := range x.children(0) {
		switch x.typeOf(c) {
		case "php_tag", "text":
		case "comment":
			if doc := x.unlicensed(Span{int(x.nodes[c].start), int(x.nodes[c].end)}); doc.End > doc.Start {
				return doc
			}
		default:
			return Span{}
		}
	}
	return Span{}
}
