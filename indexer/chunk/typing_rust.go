package chunk

import "bytes"

var rustTyping = typing{
	scopes: "function_item function_signature_item block closure_expression match_arm for_expression if_expression while_expression impl_item",
	exprs: map[string]form{
		"field_expression": {op: OpMember, of: "value", name: "field"},
		"await_expression": {op: OpAwait}, "generic_function": {same: true, of: "function"}, "reference_expression": {same: true, of: "value"},
		"unary_expression": {same: true}, "parenthesized_expression": {same: true}, "type_cast_expression": {op: OpNew, of: "type"},
		"struct_expression": {op: OpNew, of: "name"}, "if_expression": {same: true, of: "consequence"},
		"assignment_expression": {op: OpLiteral}, "binary_expression": {op: OpLiteral}, "range_expression": {op: OpLiteral},
		"unsafe_block": {same: true}, "async_block": {same: true, of: ".block"}, "else_clause": {same: true}, "tuple_expression": {op: OpTuple}, "unit_expression": {op: OpLiteral},
		"self": {op: OpThis}, "string_literal": {op: OpLiteral}, "raw_string_literal": {op: OpLiteral}, "char_literal": {op: OpLiteral},
		"integer_literal": {op: OpLiteral}, "float_literal": {op: OpLiteral}, "boolean_literal": {op: OpLiteral},
		"generic_type": {same: true, of: "type"}, "generic_type_with_turbofish": {same: true, of: "type"}, "reference_type": {same: true, of: "type"},
		"pointer_type": {same: true, of: "type"}, "bounded_type": {same: true}, "dynamic_type": {same: true, of: "trait"}, "abstract_type": {same: true, of: "trait"},
		"higher_ranked_trait_bound": {same: true, of: "type"}, "type_binding": {same: true, of: "type"}, "array_type": {op: OpList, of: "element"},
		"tuple_type": {op: OpTuple}, "unit_type": {op: OpLiteral}, "primitive_type": {op: OpLiteral}, "never_type": {op: OpLiteral},
	},
	results: "return_type",
	special: map[string]func(*outliner, uint32) *Expr{
		"call_expression": rustCall, "scoped_identifier": rustPath, "scoped_type_identifier": rustPath, "generic_type": rustGeneric, "generic_function": rustGeneric,
		"generic_type_with_turbofish": rustGeneric, "abstract_type": rustBinding, "dynamic_type": rustBinding,
		"block": rustBlock, "match_expression": rustMatch, "bracketed_type": rustQualified, "struct_expression": rustMade,
		"try_expression": rustElem, "index_expression": rustElem, "array_expression": rustArray, "closure_expression": rustLambda, "function_type": rustSignature,
	},
	imports: map[string]func(*outliner, uint32){"use_declaration": rustImported, "extern_crate_declaration": rustExtern},
	visit: map[string]func(*outliner, uint32){
		"let_declaration": rustBind, "let_condition": rustBind, "parameter": rustBind, "closure_parameters": rustClosure, "for_expression": rustBind,
		"match_arm": rustArm, "const_item": rustConstant, "static_item": rustConstant, "type_parameters": rustParameters, "where_clause": rustWhere,
		"struct_item": rustFields, "union_item": rustFields, "enum_variant": rustFields, "trait_item": rustTrait, "impl_item": rustImpl,
		"function_item": rustFunction, "function_signature_item": rustFunction, "enum_item": rustEnum, "type_item": rustEnum, "mod_item": rustModule, "associated_type": rustAssociated,
	},
	used: rustUsed,
}

// isField reports whether the parent of node i has it as a field.
func (o *outliner) isField(i uint32, name string) bool {
	return o.grammar.fields[o.nodes[i].field] == name
}

// span returns the bytes of a node.
func (o *outliner) span(i uint32) (start, end int) { return int(o.nodes[i].start), int(o.nodes[i].end) }

// isMacro reports whether the name at node i is that of a macro that is run.
func (o *outliner) isMacro(i uint32) bool {
	rest := o.src[o.nodes[i].end:]
	return bytes.HasPrefix(rest, []byte("!")) && !bytes.HasPrefix(rest, []byte("!="))
}

