package chunk

import "bytes"

var pythonTyping = typing{
	scopes: "function_definition lambda list_comprehension set_comprehension dictionary_comprehension generator_expression",
	binds: map[string]bind{
		"parameters":              {names: ".identifier .list_splat_pattern .dictionary_splat_pattern"},
		"lambda_parameters":       {names: ".identifier .default_parameter"},
		"typed_parameter":         {names: ".identifier", kind: "type"},
		"default_parameter":       {names: "name", value: "value"},
		"typed_default_parameter": {names: "name", kind: "type", value: "value"},
		"assignment":              {names: "left", kind: "type", value: "right"},
		"named_expression":        {names: "name", value: "value"},
		"for_statement":           {names: "left", value: "right", elem: 1},
		"for_in_clause":           {names: "left", value: "right", elem: 1},
		"as_pattern":              {names: "alias", value: ".call .identifier .attribute"},
	},
	exprs: map[string]form{
		"attribute": {op: OpMember, of: "object", name: "attribute"}, "call": {op: OpCall, of: "function"}, "subscript": {op: OpElem, of: "value"},
		"await": {same: true}, "parenthesized_expression": {same: true}, "type": {same: true}, "generic_type": {same: true}, "lambda": {op: OpFunc},
		"conditional_expression": {same: true}, "named_expression": {same: true, of: "value"}, "as_pattern": {same: true}, "function_definition": {op: OpFunc},
		"string": {op: OpLiteral}, "concatenated_string": {op: OpLiteral}, "integer": {op: OpLiteral}, "float": {op: OpLiteral}, "true": {op: OpLiteral},
		"false": {op: OpLiteral}, "none": {op: OpLiteral}, "dictionary": {op: OpLiteral}, "tuple": {op: OpLiteral}, "comparison_operator": {op: OpLiteral},
		"not_operator": {op: OpLiteral},
	},
	results: "return_type",
	returns: "return_statement",
	special: map[string]func(*outliner, uint32) *Expr{
		"identifier": pythonSelf, "call": pythonSuper, "type": pythonQuoted, "boolean_operator": jsEither, "binary_operator": jsEither, "union_type": jsEither,
		"list": jsArray, "generic_type": pythonGeneric, "subscript": pythonGeneric,
	},
	imports: map[string]func(*outliner, uint32){"import_statement": pythonImports, "import_from_statement": pythonImports},
	visit:   map[string]func(*outliner, uint32){"class_definition": pythonParents},
	reads:   pythonProperty,
}

// pythonSelf returns the object for the first parameter of a method.
func pythonSelf(o *outliner, i uint32) *Expr {
	if text := string(o.text(i)); text == "self" || text == "cls" {
		return &Expr{Op: OpThis, At: int(o.nodes[i].start)}
	}
	return nil
}

func pythonSuper(o *outliner, i uint32) *Expr {
	if f, ok := o.field(i, "function"); ok && string(o.text(f)) == "super" {
		return &Expr{Op: OpSuper, At: int(o.nodes[i].start)}
	}
	return nil
}

// pythonQuoted returns the type whose name a string has.
func pythonQuoted(o *outliner, i uint32) *Expr {
	if i+1 >= o.nodes[i].next || o.typeOf(i+1) != "string" {
		return nil
	}
	name := bytes.Trim(o.text(i+1), `"'`)
	var out *Expr
	for part := range bytes.SplitSeq(name, []byte(".")) {
		part = trimBlank(part)
		if len(part) == 0 || bytes.IndexFunc(part, func(r rune) bool { return !isWord(byte(r)) }) >= 0 {
			return nil
		}
		if out == nil {
			out = &Expr{Op: OpName, Name: o.intern(part), At: int(o.nodes[i].start)}
		} else {
			out = &Expr{Op: OpMember, Name: o.intern(part), Of: out}
		}
	}
	return out
}

// pythonGeneric returns the type in Optional[T] and the like.
func pythonGeneric(o *outliner, i uint32) *Expr {
	if i+1 >= o.nodes[i].next {
		return nil
	}
	switch string(lastName(o.text(i+1), "")) {
	case "Optional", "Union", "Type", "type", "Annotated", "ClassVar", "Final":
	default:
		return nil
	}
	if list, ok := o.at(i, "subscript .type_parameter"); ok {
		if o.typeOf(list) == "type_parameter" {
			return jsEither(o, list)
		}
		return o.expr(list)
	}
	return nil
}

func pythonImports(o *outliner, i uint32) {
	from := ""
	module, isFrom := o.field(i, "module_name")
	if isFrom {
		from = string(o.text(module))
	}
	for c := range o.children(i) {
		if o.nodes[c].field == o.fieldID["module_name"] && isFrom {
			continue
		}
		at, alias := c, ""
		switch o.typeOf(c) {
		case "aliased_import":
			n, ok := o.field(c, "name")
			a, ok2 := o.field(c, "alias")
			if !ok || !ok2 {
				continue
			}
			at, alias = n, o.word(a)
		case "wildcard_import":
			o.out.Imports = append(o.out.Imports, Import{Local: "*", Path: from, Export: true})
			continue
		case "dotted_name":
		default:
			continue
		}
		name := o.word(at)
		m := Import{Path: from, Name: name, Local: name, Export: true}
		if !isFrom {
			m = Import{Path: name, Local: name}
			if first, _, dotted := bytes.Cut([]byte(name), []byte(".")); dotted && alias == "" {
				m = Import{Path: string(first), Local: string(first)}
			}
		}
		if alias != "" {
			m.Local = alias
		}
		o.out.Imports = append(o.out.Imports, m)
	}
}

func pythonParents(o *outliner, i uint32) {
	list, ok := o.field(i, "superclasses")
	if !ok {
		return
	}
	for c := range o.children(list) {
		if o.typeOf(c) != "keyword_argument" {
			o.inherit(c, c)
		}
	}
}

// pythonProperty reports whether a decorator makes a method one that is read.
func pythonProperty(o *outliner, i uint32) bool {
	p := o.nodes[i].parent
	if o.typeOf(p) != "decorated_definition" {
		return false
	}
	for c := range o.children(p) {
		if o.typeOf(c) == "decorator" && bytes.HasSuffix(o.text(c), []byte("property")) {
			return true
		}
	}
	return false
}
