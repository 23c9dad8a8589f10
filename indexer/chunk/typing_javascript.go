package chunk

import "bytes"

// jsTyping is the typing of JavaScript and of TypeScript.
var jsTyping = typing{
	scopes: "statement_block function_declaration generator_function_declaration function_expression function arrow_function method_definition for_in_statement " +
		"for_statement catch_clause switch_case function_signature method_signature abstract_method_signature function_type object",
	binds: map[string]bind{
		"required_parameter":      {names: "pattern", kind: "type", value: "value"},
		"optional_parameter":      {names: "pattern", kind: "type", value: "value"},
		"variable_declarator":     {names: "name", kind: "type", value: "value"},
		"for_in_statement":        {names: "left", value: "right", elem: 1},
		"catch_clause":            {names: "parameter"},
		"public_field_definition": {names: "name", kind: "type", value: "value", member: true},
		"field_definition":        {names: "property", value: "value", member: true},
		"property_signature":      {names: "name", kind: "type", member: true},
		"assignment_expression":   {names: "left", value: "right"},
		"arrow_function":          {names: "parameter"},
		"formal_parameters":       {names: ".identifier .object_pattern .array_pattern .assignment_pattern .rest_pattern"},
	},
	exprs: map[string]form{
		"member_expression": {op: OpMember, of: "object", name: "property"}, "call_expression": {op: OpCall, of: "function"},
		"new_expression": {op: OpNew, of: "constructor"}, "await_expression": {same: true}, "parenthesized_expression": {same: true},
		"non_null_expression": {same: true}, "satisfies_expression": {same: true}, "subscript_expression": {op: OpElem, of: "object"},
		"ternary_expression": {same: true, of: "consequence"}, "this": {op: OpThis}, "super": {op: OpSuper}, "this_type": {op: OpThis},
		"arrow_function": {op: OpFunc}, "function_expression": {op: OpFunc}, "function": {op: OpFunc}, "generator_function": {op: OpFunc},
		"function_type": {op: OpFunc}, "type_annotation": {same: true}, "array_type": {op: OpList}, "readonly_type": {same: true},
		"parenthesized_type": {same: true}, "generic_type": {same: true, of: "name module .type_identifier .nested_type_identifier"},
		"nested_type_identifier": {op: OpMember, of: "module", name: "name"}, "nested_identifier": {op: OpMember, of: "object module", name: "property name"},
		"assignment_expression": {same: true, of: "right"}, "instantiation_expression": {same: true},
		"string": {op: OpLiteral}, "template_string": {op: OpLiteral}, "number": {op: OpLiteral}, "regex": {op: OpLiteral}, "true": {op: OpLiteral},
		"false": {op: OpLiteral}, "null": {op: OpLiteral}, "undefined": {op: OpLiteral}, "predefined_type": {op: OpLiteral}, "literal_type": {op: OpLiteral},
		"unary_expression": {op: OpLiteral},
	},
	parents: "implements_clause extends_type_clause",
	results: "return_type",
	returns: "return_statement",
	special: map[string]func(*outliner, uint32) *Expr{
		"as_expression": jsAs, "binary_expression": jsEither, "union_type": jsEither, "intersection_type": jsEither, "array": jsArray, "predefined_type": jsAny,
	},
	imports: map[string]func(*outliner, uint32){"import_statement": jsImported},
	visit: map[string]func(*outliner, uint32){
		"variable_declarator": jsRequired, "class_heritage": jsExtends, "extends_clause": jsExtends, "accessibility_modifier": jsParameterField, "export_specifier": jsReexported,
		"call_expression": jsCallback, "export_statement": jsReexportsAll,
	},
	reads: func(o *outliner, i uint32) bool { return bytes.HasPrefix(o.text(i), []byte("get ")) },
}

// jsAs returns the type to which a value is asserted; the value for as const.
func jsAs(o *outliner, i uint32) *Expr {
	var last uint32
	for c := range o.children(i) {
		last = c
	}
	if last == i+1 || last == 0 {
		return o.expr(i + 1)
	}
	if e := o.expr(last); e != nil {
		return &Expr{Op: OpNew, Of: e}
	}
	return nil
}

// jsAny returns nothing for the types that may be any.
func jsAny(o *outliner, i uint32) *Expr {
	switch string(o.text(i)) {
	case "any", "unknown", "object":
		return &Expr{Op: OpElem, Of: &Expr{Op: OpTuple}}
	}
	return nil
}

// jsEither returns the first of several values or types that is no literal.
func jsEither(o *outliner, i uint32) *Expr {
	var first *Expr
	for c := range o.children(i) {
		if e := o.expr(c); e != nil && (first == nil || first.Op == OpLiteral) {
			first = e
		}
	}
	return first
}

// jsArray returns a list of what its first element is.
func jsArray(o *outliner, i uint32) *Expr {
	if i+1 >= o.nodes[i].next {
		return nil
	}
	if e := o.expr(i + 1); e != nil {
		return &Expr{Op: OpList, Of: &Expr{Op: OpNew, Of: e}}
	}
	return nil
}