// rustCall returns a call with its arguments. That of a macro in whose place it is parsed is that
// of a function which is not known.
func rustCall(o *outliner, i uint32) *Expr {
	f, ok := o.field(i, "function")
	if !ok {
		return nil
	}
	out := &Expr{Op: OpCall, Of: o.expr(f), At: int(o.nodes[i].start)}
	if o.isMacro(f) {
		out.Of = &Expr{Op: OpLiteral}
	}
	if out.Of == nil {
		return nil
	}
	if list, ok := o.field(i, "arguments"); ok {
		for c := range o.children(list) {
			if o.role[max(0, o.symbolOf(c))]&roleComment == 0 {
				out.Args = append(out.Args, o.expr(c))
			}
		}
	}
	return out
}

// The ways to take an element out of a value, as the number of its expression.
const (
	RustEach  = iota // one after the other
	RustTried        // by ?
	RustIndex
)

// rustElem returns an element of a value.
func rustElem(o *outliner, i uint32) *Expr {
	if i+1 >= o.nodes[i].next {
		return nil
	}
	e := elemOf(o.expr(i + 1))
	if e != nil {
		if e.N = RustTried; o.typeOf(i) == "index_expression" {
			e.N = RustIndex
		}
	}
	return e
}

// rustArray returns a value with the elements of an array.
func rustArray(o *outliner, i uint32) *Expr {
	out := &Expr{Op: OpCall, Of: &Expr{Op: OpLiteral}}
	for c := range o.children(i) {
		out.Args = append(out.Args, o.expr(c))
	}
	return out
}

// rustLambda returns a closure with what it returns.
func rustLambda(o *outliner, i uint32) *Expr {
	out := &Expr{Op: OpFunc, At: int(o.nodes[i].start)}
	if t, ok := o.field(i, "return_type"); ok {
		out.Of = o.expr(t)
	} else if b, ok := o.field(i, "body"); ok {
		out.Value = o.expr(b)
	}
	return out
}

// rustSignature returns the type of a function, with those of its parameters.
func rustSignature(o *outliner, i uint32) *Expr {
	out := &Expr{Op: OpFunc, At: int(o.nodes[i].start)}
	if t, ok := o.field(i, "return_type"); ok {
		out.Of = o.expr(t)
	}
	if list, ok := o.field(i, "parameters"); ok {
		for c := range o.children(list) {
			out.Args = append(out.Args, o.expr(c))
		}
	}
	return out
}

// rustMade returns the object that a literal of a struct makes: its name is that of a type.
func rustMade(o *outliner, i uint32) *Expr {
	if name, ok := o.field(i, "name"); ok {
		if e := outermost(o.expr(name)); e != nil {
			return &Expr{Op: OpNew, Of: e, At: int(o.nodes[i].start)}
		}
	}
	return nil
}

// outermost returns a path whose first name is no variable.
func outermost(e *Expr) *Expr {
	at := e
	for at != nil && at.Op == OpMember {
		at = at.Of
	}
	outerName(at)
	return e
}

// rustPath returns a name with the path before it.
func rustPath(o *outliner, i uint32) *Expr {
	name, ok := o.field(i, "name")
	if !ok {
		return nil
	}
	start, _ := o.span(name)
	of := o.rustOwner(i)
	if of == nil {
		if _, has := o.field(i, "path"); has {
			return nil
		}
		return &Expr{Op: OpName, Name: o.word(name), At: start, Outer: true}
	}
	return &Expr{Op: OpMember, Name: o.word(name), Of: of, At: start, Path: true}
}

// rustOwner returns what precedes the last :: of a path, nil for nothing.
func (o *outliner) rustOwner(i uint32) *Expr {
	c, ok := o.field(i, "path")
	if !ok {
		return nil
	}
	start, _ := o.span(c)
	switch kind := o.typeOf(c); kind {
	case "self", "super", "crate":
		return &Expr{Op: OpName, Name: kind, At: start, Outer: true}
	}
	return outermost(o.expr(c))
}

