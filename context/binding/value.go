package binding

import (
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

// kind is what is known of a value.
type kind uint8

const (
	unknown  kind = iota
	foreign       // of a type that the workspace does not define
	named         // of the type def, or that type
	module        // a package, module or file: where
	list          // its elements have the type expr
	function      // def, or expr
	tuple         // several: expr
	space         // a namespace: the path of where
	dotted        // a namespace, or something of a library, with the qualified name text in C#
)

// value is what is known of an expression.
type value struct {
	kind kind
	def  indexer.Symbol
	in   *file // in which expr is
	expr *chunk.Expr
	args []*chunk.Expr // type arguments, in the file in
	// direct means that a member is one of the value itself, and not of what it contains.
	direct bool
	taken  bool // it is a member of another value, whose type arguments it has
	where  scope
	text   string // of a type of a library in C#: its name
	was    string // the same of the value that it is a member of
	of     *value // of a function in C#: what it is a method of
}

// value returns what an expression in a file is.
func (r *Resolver) value(f *file, e *chunk.Expr, depth int) value {
	if r.steps++; e == nil || f == nil || depth > maxDepth || r.steps > maxSteps {
		return value{}
	}
	depth++
	switch e.Op {
	case chunk.OpName:
		return r.withArguments(f, r.nameValue(f, e, depth), e, depth)
	case chunk.OpMember:
		return r.withArguments(f, r.member(f.reached(r.value(f, e.Of, depth), e.Arrow), e.Name, depth).value, e, depth)
	case chunk.OpCall:
		return r.call(r.value(f, e.Of, depth), depth)
	case chunk.OpElem:
		return r.elem(r.value(f, e.Of, depth), depth)
	case chunk.OpNth:
		return r.nth(r.value(f, e.Of, depth), e.N, depth)
	case chunk.OpNew:
		return r.typed(f, e.Of, depth)
	case chunk.OpThis, chunk.OpSuper:
		return r.self(f, e, depth)
	case chunk.OpFunc:
		return value{kind: function, in: f, expr: e}
	case chunk.OpTuple:
		return value{kind: tuple, in: f, expr: e}
	case chunk.OpLiteral:
		if f.language == "csharp" {
			return value{kind: foreign, in: f, text: e.Name}
		}
		return value{kind: foreign}
	case chunk.OpGiven:
		return inCalls(r.csharp).given(f, e, depth)
	case chunk.OpList:
		return value{kind: list, in: f, expr: e.Of}
	}
	return value{}
}

// withArguments returns a value of a type that is not known with the type arguments of the name
// that it was found by, as those of a function, and in C++ what a type stands for.
func (r *Resolver) withArguments(f *file, v value, e *chunk.Expr, depth int) value {
	switch {
	case (v.kind == foreign || f.language == "csharp") && len(e.Args) > 0:
		v.in, v.args = f, e.Args
	case v.kind == named && isC(f.language):
		return r.aliased(v, depth)
	}
	return v
}

// nameValue returns what a name is.
func (r *Resolver) nameValue(f *file, e *chunk.Expr, depth int) value {
	if b := f.bound(e.Name, e.At); b != nil && !e.Outer {
		return r.bindingValue(f, b, depth)
	}
	return inScope(r).named(f, e.Name, e.At, depth).value
}

func (r *Resolver) bindingValue(f *file, b *chunk.Binding, depth int) value {
	if b.Type != nil {
		if v := r.typed(f, b.Type, depth); v.kind != unknown || b.Value == nil {
			return v
		}
	}
	if b.Value != nil {
		return r.value(f, b.Value, depth)
	}
	return value{}
}

// typed returns a value of the type that an expression in a file is.
func (r *Resolver) typed(f *file, e *chunk.Expr, depth int) value {
	if r.steps++; e == nil || f == nil || depth > maxDepth || r.steps > maxSteps {
		return value{}
	}
	depth++
	switch e.Op {
	case chunk.OpName, chunk.OpMember:
		var v value
		if f.language == "csharp" {
			return r.csharp.typedInCSharp(f, e, depth)
		}
		if b := f.parameter(e); b != nil {
			return r.typed(f, b.Type, depth)
		}
		if e.Op == chunk.OpName {
			v = inScope(r).named(f, e.Name, e.At, depth).value
		} else {
			v = r.member(r.value(f, e.Of, depth), e.Name, depth).value
		}
		switch v.kind {
		case named:
			v.in, v.args = f, e.Args
			return r.aliased(v, depth)
		case foreign:
			v.in, v.args = f, e.Args
			return v
		}
		return value{}
	case chunk.OpTuple:
		return value{kind: tuple, in: f, expr: e}
	case chunk.OpNew:
		return r.typed(f, e.Of, depth)
	}
	return r.value(f, e, depth)
}

// parameter returns the bound of the type parameter of a function that a name is, nil for none.
func (f *file) parameter(e *chunk.Expr) *chunk.Binding {
	if f.language != "java" && f.language != "cpp" && f.language != "csharp" || e.Op != chunk.OpName {
		return nil
	}
	if b := f.bound(e.Name, e.At); b != nil && b.IsType {
		return b
	}
	return nil
}

// aliased returns what a type stands for when it has no body of its own.
func (r *Resolver) aliased(v value, depth int) value {
	f := r.file(v.def.File)
	if f == nil || v.def.Kind != "type" {
		return v
	}
	t := f.outlineOf(v.def)
	if t == nil || t.Alias == nil || len(t.Parents) > 0 {
		return v
	}
	if f.language == "go" && t.Alias.Op != chunk.OpList && t.Alias.Op != chunk.OpFunc { // a new type
		return v
	}
	if a := r.typed(f, t.Alias, depth); f.language != "go" && a.kind != unknown {
		return a
	}
	return v
}

// outlineOf returns the outline of a type that the file defines, nil for none.
func (f *file) outlineOf(d indexer.Symbol) *chunk.TypeOutline {
	for i := range f.Types {
		if t := &f.Types[i]; t.Name == d.Name && (t.End == 0 || d.Line <= f.line(t.Start) && f.line(t.Start) <= d.EndLine) {
			return t
		}
	}
	return nil
}

// self returns the object whose method runs at an expression.
func (r *Resolver) self(f *file, e *chunk.Expr, depth int) value {
	if f.language == "csharp" {
		for _, t := range r.csharp.typesAround(f, e.At) {
			return r.selfOf(t, e, depth)
		}
		return value{}
	}
	in, ok := f.symbolAt(e.At)
	if !ok {
		return value{}
	}
	owner := in
	if !isType(in) {
		if container(in) == "" {
			return value{}
		}
		if t, ok := r.TypeOf(in); ok && isC(f.language) {
			return r.selfOf(t, e, depth)
		}
		near := r.the(container(in), func(d indexer.Symbol) bool { return d.File == f.number && !callable(d) })
		if len(near) == 0 {
			near = r.the(container(in), func(d indexer.Symbol) bool { return isType(d) && related(f.language, r.s.Language(d.File)) })
		}
		if len(near) == 0 {
			return value{}
		}
		owner = near[0]
	}
	return r.selfOf(owner, e, depth)
}

// selfOf returns an object of a type, or what that inherits.
func (r *Resolver) selfOf(owner indexer.Symbol, e *chunk.Expr, depth int) value {
	v := value{kind: named, def: owner}
	if e.Op == chunk.OpThis {
		return v
	}
	for _, p := range r.parents(owner, depth) {
		return p
	}
	return value{}
}

// call returns what calling a value returns.
func (r *Resolver) call(v value, depth int) value {
	switch v.kind {
	case named:
		if isType(v.def) { // a new object, or a conversion
			return v
		}
		return value{}
	case foreign:
		if v.text == "" {
			v.text, v.was = v.was, ""
		}
		return v
	case function:
		if v.def.Name != "" && r.isCSharp(v.def) {
			return r.csharp.resultInCSharp(v, depth)
		}
	case dotted:
		return value{kind: foreign, in: v.in, args: v.args, text: v.text[:max(strings.IndexByte(v.text, '.'), 0)], taken: true}
	default:
		return value{}
	}
	if v.expr != nil {
		if v.expr.Of != nil {
			return r.typed(v.in, v.expr.Of, depth)
		}
		return r.value(v.in, v.expr.Value, depth)
	}
	f := r.file(v.def.File)
	if f == nil {
		return value{}
	}
	o := f.funcOf(v.def)
	switch {
	case o == nil:
		return value{}
	case o.Result != nil:
		return r.typed(f, o.Result, depth)
	}
	return r.value(f, o.Value, depth)
}

// funcOf returns the outline of a function that the file defines, nil for none.
func (f *file) funcOf(d indexer.Symbol) *chunk.FuncOutline {
	for i := range f.Funcs {
		if o := &f.Funcs[i]; o.Name == d.Name && d.Line <= o.Line && o.Line <= d.EndLine {
			return o
		}
	}
	return nil
}

// elem returns an element of a value.
func (r *Resolver) elem(v value, depth int) value {
	switch v.kind {
	case list:
		return r.typed(v.in, v.expr, depth)
	case foreign:
		if v.in != nil && v.in.language == "csharp" {
			return r.csharp.elemInCSharp(v, depth)
		}
		for _, a := range v.args {
			e := r.typed(v.in, a, depth)
			if e.kind == named || e.kind == list || e.kind == foreign && len(e.args) > 0 && isC(v.in.language) {
				return e
			}
		}
		return value{}
	case function: // with type arguments
		return v
	case named:
		if r.isCSharp(v.def) {
			return r.csharp.elemInCSharp(v, depth)
		}
		if f := r.file(v.def.File); f != nil {
			if t := f.outlineOf(v.def); t != nil && t.Alias != nil && t.Alias.Op == chunk.OpList {
				return r.typed(f, t.Alias.Of, depth)
			}
			if isC(f.language) { // a pointer, or what its operator returns
				if defs := r.own(v.def, "operator[]"); len(defs) > 0 {
					return r.call(r.of(defs).value, depth)
				}
				return v
			}
		}
	}
	return value{}
}

// nth returns a result of a call, or an element.
func (r *Resolver) nth(v value, n, depth int) value {
	switch {
	case v.kind == tuple && n < len(v.expr.Args):
		return r.typed(v.in, v.expr.Args[n], depth)
	case v.kind == list:
		return r.elem(v, depth)
	case n == 0:
		return v
	}
	return value{}
}

// referent is what a name means.
type referent struct {
	value value
	defs  []indexer.Symbol
	open  bool // the syntax does not show it
	found bool // it is a variable of a type in C#
}

// of returns what definitions are: the first one decides.
func (r *Resolver) of(defs []indexer.Symbol) referent {
	if len(defs) == 0 {
		return referent{}
	}
	d := defs[0]
	m := referent{defs: defs}
	switch {
	case isType(d):
		m.value = value{kind: named, def: d}
	case callable(d):
		m.value = value{kind: function, def: d}
		if f := r.file(d.File); f != nil {
			if o := f.funcOf(d); o != nil && o.Reads {
				m.value = r.call(m.value, 0)
			}
		}
	default:
		m.value = value{kind: named, def: d}
		if f := r.file(d.File); f != nil {
			i := slices.IndexFunc(f.Members, func(b chunk.Binding) bool {
				return (b.Owner == container(d) || b.Owner == "" && isC(f.language)) && b.Name == d.Name
			})
			if i >= 0 {
				if v := r.bindingValue(f, &f.Members[i], 1); v.kind != unknown {
					m.value = v
				}
			}
		}
	}
	return m
}
