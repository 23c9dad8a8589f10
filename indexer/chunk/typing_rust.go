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
		"unsafe_block": {same: true}, "async_block": {same: true, of: ".block"}, "else_clause": {same: true},
		"tuple_expression": {op: OpTuple}, "unit_expression": {op: OpLiteral},
		"self": {op: OpThis}, "string_literal": {op: OpLiteral}, "raw_string_literal": {op: OpLiteral}, "char_literal": {op: OpLiteral},
		"integer_literal": {op: OpLiteral}, "float_literal": {op: OpLiteral}, "boolean_literal": {op: OpLiteral},
		"generic_type": {same: true, of: "type"}, "generic_type_with_turbofish": {same: true, of: "type"}, "reference_type": {same: true, of: "type"},
		"pointer_type": {same: true, of: "type"}, "bounded_type": {same: true},
		"dynamic_type": {same: true, of: "trait"}, "abstract_type": {same: true, of: "trait"},
		"higher_ranked_trait_bound": {same: true, of: "type"}, "type_binding": {same: true, of: "type"}, "array_type": {op: OpList, of: "element"},
		"tuple_type": {op: OpTuple}, "unit_type": {op: OpLiteral}, "primitive_type": {op: OpLiteral}, "never_type": {op: OpLiteral},
	},
	results: "return_type",
	special: map[string]func(*outliner, uint32) *Expr{
		"call_expression": rustCall, "scoped_identifier": rustPath, "scoped_type_identifier": rustPath,
		"generic_type": rustGeneric, "generic_function": rustGeneric,
		"generic_type_with_turbofish": rustGeneric, "abstract_type": rustBinding, "dynamic_type": rustBinding,
		"block": rustBlock, "match_expression": rustMatch, "bracketed_type": rustQualified, "struct_expression": rustMade,
		"try_expression": rustElem, "index_expression": rustElem, "array_expression": rustArray,
		"closure_expression": rustLambda, "function_type": rustSignature,
	},
	imports: map[string]func(*outliner, uint32){"use_declaration": rustImported, "extern_crate_declaration": rustExtern},
	visit: map[string]func(*outliner, uint32){
		"let_declaration": rustBind, "let_condition": rustBind, "parameter": rustBind, "closure_parameters": rustClosure, "for_expression": rustBind,
		"match_arm": rustArm, "const_item": rustConstant, "static_item": rustConstant, "type_parameters": rustParameters, "where_clause": rustWhere,
		"struct_item": rustFields, "union_item": rustFields, "enum_variant": rustFields, "trait_item": rustTrait, "impl_item": rustImpl,
		"function_item": rustFunction, "function_signature_item": rustFunction, "enum_item": rustEnum,
		"type_item": rustEnum, "mod_item": rustModule, "associated_type": rustAssociated,
	},
	used: rustUsed,
}

// rustOutliner outlines files of Rust.
type rustOutliner struct{ *outliner }

func inRust(o *outliner) rustOutliner { return rustOutliner{o} }

// isField reports whether the parent of node i has it as a field.
func (o *outliner) isField(i uint32, name string) bool {
	return o.grammar.fields[o.nodes[i].field] == name
}

// span returns the bytes of a node.
func (o *outliner) span(i uint32) (start, end int) { return int(o.nodes[i].start), int(o.nodes[i].end) }

// isMacro reports whether the name at node i is that of a macro that is run.
func (o rustOutliner) isMacro(i uint32) bool {
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
	if inRust(o).isMacro(f) {
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
	of := inRust(o).rustOwner(i)
	if of == nil {
		if _, has := o.field(i, "path"); has {
			return nil
		}
		return &Expr{Op: OpName, Name: o.word(name), At: start, Outer: true}
	}
	return &Expr{Op: OpMember, Name: o.word(name), Of: of, At: start, Path: true}
}

// rustOwner returns what precedes the last :: of a path, nil for nothing.
func (o rustOutliner) rustOwner(i uint32) *Expr {
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