// rustGeneric returns a type or function with its type arguments: lifetimes are none.
func rustGeneric(o *outliner, i uint32) *Expr {
	c, ok := o.at(i, "type function")
	if !ok {
		return nil
	}
	e := o.expr(c)
	list, ok := o.field(i, "type_arguments")
	if e == nil || !ok {
		return e
	}
	for a := range o.children(list) {
		if kind := o.typeOf(a); kind != "lifetime" && o.role[max(0, o.symbolOf(a))]&roleComment == 0 {
			e.Args = append(e.Args, o.expr(a))
		}
	}
	return e
}

// rustBinding returns a trait whose implementation is not known: impl Trait or dyn Trait.
func rustBinding(o *outliner, i uint32) *Expr {
	c, ok := o.field(i, "trait")
	if !ok {
		return nil
	}
	return o.expr(c)
}

// rustQualified returns the type in <Type as Trait>, with the trait as its value.
func rustQualified(o *outliner, i uint32) *Expr {
	if i+1 >= o.nodes[i].next {
		return nil
	}
	if o.typeOf(i+1) != "qualified_type" {
		return o.expr(i + 1)
	}
	t, ok := o.field(i+1, "type")
	trait, ok2 := o.field(i+1, "alias")
	if !ok || !ok2 {
		return nil
	}
	return &Expr{Op: OpAs, Of: o.expr(t), Value: o.expr(trait), At: int(o.nodes[i].start)}
}

// rustBlock returns the value of a block: its last expression.
func rustBlock(o *outliner, i uint32) *Expr {
	last, ok := o.at(i, "$")
	if !ok {
		return nil
	}
	switch o.typeOf(last) {
	case "expression_statement":
		text := o.text(last)
		if text[len(text)-1] == ';' || last+1 >= o.nodes[last].next {
			return nil
		}
		return o.expr(last + 1)
	case "let_declaration":
		return nil
	}
	return o.expr(last)
}

// rustMatch returns the value of the first arm whose form is known.
func rustMatch(o *outliner, i uint32) *Expr {
	body, ok := o.field(i, "body")
	if !ok {
		return nil
	}
	for arm := range o.children(body) {
		if v, ok := o.field(arm, "value"); ok {
			if e := o.expr(v); e != nil && e.Op != OpLiteral {
				return e
			}
		}
	}
	return nil
}

// rustBind adds the variables of a pattern with its type and value.
func rustBind(o *outliner, i uint32) {
	p, ok := o.field(i, "pattern")
	if !ok {
		return
	}
	var value *Expr
	if v, ok := o.field(i, "value"); ok {
		value = o.expr(v)
	}
	at, _ := o.around(i)
	from := int(o.nodes[i].end)
	switch kind := o.typeOf(i); {
	case kind == "for_expression":
		value, at, from = elemOf(value), i, int(o.nodes[p].end)
	case kind == "parameter":
		from = int(o.nodes[i].start)
		if value = o.rustGiven(i); o.typeOf(o.nodes[i].parent) == "closure_parameters" {
			at = o.nodes[o.nodes[i].parent].parent
		}
	}
	if t, ok := o.field(i, "type"); ok {
		if e := o.expr(t); e != nil {
			value = &Expr{Op: OpNew, Of: e, Value: value}
		}
	}
	o.rustPattern(p, at, from, value)
}

// rustGiven returns what a closure that is an argument of a method gets: what the object has.
func (o *outliner) rustGiven(i uint32) *Expr {
	for i != 0 && o.typeOf(i) != "closure_expression" {
		if i = o.nodes[i].parent; o.typeOf(i) == "function_item" {
			return nil
		}
	}
	list := o.nodes[i].parent
	if i == 0 || o.typeOf(list) != "arguments" {
		return nil
	}
	f, ok := o.field(o.nodes[list].parent, "function")
	if !ok {
		return nil
	}
	if o.typeOf(f) == "generic_function" {
		if f, ok = o.field(f, "function"); !ok {
			return nil
		}
	}
	if of, ok := o.field(f, "value"); ok && o.typeOf(f) == "field_expression" {
		if e := o.expr(of); e != nil {
			return &Expr{Op: OpGiven, Of: e}
		}
	}
	return nil
}

