package chunk

import "bytes"

var javaTyping = typing{
	scopes: "block method_declaration constructor_declaration compact_constructor_declaration constructor_body lambda_expression for_statement " +
		"enhanced_for_statement try_with_resources_statement catch_clause switch_block_statement_group switch_rule",
	binds: map[string]bind{
		"formal_parameter":       {names: "name", kind: "type"},
		"spread_parameter":       {names: ".variable_declarator", kind: ".type_identifier .generic_type .array_type .scoped_type_identifier", list: true},
		"variable_declarator":    {names: "name", kind: "type", value: "value", outer: true},
		"enhanced_for_statement": {names: "name", kind: "type", value: "value", elem: 1},
		"catch_formal_parameter": {names: "name", kind: ".catch_type"},
		"resource":               {names: "name", kind: "type", value: "value"},
		"instanceof_expression":  {names: "name", kind: "right"},
		"inferred_parameters":    {names: ".identifier"},
		"lambda_expression":      {names: "parameters"},
		"type_pattern":           {names: ".identifier", kind: ".type_identifier .generic_type .scoped_type_identifier"},
	},
	exprs: map[string]form{
		"method_invocation": {op: OpCall, of: "object", name: "name"}, "field_access": {op: OpMember, of: "object", name: "field"},
		"method_reference": {op: OpMember, name: "$"}, "object_creation_expression": {op: OpNew, of: "type"}, "array_access": {op: OpElem, of: "array"},
		"array_type": {op: OpList, of: "element"}, "array_creation_expression": {op: OpList, of: "type"}, "cast_expression": {op: OpNew, of: "type"},
		"parenthesized_expression": {same: true}, "ternary_expression": {same: true, of: "consequence"}, "assignment_expression": {same: true, of: "right"},
		"this": {op: OpThis}, "super": {op: OpSuper}, "lambda_expression": {op: OpFunc}, "catch_type": {same: true},
		"generic_type":           {same: true, of: ".type_identifier .scoped_type_identifier"},
		"scoped_type_identifier": {op: OpMember, name: "$"}, "scoped_identifier": {op: OpMember, of: "scope", name: "name"}, "annotated_type": {same: true, of: "$"},
		"string_literal": {op: OpLiteral}, "decimal_integer_literal": {op: OpLiteral}, "decimal_floating_point_literal": {op: OpLiteral},
		"hex_integer_literal": {op: OpLiteral}, "character_literal": {op: OpLiteral}, "true": {op: OpLiteral}, "false": {op: OpLiteral}, "null_literal": {op: OpLiteral},
		"type_bound":        {same: true},
		"binary_expression": {op: OpLiteral}, "unary_expression": {op: OpLiteral}, "class_literal": {op: OpLiteral}, "integral_type": {op: OpLiteral},
		"floating_point_type": {op: OpLiteral}, "boolean_type": {op: OpLiteral}, "void_type": {op: OpLiteral},
	},
	results:  "type",
	inferred: "var",
	variadic: "spread_parameter",
	imports:  map[string]func(*outliner, uint32){"import_declaration": javaImported, "package_declaration": javaPackage},
	visit: map[string]func(*outliner, uint32){
		"superclass": javaParents, "super_interfaces": javaParents, "extends_interfaces": javaParents,
		"type_parameter": javaParameter, "object_creation_expression": javaAnonymous,
	},
}

// javaImported adds an import: of a type by the path of its file, of a static member by that of its
// type, or of all types of a package.
func javaImported(o *outliner, i uint32) {
	text := bytes.TrimSuffix(trimBlank(bytes.TrimPrefix(o.text(i), []byte("import"))), []byte(";"))
	text = trimBlank(bytes.TrimPrefix(trimBlank(text), []byte("static ")))
	at := bytes.LastIndexByte(text, '.')
	if at < 0 {
		return
	}
	path, name := o.intern(text[:at]), o.intern(trimBlank(text[at+1:]))
	if name == "*" {
		o.out.Imports = append(o.out.Imports, Import{Local: "*", Path: path})
		return
	}
	o.out.Imports = append(o.out.Imports, Import{Local: name, Path: path, Name: name})
}

func javaPackage(o *outliner, i uint32) {
	text := bytes.TrimSuffix(trimBlank(bytes.TrimPrefix(o.text(i), []byte("package"))), []byte(";"))
	o.out.Package = o.intern(trimBlank(text))
}

// javaParents adds what a type extends or implements.
func javaParents(o *outliner, i uint32) {
	for c := range o.children(i) {
		if o.typeOf(c) != "type_list" {
			o.inherit(i, c)
			continue
		}
		for t := range o.children(c) {
			o.inherit(i, t)
		}
	}
}

// javaParameter adds a type parameter that is bounded.
func javaParameter(o *outliner, i uint32) {
	bound, ok := o.typed(i, "type_bound")
	if !ok {
		return
	}
	at, owner := o.around(i)
	b := Binding{
		Owner: owner, Name: o.word(i + 1), Start: int(o.nodes[at].start), End: int(o.nodes[at].end), From: int(o.nodes[at].start), Type: o.expr(bound), IsType: true,
	}
	if owner != "" {
		o.out.Members = append(o.out.Members, b)
	} else {
		o.out.Bindings = append(o.out.Bindings, b)
	}
}

// javaAnonymous adds a type without a name.
func javaAnonymous(o *outliner, i uint32) {
	body, ok := o.typed(i, "class_body")
	parent, ok2 := o.field(i, "type")
	if !ok || !ok2 {
		return
	}
	if e := o.expr(parent); e != nil {
		o.out.Types = append(o.out.Types, TypeOutline{Start: int(o.nodes[body].start), End: int(o.nodes[body].end), Parents: []*Expr{e}})
	}
}