func jsImported(o *outliner, i uint32) {
	source, ok := o.field(i, "source")
	clause, ok2 := o.typed(i, "import_clause")
	if !ok || !ok2 {
		return
	}
	path := string(bytes.Trim(o.text(source), "\"'`"))
	for k := clause + 1; k < o.nodes[clause].next; k++ {
		switch o.typeOf(k) {
		case "identifier":
			switch o.typeOf(o.nodes[k].parent) {
			case "import_clause":
				o.out.Imports = append(o.out.Imports, Import{Local: o.word(k), Path: path, Name: "default"})
			case "namespace_import":
				o.out.Imports = append(o.out.Imports, Import{Local: o.word(k), Path: path})
			}
		case "import_specifier":
			o.specifier(k, path, false)
			k = o.nodes[k].next - 1
		}
	}
}

// jsRequired adds the import of "const a = require('b')".
func jsRequired(o *outliner, i uint32) {
	name, ok := o.field(i, "name")
	call, ok2 := o.field(i, "value")
	if !ok || !ok2 || o.typeOf(call) != "call_expression" || !bytes.HasPrefix(o.text(call), []byte("require(")) {
		return
	}
	list, ok := o.field(call, "arguments")
	if !ok || list+1 >= o.nodes[list].next {
		return
	}
	path := string(bytes.Trim(o.text(list+1), "\"'`"))
	if o.typeOf(name) == "identifier" {
		o.out.Imports = append(o.out.Imports, Import{Local: o.word(name), Path: path})
		return
	}
	for c := range o.children(name) {
		m := Import{Local: o.word(c), Name: o.word(c), Path: path}
		if key, ok := o.field(c, "key"); ok {
			m.Name = o.word(key)
			if v, ok := o.field(c, "value"); ok {
				m.Local = o.word(v)
			}
		}
		o.out.Imports = append(o.out.Imports, m)
	}
}

// specifier adds the import of one name, or its export.
func (o *outliner) specifier(i uint32, path string, export bool) {
	n, ok := o.field(i, "name")
	if !ok {
		return
	}
	m := Import{Local: o.word(n), Name: o.word(n), Path: path, Export: export}
	if a, ok := o.field(i, "alias"); ok {
		m.Local = o.word(a)
	}
	o.out.Imports = append(o.out.Imports, m)
}

// jsReexported adds a name that is exported under another, or of another file.
func jsReexported(o *outliner, i uint32) {
	statement := o.nodes[o.nodes[i].parent].parent
	path := ""
	if source, ok := o.field(statement, "source"); ok {
		path = string(bytes.Trim(o.text(source), "\"'`"))
	}
	o.specifier(i, path, true)
}

// jsReexportsAll adds all names of another file.
func jsReexportsAll(o *outliner, i uint32) {
	source, ok := o.field(i, "source")
	if _, some := o.typed(i, "export_clause"); ok && !some {
		o.out.Imports = append(o.out.Imports, Import{Local: "*", Path: string(bytes.Trim(o.text(source), "\"'`")), Export: true})
	}
}

// jsExtends adds the class that another extends.
func jsExtends(o *outliner, i uint32) {
	c, ok := o.field(i, "value")
	if !ok {
		if o.typeOf(i) != "class_heritage" || i+1 >= o.nodes[i].next || o.typeOf(i+1) == "extends_clause" || o.typeOf(i+1) == "implements_clause" {
			return
		}
		c = i + 1
	}
	o.inherit(i, c)
}

// jsParameterField adds the field that a parameter of a constructor is, too.
func jsParameterField(o *outliner, i uint32) {
	p := o.nodes[i].parent
	name, ok := o.field(p, "pattern")
	kind, ok2 := o.field(p, "type")
	if t := o.typeOf(p); t != "required_parameter" && t != "optional_parameter" || !ok || !ok2 {
		return
	}
	o.out.Members = append(o.out.Members, Binding{Owner: o.owner(p), Name: o.word(name), Type: o.expr(kind)})
}

// jsCallback binds the first parameter of a function that a list's method takes: its elements.
func jsCallback(o *outliner, i uint32) {
	f, ok := o.field(i, "function")
	list, ok2 := o.field(i, "arguments")
	if !ok || !ok2 || o.typeOf(f) != "member_expression" || list+1 >= o.nodes[list].next {
		return
	}
	of, ok := o.field(f, "object")
	callback := list + 1
	if !ok || o.rules.exprs[o.typeOf(callback)].op != OpFunc {
		return
	}
	name := uint32(0)
	if p, ok := o.field(callback, "parameter"); ok {
		name = p
	} else if p, ok := o.field(callback, "parameters"); ok && p+1 < o.nodes[p].next {
		name = p + 1
		if o.typeOf(name) == "required_parameter" {
			if _, ok := o.field(name, "type"); ok {
				return
			}
			name, _ = o.field(name, "pattern")
		}
	}
	if name == 0 {
		return
	}
	o.pattern(name, name, nil, elemOf(o.expr(of)), false)
}