// rustClosure adds the parameters of a closure without types.
func rustClosure(o *outliner, i uint32) {
	given := o.rustGiven(i)
	for c := range o.children(i) {
		if o.typeOf(c) != "parameter" {
			o.rustPattern(c, o.nodes[i].parent, int(o.nodes[i].start), given)
		}
	}
}

// rustArm adds the variables of an arm.
func rustArm(o *outliner, i uint32) {
	p, ok := o.field(i, "pattern")
	whole := o.nodes[o.nodes[i].parent].parent
	v, ok2 := o.field(whole, "value")
	if ok && ok2 {
		o.rustPattern(p, i, int(o.nodes[i].start), o.expr(v))
	}
}

// rustConstant adds a constant with its type.
func rustConstant(o *outliner, i uint32) {
	name, ok := o.field(i, "name")
	t, ok2 := o.field(i, "type")
	if !ok || !ok2 {
		return
	}
	at, owner := o.around(i)
	start, end := o.span(at)
	b := Binding{Owner: owner, Name: o.word(name), Start: start, End: end, From: start, Type: o.expr(t)}
	if at == 0 || owner != "" || o.typeOf(at) == "impl_item" {
		b.Start, b.End = o.span(i)
		o.out.Members = append(o.out.Members, b)
		return
	}
	o.out.Bindings = append(o.out.Bindings, b)
}

// rustPattern adds the variables of the pattern at c, which are known in a node from a byte on.
func (o *outliner) rustPattern(c, in uint32, from int, value *Expr) {
	switch kind := o.typeOf(c); kind {
	case "identifier", "shorthand_field_identifier":
		if !isUpper(o.text(c)) {
			start, end := o.span(in)
			o.out.Bindings = append(o.out.Bindings, Binding{Name: o.word(c), Start: start, End: end, From: from, Value: value})
		}
	case "tuple_pattern":
		n := 0
		for k := range o.children(c) {
			o.rustPattern(k, in, from, nthOf(value, n))
			n++
		}
	case "slice_pattern":
		for k := range o.children(c) {
			o.rustPattern(k, in, from, elemOf(value))
		}
	case "tuple_struct_pattern", "struct_pattern":
		o.rustParts(c, in, from, value)
	case "match_pattern", "or_pattern", "mut_pattern", "ref_pattern", "reference_pattern", "captured_pattern":
		for k := range o.children(c) {
			if !o.isField(k, "condition") {
				o.rustPattern(k, in, from, value)
			} else if o.typeOf(k) == "let_condition" {
				rustBind(o, k)
			}
		}
	}
}

func nthOf(e *Expr, n int) *Expr {
	if e == nil {
		return nil
	}
	return &Expr{Op: OpNth, Of: e, N: n}
}

// rustParts adds the variables that a pattern takes out of a struct or a variant.
func (o *outliner) rustParts(c, in uint32, from int, value *Expr) {
	t, ok := o.field(c, "type")
	if !ok {
		return
	}
	of := outermost(o.expr(t))
	n := 0
	for k := range o.children(c) {
		if k == t {
			continue
		}
		at, name := k, decimal(n)
		if o.typeOf(k) == "field_pattern" {
			key, ok := o.field(k, "name")
			if !ok {
				continue
			}
			at, name = key, o.word(key)
			if p, ok := o.field(k, "pattern"); ok {
				at = p
			}
		}
		n++
		var part *Expr
		if of != nil {
			part = &Expr{Op: OpPart, Name: name, Of: of, Value: value}
		}
		o.rustPattern(at, in, from, part)
	}
}

// decimal returns the name of a field of a tuple.
func decimal(n int) string {
	if n < 10 {
		return "0123456789"[n : n+1]
	}
	return decimal(n/10) + decimal(n%10)
}

