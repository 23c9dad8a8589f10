package chunk

import (
	"bytes"
	"maps"
)

var cppTyping = func() typing {
	t := cTyping
	t.scopes += " for_range_loop catch_clause lambda_expression template_declaration"
	t.exprs = maps.Clone(cTyping.exprs)
	maps.Copy(t.exprs, map[string]form{
		"new_expression": {op: OpNew, of: "type"}, "this": {op: OpThis}, "nullptr": {op: OpLiteral}, "lambda_expression": {op: OpFunc},
		"class_specifier": {same: true, of: "name"}, "template_type": {same: true, of: "name"}, "template_function": {same: true, of: "name"},
		"template_method": {same: true, of: "name"}, "dependent_name": {same: true}, "dependent_type": {same: true},
		"qualified_identifier": {op: OpMember, of: "scope", name: "name"}, "raw_string_literal": {op: OpLiteral}, "user_defined_literal": {op: OpLiteral},
	})
	t.parents = "base_class_clause"
	t.variadic = "variadic_parameter_declaration"
	t.inherent = true
	t.special = map[string]func(*outliner, uint32) *Expr{
		"qualified_identifier": cppQualified, "call_expression": cppCast, "field_expression": cppMember,
	}
	t.visit = maps.Clone(cTyping.visit)
	maps.Copy(t.visit, map[string]func(*outliner, uint32){
		"optional_parameter_declaration": cDeclaration, "for_range_loop": cDeclaration,
		"type_parameter_declaration": cppParameter, "optional_type_parameter_declaration": cppParameter, "variadic_type_parameter_declaration": cppParameter,
		"using_declaration": cppUsing, "function_definition": cppMade, "namespace_alias_definition": cppAlias,
	})
	return t
}()

// cppQualified returns a name with the scopes before it: the grammar puts the first of several
// outside.
func cppQualified(o *outliner, i uint32) *Expr {
	name, ok := o.field(i, "name")
	if !ok {
		return nil
	}
	e := o.expr(name)
	scope, ok := o.field(i, "scope")
	if !ok || e == nil {
		return e
	}
	of := outerName(o.expr(scope))
	if of == nil {
		return e
	}
	inner := e
	for inner.Op == OpMember && inner.Of != nil {
		if inner.Of.Op == OpName {
			inner = inner.Of
			break
		}
		inner = inner.Of
	}
	if inner.Op == OpName {
		*inner = Expr{Op: OpMember, Name: inner.Name, Of: of, At: inner.At, Args: inner.Args}
	}
	return e
}

// cppScope returns what is before the last :: of the qualified name at node i, which may be the
// name in another.
func cppScope(o *outliner, i uint32) *Expr {
	c, ok := o.field(i, "scope")
	if !ok {
		return nil
	}
	e := outerName(o.expr(c))
	p := o.nodes[i].parent
	if e == nil || e.Op != OpName || o.typeOf(p) != "qualified_identifier" {
		return e
	}
	if of := cppScope(o, p); of != nil {
		return &Expr{Op: OpMember, Name: e.Name, Of: of, At: e.At, Args: e.Args}
	}
	return e
}

// outerName returns a name before :: as one that is no variable.
func outerName(e *Expr) *Expr {
	if e != nil && e.Op == OpName {
		e.Outer = true
	}
	return e
}

// cppMember returns a member that may have type arguments.
func cppMember(o *outliner, i uint32) *Expr {
	field, ok := o.field(i, "field")
	of, ok2 := o.field(i, "argument")
	if !ok || !ok2 {
		return nil
	}
	name, owner := o.expr(field), o.expr(of)
	if owner == nil || name == nil || name.Op != OpName {
		return nil
	}
	return &Expr{Op: OpMember, Name: name.Name, Of: owner, At: int(o.nodes[i].start), Args: name.Args, Arrow: bytes.HasPrefix(trimBlank(o.src[o.nodes[of].end:]), []byte("->"))}
}

// cppCasts are the keywords that convert to the type in angle brackets after them.
var cppCasts = wordSet("static_cast dynamic_cast const_cast reinterpret_cast")

// cppCast returns what a conversion converts to, nil for another call.
func cppCast(o *outliner, i uint32) *Expr {
	f, ok := o.field(i, "function")
	if !ok || o.typeOf(f) != "template_function" {
		return nil
	}
	if e := o.expr(f); e != nil && e.Op == OpName && cppCasts[e.Name] && len(e.Args) == 1 && e.Args[0] != nil {
		return &Expr{Op: OpNew, Of: e.Args[0], At: e.At}
	}
	return nil
}

// cppParameter adds a type parameter, of which nothing is known.
func cppParameter(o *outliner, i uint32) {
	name, ok := o.at(i, "name .type_identifier")
	if !ok {
		return
	}
	for at := o.nodes[i].parent; at != 0; at = o.nodes[at].parent {
		if o.typeOf(at) == "template_declaration" {
			n := &o.nodes[at]
			o.out.Bindings = append(o.out.Bindings, Binding{Name: o.word(name), Start: int(n.start), End: int(n.end), From: int(n.start), IsType: true})
			return
		}
	}
}

// cppUsing adds the names of a namespace, or one of them, that a file knows by themselves.
func cppUsing(o *outliner, i uint32) {
	c, ok := o.at(i, "$")
	if !ok {
		return
	}
	if e := o.expr(c); e != nil {
		o.out.Spaces = append(o.out.Spaces, e.Name)
		if e.Op == OpMember && e.Of != nil {
			o.out.Spaces = append(o.out.Spaces, e.Of.Name)
		}
	}
}

// cppAlias adds another name of a namespace.
func cppAlias(o *outliner, i uint32) {
	name, ok := o.field(i, "name")
	if last, ok2 := o.at(i, "$"); ok && ok2 {
		for o.typeOf(last) == "nested_namespace_specifier" {
			if last, ok = o.at(last, "$"); !ok {
				return
			}
		}
		o.out.Imports = append(o.out.Imports, Import{Local: o.word(name), Name: o.word(last)})
	}
}

// cppMade adds the type without a name of a function that a macro makes of the names of types, such
// as a test that is a method of a class below its fixture: TEST_F(Fixture, Name) {}. Which of the
// names is that of a type it inherits is not known here.
func cppMade(o *outliner, i uint32) {
	_, typed := o.field(i, "type")
	d, ok := o.field(i, "declarator")
	if typed || !ok || o.typeOf(d) != "function_declarator" {
		return
	}
	name, ok := o.field(d, "declarator")
	list, ok2 := o.field(d, "parameters")
	if _, owner := o.around(i); !ok || !ok2 || owner != "" || o.typeOf(name) != "identifier" {
		return
	}
	t := TypeOutline{Start: int(o.nodes[i].start), End: int(o.nodes[i].end)}
	for c := range o.children(list) {
		kind, ok := o.field(c, "type")
		if _, named := o.field(c, "declarator"); named || !ok {
			return
		}
		if e := o.expr(kind); e != nil {
			t.Parents = append(t.Parents, e)
		}
	}
	o.out.Types = append(o.out.Types, t)
}
