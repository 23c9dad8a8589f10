package chunk

import "bytes"

var csharpTyping = typing{
	scopes: "block method_declaration constructor_declaration destructor_declaration operator_declaration conversion_operator_declaration indexer_declaration " +
		"accessor_declaration local_function_statement lambda_expression anonymous_method_expression arrow_expression_clause for_statement foreach_statement " +
		"using_statement catch_clause switch_section switch_expression_arm query_expression",
	binds: map[string]bind{
		"property_declaration": {names: "name", kind: "type"}, "event_declaration": {names: "name", kind: "type"},
		"foreach_statement":   {names: "left", kind: "type", value: "right", elem: 1},
		"declaration_pattern": {names: "name", kind: "type"}, "recursive_pattern": {names: "name", kind: "type"},
		"declaration_expression": {names: "name", kind: "type"}, "catch_declaration": {names: "name", kind: "type"},
		"from_clause": {names: "name", kind: "type", value: "$", elem: 1},
	},
	exprs: map[string]form{
		"invocation_expression": {op: OpCall, of: "function"}, "element_access_expression": {op: OpElem, of: "expression"}, "await_expression": {op: OpElem},
		"object_creation_expression": {op: OpNew, of: "type"}, "cast_expression": {op: OpNew, of: "type"}, "as_expression": {op: OpNew, of: "right"},
		"default_expression": {op: OpNew, of: "type"}, "array_creation_expression": {same: true, of: "type"}, "array_type": {op: OpList, of: "type"},
		"parenthesized_expression": {same: true}, "assignment_expression": {same: true, of: "right"}, "postfix_unary_expression": {same: true}, "argument": {same: true, of: "$"},
		"checked_expression": {same: true}, "ref_expression": {same: true}, "nullable_type": {same: true, of: "type"}, "ref_type": {same: true, of: "type"},
		"pointer_type": {same: true, of: "type"}, "primary_constructor_base_type": {same: true, of: "type"}, "tuple_element": {same: true, of: "type"}, "tuple_type": {op: OpTuple},
		"tuple_expression": {op: OpTuple}, "generic_name": {same: true, of: ".identifier"}, "alias_qualified_name": {same: true, of: "name"},
		"lambda_expression": {op: OpFunc}, "anonymous_method_expression": {op: OpFunc}, "with_expression": {same: true},
		"string_literal": {op: OpLiteral}, "verbatim_string_literal": {op: OpLiteral}, "raw_string_literal": {op: OpLiteral}, "character_literal": {op: OpLiteral},
	},
	parents:   "base_list",
	results:   "returns type",
	inferred:  "var",
	branched:  true,
	imports:   map[string]func(*outliner, uint32){"using_directive": csharpUses},
	declares:  csharpDeclares,
	called:    csharpCalled,
	owner:     csharpOwner,
	onlyType:  csharpOnlyType,
	signature: csharpSignature,
	special: map[string]func(*outliner, uint32) *Expr{
		"member_access_expression": csharpMember, "qualified_name": csharpMember, "conditional_access_expression": csharpConditional,
		"conditional_expression": csharpEither, "binary_expression": csharpEither, "predefined_type": csharpLiteral, "string_literal": csharpLiteral,
		"verbatim_string_literal": csharpLiteral, "raw_string_literal": csharpLiteral, "interpolated_string_expression": csharpLiteral,
		"character_literal": csharpLiteral, "integer_literal": csharpLiteral, "real_literal": csharpLiteral, "boolean_literal": csharpLiteral,
		"is_expression": csharpLiteral, "is_pattern_expression": csharpLiteral, "typeof_expression": csharpLiteral, "null_literal": csharpLiteral,
	},
	visit: map[string]func(*outliner, uint32){
		"variable_declarator": csharpVariable, "parameter": csharpParameter, "parameter_list": csharpAnyNumber, "implicit_parameter": csharpParameter,
		"type_parameter": csharpTypeParameter, "type_parameter_constraints_clause": csharpConstraint, "namespace_declaration": csharpNamespace,
		"file_scoped_namespace_declaration": csharpNamespace, "indexer_declaration": csharpIndexer,
	},
}