// isUpper reports whether a name begins with a capital, as those of types, variants and constants
// do.
func isUpper(name []byte) bool { return len(name) > 0 && 'A' <= name[0] && name[0] <= 'Z' }

// rustParameters adds the type parameters of an item with what bounds them.
func rustParameters(o *outliner, i uint32) {
	start, end := o.span(o.nodes[i].parent)
	for c := range o.children(i) {
		name := c
		var bounds uint32
		switch o.typeOf(c) {
		case "constrained_type_parameter":
			name, _ = o.field(c, "left")
			bounds, _ = o.field(c, "bounds")
		case "optional_type_parameter":
			if name, _ = o.field(c, "name"); o.typeOf(name) == "constrained_type_parameter" {
				bounds, _ = o.field(name, "bounds")
				name, _ = o.field(name, "left")
			}
		}
		if o.typeOf(name) == "type_identifier" {
			o.rustBounds(o.word(name), bounds, start, end)
		}
	}
}

// rustBounds adds a type parameter that is known between two bytes.
func (o *outliner) rustBounds(name string, bounds uint32, start, end int) {
	b := Binding{Name: name, Start: start, End: end, From: start, IsType: true}
	o.out.Bindings = append(o.out.Bindings, b)
	if bounds == 0 {
		return
	}
	for c := range o.children(bounds) {
		if o.typeOf(c) == "lifetime" {
			continue
		}
		if b.Type = o.expr(c); b.Type != nil {
			o.out.Bindings = append(o.out.Bindings, b)
		}
	}
}

// rustWhere adds the bounds of a where clause.
func rustWhere(o *outliner, i uint32) {
	start, end := o.span(o.nodes[i].parent)
	for c := range o.children(i) {
		left, ok := o.field(c, "left")
		bounds, ok2 := o.field(c, "bounds")
		if ok && ok2 && o.typeOf(left) == "type_identifier" {
			o.rustBounds(o.word(left), bounds, start, end)
		}
	}
}

// parameterNames returns the names of the type parameters of an item.
func (o *outliner) parameterNames(i uint32) (out []string) {
	list, ok := o.field(i, "type_parameters")
	if !ok {
		return nil
	}
	for c := range o.children(list) {
		if o.typeOf(c) == "lifetime" {
			continue
		}
		name := c
		for {
			n, ok := o.at(name, "left name")
			if !ok {
				break
			}
			name = n
		}
		out = append(out, o.word(name))
	}
	return out
}

// rustEnum adds the type parameters to the outline of the type that node i defines.
func rustEnum(o *outliner, i uint32) {
	start, _ := o.span(i)
	if last := len(o.out.Types) - 1; last >= 0 && o.out.Types[last].Start == start {
		o.out.Types[last].Params = o.parameterNames(i)
	}
}

// rustFields adds the fields of a struct or a variant.
func rustFields(o *outliner, i uint32) {
	rustEnum(o, i)
	name, ok := o.field(i, "name")
	body, ok2 := o.field(i, "body")
	if !ok || !ok2 {
		return
	}
	start, end := o.span(i)
	b := Binding{Owner: o.word(name), Start: start, End: end, From: start}
	n := 0
	for c := range o.children(body) {
		switch {
		case o.typeOf(c) == "field_declaration":
			field, ok := o.field(c, "name")
			t, ok2 := o.field(c, "type")
			if !ok || !ok2 {
				continue
			}
			b.Name, b.Type = o.word(field), o.expr(t)
		case o.isField(c, "type"):
			b.Name, b.Type = decimal(n), o.expr(c)
			n++
		default:
			continue
		}
		o.out.Members = append(o.out.Members, b)
	}
}

// rustTrait adds what a trait needs of its types: the traits above it.
func rustTrait(o *outliner, i uint32) {
	rustEnum(o, i)
	last := len(o.out.Types) - 1
	bounds, ok := o.field(i, "bounds")
	if !ok || last < 0 {
		return
	}
	for c := range o.children(bounds) {
		if e := o.expr(c); e != nil {
			o.out.Types[last].Parents = append(o.out.Types[last].Parents, e)
		}
	}
}

