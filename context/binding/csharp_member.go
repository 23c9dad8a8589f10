package binding

import (
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

// ownInCSharp returns the members of a name that the parts of a type define.
func (r *csharp) ownInCSharp(t indexer.Symbol, name string) []indexer.Symbol {
	parts := r.parts(t)
	return r.the(name, func(d indexer.Symbol) bool {
		if d.Container != t.Name && r.isTypeName(d.Container) || !r.isCSharp(d) {
			return false
		}
		o, ok := r.outer(d)
		return ok && slices.ContainsFunc(parts, func(p indexer.Symbol) bool { return place(p) == place(o) })
	})
}

// isTypeName reports whether a type has a name; a member of which the index knows no type, because
// of a preprocessor's branches, has the name of its namespace for that.
func (r *csharp) isTypeName(name string) bool {
	return len(r.the(name, isType)) > 0
}

// memberInCSharp returns what a member of a value of a type is: its own, or an inherited one, that
// takes the arguments of the use, or else a function that can be called as its method.
func (r *csharp) memberInCSharp(v value, name string, depth int) referent {
	m := r.memberOfType(v, name, depth)
	isAsked := name == r.name && r.args >= 0
	if len(m.defs) > 0 && (!isAsked || len(r.acceptingOnly(m.defs, r.args)) > 0) {
		return m
	}
	if more, open := r.extending(v, name, depth); len(more) > 0 || open && len(m.defs) == 0 {
		return referent{value: r.of(more).value, defs: more, open: open}
	}
	return m
}

// memberOfType returns what a member of a value of a type is among those of the type and of what it
// inherits.
func (r *csharp) memberOfType(v value, name string, depth int) referent {
	if r.steps++; depth > maxDepth || r.steps > maxSteps {
		return referent{open: true}
	}
	var own []indexer.Symbol
	if name != v.def.Name {
		own = r.ownInCSharp(v.def, name)
	}
	if len(own) > 0 && (name != r.name || r.args < 0 || len(r.acceptingOnly(own, r.args)) > 0) {
		return r.ofValue(v, own, depth)
	}
	if b, f := r.variableOf(v.def, name); b != nil {
		return referent{found: true, value: r.substituted(v, b.Type, nil, value{}, r.bindingValue(f, b, depth), depth)}
	}
	out := referent{}
	for _, p := range r.parents(v.def, depth) {
		if p.kind == foreign && out.value.kind == unknown {
			out.value = value{kind: foreign, in: p.in}
		}
		if p.kind == unknown {
			out.open = true
		}
		if p.kind != named {
			continue
		}
		m := r.memberOfType(p, name, depth+1)
		if m.found || len(m.defs) > 0 || m.value.kind != unknown && m.value.kind != foreign {
			return m
		}
		out.open = out.open || m.open
	}
	if len(own) > 0 {
		return r.ofValue(v, own, depth)
	}
	return out
}

// ofValue returns what members of a value are.
func (r *csharp) ofValue(v value, defs []indexer.Symbol, depth int) referent {
	m := r.of(defs)
	if m.value.kind == function {
		m.value.of = &v
		return m
	}
	if b, f := r.variableOf(v.def, defs[0].Name); b != nil && !isType(defs[0]) {
		m.value = r.substituted(v, b.Type, nil, value{}, r.bindingValue(f, b, depth+1), depth)
	}
	return m
}

// variableOf returns a field or a property of a type, nil for none.
func (r *csharp) variableOf(t indexer.Symbol, name string) (*chunk.Binding, *file) {
	for _, p := range r.parts(t) {
		f := r.file(p.File)
		if f == nil {
			continue
		}
		for i := range f.Members {
			b := &f.Members[i]
			if b.Name == name && b.Owner == t.Name && p.Line <= f.line(b.Start) && f.line(b.Start) <= p.EndLine {
				return b, f
			}
		}
	}
	return nil, nil
}

// substituted returns a value, or, where it is of a type that a type parameter stands for, one of
// the type that is given for that: by the use of a function with the parameters list, or by the
// type of the owner.
func (r *csharp) substituted(owner value, e *chunk.Expr, list []string, use, v value, depth int) value {
	if e == nil || e.Op != chunk.OpName {
		return v
	}
	if i := slices.Index(list, e.Name); i >= 0 && i < len(use.args) {
		return r.typed(use.in, use.args[i], depth+1)
	}
	if owner.kind != named || len(owner.args) == 0 {
		return v
	}
	of := r.file(owner.def.File)
	if of == nil {
		return v
	}
	if t := of.outlineOf(owner.def); t != nil {
		if i := slices.Index(t.Generics, e.Name); i >= 0 && i < len(owner.args) {
			return r.typed(owner.in, owner.args[i], depth+1)
		}
	}
	return v
}

// memberOfForeign returns what a member of a value of a library's type is.
func (r *csharp) memberOfForeign(v value, name string, depth int) referent {
	if defs, open := r.extending(v, name, depth); len(defs) > 0 || open {
		return referent{value: r.of(defs).value, defs: defs, open: open}
	}
	if v.taken {
		if e := r.elem(v, depth); e.kind == named {
			if m := r.memberInCSharp(e, name, depth); len(m.defs) > 0 {
				return m
			}
		}
	}
	out := value{kind: foreign, in: v.in, args: v.args, taken: true, was: v.text}
	if v.kind == list {
		out.args = []*chunk.Expr{v.expr}
	}
	return referent{value: out}
}

// extending returns the functions of a name that can be called as a method of a value: those whose
// first parameter is nearest to its type.
func (r *csharp) extending(v value, name string, depth int) (out []indexer.Symbol, open bool) {
	best := 0
	for _, d := range r.the(name, callable) {
		f := r.file(d.File)
		if f == nil || f.language != "csharp" {
			continue
		}
		o := f.funcOf(d)
		if o == nil || !o.Extends || len(o.Types) == 0 || name == r.name && r.args >= 0 && !r.accepts(d, r.args) {
			continue
		}
		n := r.near(v, f, o.Types[0], o.Generics, depth)
		switch {
		case n == 0 || n < best:
		case n > best:
			best, out = n, []indexer.Symbol{d}
		default:
			out = append(out, d)
		}
	}
	if best == possible && len(out) > 1 {
		return nil, true
	}
	return out, false
}

// How near the type of a value is to that of a parameter.
const (
	never     = iota
	possible  // or not known
	generic   // the parameter takes any type
	inherited // the parameter has a type above it
	same
)

// near returns how near a value's type is to a type in a file, of which a function has type
// parameters.
func (r *csharp) near(v value, f *file, t *chunk.Expr, generics []string, depth int) int {
	if t == nil {
		return possible
	}
	p := r.typed(f, t, depth)
	if t.Op == chunk.OpName && slices.Contains(generics, t.Name) {
		return r.nearGeneric(v, p)
	}
	switch {
	case p.kind == named && v.kind == named:
		return r.nearDefined(v, p)
	case p.kind == foreign && p.text == "object":
		return possible
	case p.kind == foreign && v.kind == named:
		return r.nearForeign(v, p)
	case p.kind == list && v.kind == list:
		return inherited
	case p.kind == foreign && v.kind == list && len(p.args) > 0:
		return generic
	case p.kind != foreign || v.kind != foreign && v.kind != dotted:
		return never
	}
	text := v.text
	if v.kind == dotted {
		text = v.text[:max(strings.IndexByte(v.text, '.'), 0)]
	}
	return nearNames(plain(text), plain(p.text))
}

// nearGeneric is near for a type parameter, whose constraint is p.
func (r *csharp) nearGeneric(v, p value) int {
	switch {
	case p.kind == unknown || p.kind == foreign && v.kind != named:
		return generic
	case p.kind == named && v.kind == named:
		return min(r.nearDefined(v, p), inherited)
	case p.kind == foreign && v.kind == named:
		return r.nearForeign(v, p)
	}
	return never
}

// nearDefined is near for two types of the workspace.
func (r *csharp) nearDefined(v, p value) int {
	switch {
	case r.identity(p.def) == r.identity(v.def):
		return same
	case r.Inherits(v.def, p.def):
		return inherited
	}
	return never
}

// nearNames is near for the names of two types of libraries.
func nearNames(a, b string) int {
	switch {
	case a == "":
		return possible
	case a == b:
		return same
	case isKeyword(b), isKeyword(a) && !isInterface(b):
		return never
	}
	return possible
}

// nearForeign is near for a type of the workspace and one of a library.
func (r *csharp) nearForeign(v, p value) int {
	best := 0
	for _, q := range r.parents(v.def, 0) {
		switch {
		case q.kind == foreign && plain(q.text) == plain(p.text):
			return inherited
		case q.kind == foreign && !isKeyword(p.text):
			best = max(best, possible)
		case q.kind == named && q.def != v.def:
			best = max(best, r.nearForeign(q, p))
		}
	}
	return best
}

// plain returns the word of the language for a type of its libraries.
func plain(name string) string {
	name = name[strings.LastIndexByte(name, '.')+1:]
	switch name {
	case "String", "Object", "Double", "Decimal", "Byte", "Char":
		return strings.ToLower(name)
	case "Int32":
		return "int"
	case "Int64":
		return "long"
	case "Int16":
		return "short"
	case "Boolean":
		return "bool"
	case "Single":
		return "float"
	}
	return name
}

// isKeyword reports whether a type has a word of the language for its name.
func isKeyword(name string) bool { return name != "" && 'a' <= name[0] && name[0] <= 'z' }

// isInterface reports whether a name has the form of an interface's.
func isInterface(name string) bool {
	return len(name) > 1 && name[0] == 'I' && 'A' <= name[1] && name[1] <= 'Z'
}
