package binding

import (
	"slices"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

// typedInCSharp returns a value of the type that a name is.
func (r *csharp) typedInCSharp(f *file, e *chunk.Expr, depth int) value {
	if b := f.parameter(e); b != nil {
		return r.typed(f, b.Type, depth)
	}
	v := value{kind: dotted, in: f, text: e.Name}
	if e.Op == chunk.OpMember {
		v = r.member(r.value(f, e.Of, depth), e.Name, depth).value
	} else if defs := r.typesAt(f, e.Name, e.At, len(e.Args), depth); len(defs) > 0 {
		v = r.of(defs).value
	} else if m, ok := r.alias(f, e.Name); ok {
		v = r.pathValue(f, m.Path)
	}
	switch {
	case v.kind == named:
		v.in, v.args = f, e.Args
		return r.aliased(v, depth)
	case e.Name == "dynamic" && e.Op == chunk.OpName:
		return value{}
	}
	return value{kind: foreign, in: f, args: e.Args, text: e.Name}
}

// alias returns the import that a file calls by a name of its own.
func (r *csharp) alias(f *file, name string) (chunk.Import, bool) {
	list := slices.Concat(f.Imports, r.everywhere())
	i := slices.IndexFunc(list, func(m chunk.Import) bool { return m.Local == name })
	if i < 0 {
		return chunk.Import{}, false
	}
	return list[i], true
}

// resultInCSharp returns what a function returns, with the types that are given for type
// parameters.
func (r *csharp) resultInCSharp(v value, depth int) value {
	f := r.file(v.def.File)
	if f == nil {
		return value{}
	}
	o := f.funcOf(v.def)
	if o == nil || o.Result == nil {
		return value{}
	}
	var owner value
	if v.of != nil {
		owner = *v.of
	}
	return r.substituted(owner, o.Result, o.Generics, v, r.typed(f, o.Result, depth), depth)
}

// elemInCSharp returns an element of a value: of a container of a library of the type that its last
// type argument is, of a type what its indexer returns, or else an element of what it inherits.
func (r *csharp) elemInCSharp(v value, depth int) value {
	if v.kind == foreign {
		if len(v.args) == 0 {
			return value{}
		}
		return r.typed(v.in, v.args[len(v.args)-1], depth)
	}
	if b, f := r.variableOf(v.def, chunk.Indexer); b != nil {
		return r.substituted(v, b.Type, nil, value{}, r.bindingValue(f, b, depth), depth)
	}
	if depth > maxDepth {
		return value{}
	}
	for _, p := range r.parents(v.def, depth) {
		if e := r.elem(p, depth+1); e.kind != unknown {
			return e
		}
	}
	return value{}
}

// csharpCalls decides which of the methods of one name a call means, by what it is given.
type csharpCalls struct{ *csharp }

func inCalls(r *csharp) csharpCalls { return csharpCalls{r} }

// given returns what a function passes to one that is its argument: as it declares that, or an
// element of what it is a method of.
func (r csharpCalls) given(f *file, e *chunk.Expr, depth int) value {
	if e.Of.Op != chunk.OpMember {
		return r.givenBy(r.value(f, e.Of, depth), e, false, depth)
	}
	owner := r.value(f, e.Of.Of, depth)
	m := r.member(owner, e.Of.Name, depth)
	if len(m.defs) > 0 {
		if v := r.givenBy(m.value, e, owner.kind != named || !slices.Contains(r.parts(owner.def), r.ownerOf(m.value)), depth); v.kind != unknown {
			return v
		}
	}
	if e.N > 1 || owner.kind == named && len(m.defs) > 0 {
		return value{}
	}
	return r.elem(owner, depth)
}

// ownerOf returns the type that a function belongs to.
func (r *csharp) ownerOf(v value) indexer.Symbol {
	t, _ := r.outer(v.def)
	return t
}

// givenBy returns what a function declares to pass to one that is its argument: the type argument
// of the parameter's type. As a method of its first parameter it has one argument less.
func (r csharpCalls) givenBy(v value, e *chunk.Expr, extends bool, depth int) value {
	if v.kind != function || v.def.Name == "" {
		return value{}
	}
	f := r.file(v.def.File)
	if f == nil {
		return value{}
	}
	o := f.funcOf(v.def)
	if o == nil {
		return value{}
	}
	n := e.At
	if o.Extends && extends {
		n++
	}
	if n >= len(o.Types) || o.Types[n] == nil {
		return value{}
	}
	t := o.Types[n]
	if len(t.Args) == 1 && t.Args[0] != nil && len(t.Args[0].Args) > 0 { // an expression of a function
		t = t.Args[0]
	}
	if e.N >= len(t.Args) {
		return value{}
	}
	var owner value
	if v.of != nil {
		owner = *v.of
	}
	return r.substituted(owner, t.Args[e.N], o.Generics, v, r.typed(f, t.Args[e.N], depth), depth)
}

// bestFor returns those of several functions whose parameters are nearest to the arguments of a
// use, all where none takes them.
func (r csharpCalls) bestFor(f *file, u chunk.NameUse, defs []indexer.Symbol) []indexer.Symbol {
	if len(defs) < 2 || len(u.Passed) == 0 {
		return defs
	}
	r.args = -1 // arguments are other uses
	given := make([]value, len(u.Passed))
	for i, e := range u.Passed {
		given[i] = r.value(f, e, 0)
	}
	best := 0
	var out []indexer.Symbol
	for _, d := range defs {
		n := r.fit(d, given)
		if n > best {
			best, out = n, nil
		}
		if n > 0 && n == best {
			out = append(out, d)
		}
	}
	if len(out) == 0 {
		return defs
	}
	return out
}

// fit returns how well a function takes arguments: 0 for not at all.
func (r csharpCalls) fit(d indexer.Symbol, given []value) (n int) {
	f := r.file(d.File)
	if f == nil {
		return 1
	}
	o := f.funcOf(d)
	if o == nil {
		return 1
	}
	n = r.fitTypes(f, o, o.Types, given)
	if o.Extends && len(o.Types) > 0 { // as a method of the first one
		n = max(n, r.fitTypes(f, o, o.Types[1:], given))
	}
	return n
}

func (r csharpCalls) fitTypes(f *file, o *chunk.FuncOutline, types []*chunk.Expr, given []value) int {
	n := 1
	for i, v := range given {
		if i >= len(types) || o.Variadic && i >= len(types)-1 {
			break
		}
		near := possible
		if isSure(v) {
			near = r.near(v, f, types[i], o.Generics, 0)
		}
		if near == never && isNumber(v) && isNumber(r.typed(f, types[i], 0)) {
			near = possible
		}
		if near == never {
			return 0
		}
		n += near
	}
	return n
}

// isSure reports whether the type of a value is known, and not guessed by what it is a member of.
func isSure(v value) bool {
	switch v.kind {
	case named:
		return isType(v.def)
	case foreign:
		return !v.taken && v.text != "null" && v.text != ""
	}
	return v.kind == list
}

// isNumber reports whether a value is of a number's type.
func isNumber(v value) bool {
	switch plain(v.text) {
	case "int", "long", "short", "byte", "sbyte", "uint", "ulong", "ushort", "float", "double", "decimal", "char":
		return v.kind == foreign
	}
	return false
}