// rustAssociated adds a type that the implementations of a trait choose, with its bounds.
func rustAssociated(o *outliner, i uint32) {
	name, ok := o.field(i, "name")
	bounds, ok2 := o.field(i, "bounds")
	if ok && ok2 {
		start, end := o.span(i)
		o.rustBounds(o.word(name), bounds, start, end)
	}
}

// rustImpl adds an implementation.
func rustImpl(o *outliner, i uint32) {
	t, ok := o.field(i, "type")
	if !ok {
		return
	}
	start, end := o.span(i)
	out := ImplOutline{Start: start, End: end, Params: o.parameterNames(i), Of: o.expr(t), Line: o.lines.of(int(o.nodes[t].start))}
	if trait, ok := o.field(i, "trait"); ok {
		out.Trait = o.expr(trait)
		out.IsTrait = true
	}
	o.out.Impls = append(o.out.Impls, out)
}

// rustFunction adds the parameters to the outline of the function that node i defines.
func rustFunction(o *outliner, i uint32) {
	last := len(o.out.Funcs) - 1
	name, ok := o.field(i, "name")
	if !ok || last < 0 || o.out.Funcs[last].Line != o.lines.of(int(o.nodes[name].start)) {
		return
	}
	f := &o.out.Funcs[last]
	f.TypeParams = o.parameterNames(i)
	list, ok := o.field(i, "parameters")
	if !ok {
		return
	}
	for c := range o.children(list) {
		if o.typeOf(c) != "parameter" {
			continue
		}
		var e *Expr
		if t, ok := o.field(c, "type"); ok {
			e = o.expr(t)
		}
		f.Takes = append(f.Takes, e)
	}
}

// rustModule adds a module whose file has another name than its own.
func rustModule(o *outliner, i uint32) {
	name, ok := o.field(i, "name")
	if _, hasBody := o.field(i, "body"); hasBody || !ok {
		return
	}
	at, _ := o.span(i)
	file := ""
	for c := range o.children(o.nodes[i].parent) {
		switch {
		case c == i:
			if file != "" {
				o.out.Imports = append(o.out.Imports, Import{Local: o.word(name), Path: "./" + file, At: at})
			}
			return
		case o.typeOf(c) != "attribute_item":
			file = ""
		default:
			if _, path, ok := bytes.Cut(o.text(c), []byte(`path = "`)); ok {
				path, _, _ = bytes.Cut(path, []byte(`"`))
				file = o.intern(path)
			}
		}
	}
}

// rustImported adds the names of a use.
func rustImported(o *outliner, i uint32) {
	if c, ok := o.field(i, "argument"); ok {
		_, isPublic := o.typed(i, "visibility_modifier")
		o.rustTree(c, "", Import{Export: isPublic, At: int(o.nodes[i].start)})
	}
}

// rustTree adds the names of a part of a use, below a path.
func (o *outliner) rustTree(c uint32, under string, m Import) {
	join := func(path string) string {
		if under == "" {
			return path
		}
		return under + "::" + path
	}
	switch o.typeOf(c) {
	case "use_as_clause":
		path, ok := o.field(c, "path")
		alias, ok2 := o.field(c, "alias")
		if ok && ok2 {
			m.Local = o.word(alias)
			o.rustTree(path, under, m)
		}
	case "use_list":
		for k := range o.children(c) {
			o.rustTree(k, under, m)
		}
	case "scoped_use_list":
		if path, ok := o.field(c, "path"); ok {
			under = join(o.word(path))
		}
		if list, ok := o.field(c, "list"); ok {
			o.rustTree(list, under, m)
		}
	case "use_wildcard":
		m.Local, m.Path = "*", under
		if c+1 < o.nodes[c].next {
			m.Path = join(o.word(c + 1))
		}
		o.out.Imports = append(o.out.Imports, m)
	default:
		whole := bytes.TrimPrefix([]byte(join(o.word(c))), []byte("::"))
		if o.typeOf(c) == "self" && under != "" {
			whole = []byte(under)
		}
		at := bytes.LastIndex(whole, []byte("::"))
		m.Name = o.intern(whole[max(0, at+2*min(1, at+1)):])
		if at >= 0 {
			m.Path = o.intern(whole[:at])
		}
		if m.Local == "" {
			m.Local = m.Name
		}
		o.out.Imports = append(o.out.Imports, m)
	}
}

