package binding

import (
	"slices"

	"github.com/contexture-dev/contexture/indexer/chunk"
)

// rustCall returns the result of a call.
func (r *rust) rustCall(f *file, e *chunk.Expr, depth int) rustValue {
	of := e.Of
	if of == nil {
		return rustValue{}
	}
	if of.Op == chunk.OpMember && !of.Path {
		return r.methodCall(f, e, depth)
	}
	v := r.rustValue(f, of, depth)
	if of.Op == chunk.OpName && !of.Outer && f.rustVariable(of.Name, of.At) == nil && r.rustName(f, of.Name, of.At, depth).outside {
		v = rustValue{kind: foreignRust, name: of.Name}
	}
	switch v.kind {
	case functionRust:
		return r.result(f, v, e, depth)
	case foreignRust:
		if len(v.args) == 0 {
			v.args = r.passed(f, e, depth)
		}
		if of.Op == chunk.OpLiteral || of.Op == chunk.OpName && isLower(of.Name) {
			v.name = ""
		}
	}
	return v
}

// methodCall returns the result of a call of a method.
func (r *rust) methodCall(f *file, e *chunk.Expr, depth int) rustValue {
	v := r.rustValue(f, e.Of.Of, depth)
	defs, open := inTraits(r).method(v, e.Of.Name, depth)
	if len(defs) > 0 {
		return r.result(f, rustValue{kind: functionRust, def: defs[0], self: &v, in: f, given: e.Of.Args}, e, depth)
	}
	switch {
	case v.kind == typeRust && !open && v.def.Kind != "interface": // clone, by_ref, borrow and the like
		return rustValue{kind: foreignRust, args: []rustValue{v}}
	case open || v.kind == typeRust || v.kind == tupleRust || v.kind == functionRust:
		return rustValue{}
	}
	return rustValue{kind: foreignRust, args: append(r.returned(f, e, depth), foreignParts(v)...)}
}

// passed returns what is known of the arguments of a call.
func (r *rust) passed(f *file, call *chunk.Expr, depth int) (out []rustValue) {
	for _, a := range call.Args {
		if v := r.rustValue(f, a, depth); v.kind != unknownRust && v.name != "Literal" {
			out = append(out, v)
		}
	}
	return out
}

// returned returns what the closures return that are arguments of a call.
func (r *rust) returned(f *file, call *chunk.Expr, depth int) (out []rustValue) {
	for _, a := range call.Args {
		if a != nil && a.Op == chunk.OpFunc {
			if v := r.result(f, rustValue{kind: functionRust, in: f, expr: a}, a, depth); v.kind != unknownRust && v.name != "Literal" {
				out = append(out, v)
			}
		}
	}
	return out
}

// result returns the result of a function for the arguments of a call in a file.
func (r *rust) result(at *file, v rustValue, call *chunk.Expr, depth int) rustValue {
	if r.steps++; depth > maxDepth || r.steps > maxSteps {
		return rustValue{}
	}
	if v.expr != nil {
		if v.expr.Of != nil {
			return r.rustType(v.in, v.expr.Of, nil, depth+1)
		}
		return r.rustValue(v.in, v.expr.Value, depth+1)
	}
	f := r.file(v.def.File)
	if f == nil {
		return rustValue{}
	}
	o := f.funcOf(v.def)
	switch {
	case o == nil:
		return rustValue{}
	case o.Result == nil:
		return rustValue{kind: foreignRust, name: "Literal"}
	}
	names := r.namesFor(f, v, depth)
	params := o.Generics
	if impl, _, ok := inTraits(r).home(v.def); ok && impl != nil {
		params = slices.Concat(params, impl.Generics)
	}
	for i, p := range o.Generics {
		if i < len(v.given) {
			if t := r.rustType(v.in, v.given[i], nil, depth+1); t.kind != unknownRust {
				names[p] = t
			}
		}
	}
	for i, t := range o.Types {
		if t == nil || t.Op != chunk.OpName || i >= len(call.Args) || !slices.Contains(params, t.Name) {
			continue
		}
		if _, known := names[t.Name]; !known {
			if a := r.rustValue(at, call.Args[i], depth+1); a.kind != unknownRust && a.kind != functionRust {
				names[t.Name] = a
			}
		}
	}
	return r.rustType(f, o.Result, names, depth+1)
}

// namesFor returns what the type parameters around a method are for its object.
func (r *rust) namesFor(f *file, method rustValue, depth int) rustNames {
	names := rustNames{}
	if method.self == nil {
		return names
	}
	self := *method.self
	impl, trait, ok := inTraits(r).home(method.def)
	switch {
	case !ok:
	case impl == nil:
		if self.kind == typeRust && place(self.def) == place(trait) {
			if t := f.outlineOf(trait); t != nil {
				names = namesOf(t.Generics, self.args)
			}
		}
		names["Self"] = self
	case impl.Of != nil:
		r.unify(f, impl, impl.Of, r.reached(self, inTraits(r).implType(f, impl, depth), depth), names, depth)
	}
	return names
}

// reached returns the value of a type that a value has or leads to, as a smart pointer does.
func (r *rust) reached(v, to rustValue, depth int) rustValue {
	if v.kind == to.kind && (v.kind != typeRust || place(v.def) == place(to.def)) || depth > maxDepth {
		return v
	}
	if v.kind == foreignRust && to.kind == typeRust {
		for _, a := range v.args {
			if out := r.reached(a, to, depth+1); out.kind == typeRust {
				return out
			}
		}
	}
	return v
}

// unify sets the type parameters of an implementation, in whose form of a type they are, to
// what they are for a value.
func (r *rust) unify(f *file, impl *chunk.ImplOutline, form *chunk.Expr, v rustValue, names rustNames, depth int) {
	if form == nil || depth > maxDepth || v.kind == unknownRust {
		return
	}
	if form.Op == chunk.OpName && slices.Contains(impl.Generics, form.Name) {
		names[form.Name] = v
		return
	}
	for i, a := range form.Args {
		if i < len(v.args) {
			r.unify(f, impl, a, v.args[i], names, depth+1)
		}
	}
}