// csharpUses adds the names that a file knows by a namespace, by a type's static members, or by an
// alias.
func csharpUses(o *outliner, i uint32) {
	head := o.text(i)
	global := bytes.HasPrefix(head, []byte("global"))
	last, ok := o.at(i, "$")
	if !ok {
		return
	}
	m := Import{Local: "*", Path: o.intern(csharpPath(o.text(last))), Export: global}
	if name, ok := o.field(i, "name"); ok {
		m.Local = o.word(name)
	}
	before := bytes.Fields(o.src[o.nodes[i].start:o.nodes[last].start])
	m.Members = len(before) > 0 && string(before[len(before)-1]) == "static"
	o.out.Imports = append(o.out.Imports, m)
}

// csharpPath returns a qualified name without its alias and type arguments.
func csharpPath(text []byte) []byte {
	if _, after, ok := bytes.Cut(text, []byte("::")); ok {
		text = after
	}
	text, _, _ = bytes.Cut(text, []byte("<"))
	return trimBlank(text)
}

func csharpNamespace(o *outliner, i uint32) {
	name, ok := o.field(i, "name")
	if !ok {
		return
	}
	n := &o.nodes[i]
	space := Namespace{Name: o.intern(o.text(name)), Start: int(n.start), End: int(n.end)}
	if _, ok := o.field(i, "body"); !ok { // to the end of the file
		space.End = len(o.src)
	}
	for k := len(o.out.Namespaces) - 1; k >= 0; k-- {
		if outer := o.out.Namespaces[k]; outer.End >= space.End {
			space.Name = o.intern([]byte(outer.Name + "." + space.Name))
			break
		}
	}
	o.out.Namespaces = append(o.out.Namespaces, space)
}

// csharpName returns the identifier of a name, and the node with its type arguments, if it has any.
func (o *outliner) csharpName(i uint32) (name, with uint32) {
	if o.typeOf(i) == "generic_name" {
		return i + 1, i
	}
	return i, i
}

// csharpMember returns a member of something; this and base are no nodes of the grammar.
func csharpMember(o *outliner, i uint32) *Expr {
	at, ok := o.field(i, "name")
	if !ok {
		return nil
	}
	name, with := o.csharpName(at)
	e := &Expr{Op: OpMember, Name: o.word(name), At: int(o.nodes[i].start), Of: csharpOwnerOf(o, i)}
	if e.Of == nil {
		return nil
	}
	if with != name {
		o.arguments(with, e, maxExprDepth)
	}
	return e
}

// csharpOwnerOf returns what node i has a member of.
func csharpOwnerOf(o *outliner, i uint32) *Expr {
	if of, ok := o.at(i, "expression qualifier condition"); ok {
		return o.expr(of)
	}
	return csharpSelf(o, i)
}

// csharpSelf returns the object whose method runs where node i begins with a word for it.
func csharpSelf(o *outliner, i uint32) *Expr {
	n := &o.nodes[i]
	switch text := o.src[n.start:n.end]; {
	case bytes.HasPrefix(text, []byte("this")):
		return &Expr{Op: OpThis, At: int(n.start)}
	case bytes.HasPrefix(text, []byte("base")):
		return &Expr{Op: OpSuper, At: int(n.start)}
	}
	return nil
}

// csharpConditional returns the member that a?.B takes, or the element of a?[b].
func csharpConditional(o *outliner, i uint32) *Expr {
	of := csharpOwnerOf(o, i)
	last, ok := o.at(i, "$")
	if of == nil || !ok {
		return nil
	}
	at, ok := o.field(last, "name")
	if !ok {
		return &Expr{Op: OpElem, Of: of}
	}
	name, with := o.csharpName(at)
	e := &Expr{Op: OpMember, Name: o.word(name), Of: of, At: int(o.nodes[i].start)}
	if with != name {
		o.arguments(with, e, maxExprDepth)
	}
	return e
}