// rustExtern adds another name of a crate.
func rustExtern(o *outliner, i uint32) {
	name, ok := o.field(i, "name")
	alias, ok2 := o.field(i, "alias")
	if ok && ok2 {
		o.out.Imports = append(o.out.Imports, Import{Local: o.word(alias), Name: o.word(name), At: int(o.nodes[i].start), Export: true})
	}
}

// rustUsed returns node i as a use of its name.
func rustUsed(o *outliner, i uint32) NameUse {
	u := NameUse{Name: o.word(i), Start: int(o.nodes[i].start), Line: o.lines.of(int(o.nodes[i].start)), Args: -1, Macro: o.isMacro(i)}
	p := o.nodes[i].parent
	switch kind := o.typeOf(p); kind {
	case "token_tree", "token_tree_pattern", "token_repetition", "token_repetition_pattern": // of a macro that is not understood
		u.Member, u.Macro = true, false
		return u
	case "lifetime", "label", "type_binding", "field_initializer", "token_binding_pattern":
		u.Declares = kind != "type_binding" && kind != "field_initializer" || o.isField(i, "name") || o.isField(i, "field")
	case "field_expression":
		if of, ok := o.field(p, "value"); ok && of != i {
			u.Member, u.Owner = true, o.expr(of)
		}
	case "scoped_identifier", "scoped_type_identifier":
		if of, ok := o.field(p, "path"); ok && of != i {
			u.Member, u.Path, u.Owner = true, true, o.rustOwner(p)
		}
	}
	u.Declares = u.Declares || o.rustDeclares(i)
	u.Call = o.rustCalled(i) || u.Macro
	return u
}

// rustPatterns are the nodes of patterns between a name and what declares it.
var rustPatterns = wordSet("tuple_pattern slice_pattern tuple_struct_pattern struct_pattern field_pattern match_pattern or_pattern mut_pattern ref_pattern reference_pattern captured_pattern")

// rustDeclares reports whether node i is the name that an item or a pattern declares.
func (o *outliner) rustDeclares(i uint32) bool {
	p := o.nodes[i].parent
	if o.symbolOf(p) > 0 && o.def[o.symbolOf(p)] != nil && o.isField(i, "name") || o.typeOf(p) == "field_declaration" && o.isField(i, "name") {
		return true
	}
	switch o.typeOf(p) {
	case "type_parameters", "constrained_type_parameter", "optional_type_parameter", "const_parameter":
		return !o.isField(i, "default_type") && !o.isField(i, "type")
	case "attribute":
		return true
	}
	if isUpper(o.text(i)) {
		return false
	}
	for at := i; ; at = o.nodes[at].parent {
		switch p := o.nodes[at].parent; {
		case rustPatterns[o.typeOf(p)]:
			if o.isField(at, "type") || o.isField(at, "condition") {
				return false
			}
		case o.typeOf(p) == "closure_parameters":
			return true
		default:
			return o.isField(at, "pattern")
		}
	}
}

// rustCalled reports whether the name at node i is what a call calls, or a literal of a struct
// makes.
func (o *outliner) rustCalled(i uint32) bool {
	for at := i; at != 0; at = o.nodes[at].parent {
		p := o.nodes[at].parent
		switch o.typeOf(p) {
		case "call_expression":
			return o.isField(at, "function")
		case "struct_expression":
			return o.isField(at, "name")
		case "scoped_identifier", "scoped_type_identifier":
			if !o.isField(at, "name") {
				return false
			}
		case "field_expression":
			if !o.isField(at, "field") {
				return false
			}
		case "generic_function", "generic_type_with_turbofish":
			if o.isField(at, "type_arguments") {
				return false
			}
		default:
			return false
		}
	}
	return false
}