// csharpEither returns the first of two values whose form shows what it is; what other operators
// compute is of a type of the language.
func csharpEither(o *outliner, i uint32) *Expr {
	first, ok := o.at(i, "consequence left")
	second, ok2 := o.at(i, "alternative right")
	if !ok || !ok2 {
		return &Expr{Op: OpLiteral}
	}
	if o.typeOf(i) == "binary_expression" && !bytes.Contains(o.src[o.nodes[first].end:o.nodes[second].start], []byte("??")) {
		return &Expr{Op: OpLiteral}
	}
	if e := o.expr(first); e != nil && e.Name != "null" {
		return e
	}
	return o.expr(second)
}

// csharpLiterals are the types of literals.
var csharpLiterals = map[string]string{
	"string_literal": "string", "verbatim_string_literal": "string", "raw_string_literal": "string", "interpolated_string_expression": "string",
	"character_literal": "char", "integer_literal": "int", "real_literal": "double", "boolean_literal": "bool", "is_expression": "bool",
	"is_pattern_expression": "bool", "typeof_expression": "Type", "null_literal": "null",
}

func csharpLiteral(o *outliner, i uint32) *Expr {
	name := csharpLiterals[o.typeOf(i)]
	if name == "" {
		name = o.word(i)
	}
	return &Expr{Op: OpLiteral, Name: name, At: int(o.nodes[i].start)}
}

// csharpVariable adds a variable or a field.
func csharpVariable(o *outliner, i uint32) {
	p := o.nodes[i].parent
	var kind, value *Expr
	if t, ok := o.field(p, "type"); ok && o.typeOf(t) != "implicit_type" {
		kind = o.expr(t)
	}
	name, named := o.field(i, "name")
	last, _ := o.at(i, "$")
	if last != name {
		value = o.expr(last)
	}
	if named {
		o.pattern(i, name, kind, value, false)
		return
	}
	if o.typeOf(i+1) == "tuple_pattern" && i+1 != last {
		for k, part := range o.namesOf(i+1, "name") {
			o.pattern(i, part, nil, &Expr{Op: OpNth, Of: value, N: k}, false)
		}
	}
}

// csharpParameter adds a parameter: one of a lambda without a type has that which the called
// function declares, or is an element of what that is a method of.
func csharpParameter(o *outliner, i uint32) {
	name, kind := i, (*Expr)(nil)
	if o.typeOf(i) == "parameter" {
		at, ok := o.field(i, "name")
		if !ok {
			return
		}
		name = at
		if t, ok := o.field(i, "type"); ok {
			kind = o.expr(t)
		}
	}
	var value *Expr
	if kind == nil {
		value = csharpGiven(o, i)
	}
	if o.typeOf(i) == "parameter" {
		o.pattern(i, name, kind, value, false)
		return
	}
	at, _ := o.around(i)
	n := &o.nodes[at]
	o.out.Bindings = append(o.out.Bindings, Binding{Name: o.word(i), Start: int(n.start), End: int(n.end), From: int(n.start), Value: value})
}

// csharpGiven returns what the function that is called with a lambda passes it as the parameter at
// node i.
func csharpGiven(o *outliner, i uint32) *Expr {
	number, lambda := 0, o.nodes[i].parent
	if o.typeOf(lambda) == "parameter_list" {
		for c := range o.children(lambda) {
			if c == i {
				break
			}
			number++
		}
		lambda = o.nodes[lambda].parent
	}
	argument := o.nodes[lambda].parent
	list := o.nodes[argument].parent
	if o.typeOf(lambda) != "lambda_expression" || o.typeOf(argument) != "argument" || o.typeOf(list) != "argument_list" {
		return nil
	}
	called, ok := o.field(o.nodes[list].parent, "function")
	if !ok {
		return nil
	}
	of := o.expr(called)
	if of == nil {
		return nil
	}
	place := 0
	for c := range o.children(list) {
		if c == argument {
			break
		}
		place++
	}
	return &Expr{Op: OpGiven, Of: of, N: number, At: place}
}

// csharpAnyNumber adds the last parameter of a list that stands for any number, which is no node of
// its own.
func csharpAnyNumber(o *outliner, i uint32) {
	t, ok := o.field(i, "type")
	name, ok2 := o.field(i, "name")
	if ok && ok2 {
		o.pattern(i, name, o.expr(t), nil, false)
	}
}

func csharpIndexer(o *outliner, i uint32) {
	t, ok := o.field(i, "type")
	at, owner := o.around(i)
	if ok && owner != "" {
		o.out.Members = append(o.out.Members, Binding{Owner: owner, Name: Indexer, Start: int(o.nodes[at].start), End: int(o.nodes[at].end), Type: o.expr(t)})
	}
}

// Indexer is the name of the member of a type whose type its elements have.
const Indexer = "[]"

// csharpTypeParameter adds a type parameter.
func csharpTypeParameter(o *outliner, i uint32) {
	if name, ok := o.field(i, "name"); ok {
		o.csharpBound(i, name, nil)
	}
}

// csharpConstraint adds what bounds a type parameter.
func csharpConstraint(o *outliner, i uint32) {
	for c := range o.children(i) {
		if t, ok := o.field(c, "type"); ok {
			if e := o.expr(t); e != nil {
				o.csharpBound(i, i+1, e)
				return
			}
		}
	}
}

func (o *outliner) csharpBound(i, name uint32, bound *Expr) {
	at, _ := o.around(i)
	n := &o.nodes[at]
	b := Binding{Name: o.word(name), Start: int(n.start), End: int(n.end), From: int(n.start), Type: bound, IsType: true}
	for k := range o.out.Bindings {
		if known := &o.out.Bindings[k]; known.IsType && known.Name == b.Name && known.Start == b.Start {
			known.Type = bound
			return
		}
	}
	o.out.Bindings = append(o.out.Bindings, b)
}

// csharpGenerics returns the names of the type parameters of what node i defines.
func csharpGenerics(o *outliner, i uint32) (out []string) {
	list, ok := o.at(i, ".type_parameter_list")
	if !ok {
		return nil
	}
	for c := range o.children(list) {
		if name, ok := o.field(c, "name"); ok {
			out = append(out, o.word(name))
		}
	}
	return out
}

// csharpSignature adds what the parameters of the function at node i show.
func csharpSignature(o *outliner, i uint32, out *FuncOutline) {
	out.Generics = csharpGenerics(o, i)
	list, ok := o.field(i, "parameters")
	if !ok {
		return
	}
	for c := range o.children(list) {
		if o.typeOf(c) != "parameter" {
			continue
		}
		out.Params++
		var kind *Expr
		if t, ok := o.field(c, "type"); ok {
			kind = o.expr(t)
		}
		out.Types = append(out.Types, kind)
		last, _ := o.at(c, "$")
		if name, ok := o.field(c, "name"); ok && last != name {
			out.Optional++
		}
		if m, ok := o.typed(c, "modifier"); ok && string(o.text(m)) == "this" {
			out.Extends = true
		}
	}
	if t, ok := o.field(list, "type"); ok {
		out.Params, out.Variadic, out.Types = out.Params+1, true, append(out.Types, o.expr(t))
	}
}

// csharpNames are the nodes with a field for the name that they declare.
var csharpNames = wordSet("class_declaration record_declaration struct_declaration interface_declaration enum_declaration enum_member_declaration delegate_declaration " +
	"method_declaration constructor_declaration destructor_declaration local_function_statement property_declaration event_declaration variable_declarator parameter " +
	"parameter_list type_parameter catch_declaration declaration_pattern recursive_pattern var_pattern declaration_expression from_clause argument attribute_argument " +
	"tuple_element tuple_pattern namespace_declaration file_scoped_namespace_declaration parenthesized_variable_designation list_pattern")

// csharpDeclares reports whether node i is the name that a node declares, or a part of it.
func csharpDeclares(o *outliner, i uint32) bool {
	for o.typeOf(o.nodes[i].parent) == "qualified_name" {
		i = o.nodes[i].parent
	}
	p := o.nodes[i].parent
	field := o.grammar.fields[o.nodes[i].field]
	return field == "name" && csharpNames[o.typeOf(p)] || field == "left" && o.typeOf(p) == "foreach_statement"
}

// csharpWhole returns the node of the whole name that the identifier at node i ends.
func csharpWhole(o *outliner, i uint32) uint32 {
	for range maxExprDepth {
		p := o.nodes[i].parent
		switch kind := o.typeOf(p); {
		case kind == "generic_name" && i == p+1, kind == "alias_qualified_name", kind == "member_binding_expression":
		case kind == "conditional_access_expression" && o.typeOf(i) == "member_binding_expression":
		case (kind == "qualified_name" || kind == "member_access_expression") && o.grammar.fields[o.nodes[i].field] == "name":
		default:
			return i
		}
		i = p
	}
	return i
}

// csharpCalled returns the arguments with which the name at node i is called.
func csharpCalled(o *outliner, i uint32) (arguments uint32, called bool) {
	whole := csharpWhole(o, i)
	p := o.nodes[whole].parent
	field := o.grammar.fields[o.nodes[whole].field]
	switch o.typeOf(p) {
	case "invocation_expression":
		list, _ := o.field(p, "arguments")
		return list, field == "function"
	case "object_creation_expression":
		list, _ := o.field(p, "arguments")
		return list, field == "type"
	case "primary_constructor_base_type":
		list, _ := o.typed(p, "argument_list")
		return list, field == "type"
	}
	return 0, false
}

// csharpOwner returns what the name at node i is a member of.
func csharpOwner(o *outliner, i uint32) (owner *Expr, isMember bool) {
	if p := o.nodes[i].parent; o.typeOf(p) == "generic_name" && i == p+1 {
		i = p
	}
	p := o.nodes[i].parent
	field := o.grammar.fields[o.nodes[i].field]
	switch o.typeOf(p) {
	case "member_access_expression", "qualified_name":
		if field != "name" {
			return nil, false
		}
		return csharpOwnerOf(o, p), true
	case "member_binding_expression":
		return csharpOwnerOf(o, o.nodes[p].parent), true
	case "assignment_expression":
		list := o.nodes[p].parent
		if field != "left" || o.typeOf(list) != "initializer_expression" {
			return nil, false
		}
		return o.expr(o.nodes[list].parent), true
	}
	return nil, false
}

// csharpTyped are the nodes whose children are types.
var csharpTyped = wordSet("base_list type_argument_list explicit_interface_specifier")

// csharpOnlyType reports whether the name at node i can only be that of a type.
func csharpOnlyType(o *outliner, i uint32) bool {
	whole := csharpWhole(o, i)
	p := o.nodes[whole].parent
	switch field := o.grammar.fields[o.nodes[whole].field]; field {
	case "type", "returns":
		return true
	case "right":
		return o.typeOf(p) == "as_expression"
	}
	return csharpTyped[o.typeOf(p)]
}

// csharpPassed returns the arguments of a list.
func csharpPassed(o *outliner, list uint32) (out []*Expr) {
	for c := range o.children(list) {
		if o.role[max(0, o.symbolOf(c))]&roleComment == 0 {
			out = append(out, o.expr(c))
		}
	}
	return out
}
