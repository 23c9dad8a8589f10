package binding

import (
	"slices"
	"strconv"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

// rustKind is what is known of a value of Rust.
type rustKind uint8

const (
	unknownRust  rustKind = iota
	foreignRust           // of a type of a library, by name; what its functions return has none
	typeRust              // of the type def, or that type; one that implements it for a trait
	boundedRust           // of a type parameter, which is all of bounds
	functionRust          // def, or expr
	tupleRust             // args
)

// rustValue is what is known of an expression, or a type.
type rustValue struct {
	kind rustKind
	name string
	def  indexer.Symbol
	args []rustValue // type arguments, or what a foreign value is made of
	// bounds of a type parameter.
	bounds []rustValue
	self   *rustValue // of a method: the object
	in     *file      // of expr
	expr   *chunk.Expr
	given  []*chunk.Expr // type arguments of a function, in the file in
}

// rustNames are types by the names of type parameters.
type rustNames map[string]rustValue

// rustValue returns what an expression in a file is.
func (r *rust) rustValue(f *file, e *chunk.Expr, depth int) rustValue {
	if r.steps++; e == nil || f == nil || depth > maxDepth || r.steps > maxSteps {
		return rustValue{}
	}
	depth++
	switch e.Op {
	case chunk.OpName:
		return r.rustNameValue(f, e, depth)
	case chunk.OpThis:
		return r.rustSelf(f, e.At, depth)
	case chunk.OpMember:
		if e.Path {
			return r.foundValue(f, e, r.rustMember(r.path(f, e.Of, depth), e.Name, depth), depth)
		}
		return r.field(r.rustValue(f, e.Of, depth), e.Name, depth)
	case chunk.OpCall:
		return r.rustCall(f, e, depth)
	case chunk.OpElem:
		return r.rustElem(r.rustValue(f, e.Of, depth), e.N, depth)
	case chunk.OpAwait:
		return r.awaited(r.rustValue(f, e.Of, depth), depth)
	case chunk.OpNth:
		return rustNth(r.rustValue(f, e.Of, depth), e.N)
	case chunk.OpPart:
		return r.part(f, e, depth)
	}
	return r.made(f, e, depth)
}

// rustNameValue returns what a name in a file is: a variable or what it is defined as.
func (r *rust) rustNameValue(f *file, e *chunk.Expr, depth int) rustValue {
	if b := f.rustVariable(e.Name, e.At); b != nil && !e.Outer {
		return r.variableValue(f, b, depth)
	}
	found := r.rustName(f, e.Name, e.At, depth)
	if found.outside && isLower(e.Name) && !e.Outer { // a variable that a macro makes
		return rustValue{}
	}
	return r.foundValue(f, e, found, depth)
}

// made returns what an expression is that makes a value, or is an argument that one gets.
func (r *rust) made(f *file, e *chunk.Expr, depth int) rustValue {
	switch e.Op {
	case chunk.OpPassed:
		if v := r.rustValue(f, e.Of, depth); v.kind == foreignRust || v.kind == boundedRust {
			return rustValue{kind: foreignRust, args: foreignParts(v)}
		}
		return rustValue{}
	case chunk.OpNew:
		if v := r.madeType(f, e.Of, depth); v.kind != unknownRust && !(v.kind == foreignRust && slices.ContainsFunc(v.args, isUnknown)) {
			return v
		}
		return r.rustValue(f, e.Value, depth)
	case chunk.OpFunc:
		return rustValue{kind: functionRust, in: f, expr: e}
	case chunk.OpTuple:
		out := rustValue{kind: tupleRust}
		for _, a := range e.Args {
			out.args = append(out.args, r.rustValue(f, a, depth))
		}
		return out
	case chunk.OpLiteral:
		return rustValue{kind: foreignRust, name: "Literal"}
	}
	return rustValue{}
}

func isUnknown(v rustValue) bool { return v.kind == unknownRust }

// variableValue returns what a variable is.
func (r *rust) variableValue(f *file, b *chunk.Binding, depth int) rustValue {
	if b.Type != nil {
		return r.rustType(f, b.Type, nil, depth)
	}
	return r.rustValue(f, b.Value, depth)
}

// madeType returns the type of an object: a variant's is that of its enumeration.
func (r *rust) madeType(f *file, e *chunk.Expr, depth int) rustValue {
	if e != nil && (e.Op == chunk.OpName || e.Op == chunk.OpMember) && len(e.Args) == 0 {
		found := r.path(f, e, depth)
		if len(found.defs) > 0 && found.defs[0].Kind == "const" && found.of.kind == typeRust {
			return found.of
		}
	}
	return r.rustType(f, e, nil, depth)
}

// foundValue returns what the definitions are that an expression leads to.
func (r *rust) foundValue(f *file, e *chunk.Expr, found rustTarget, depth int) rustValue {
	if len(found.defs) == 0 {
		v := found.of
		if found.outside && v.kind == foreignRust || v.kind == foreignRust && len(e.Args) > 0 {
			v.args = nil
			for _, a := range e.Args {
				v.args = append(v.args, r.rustType(f, a, nil, depth))
			}
			if owner := e.Of; e.Op == chunk.OpMember && isLower(e.Name) { // Vec::<T>::new
				v = r.rustType(f, owner, nil, depth)
				if v.kind != foreignRust {
					v = rustValue{kind: foreignRust}
				}
			}
		} else if found.outside && v.kind != unknownRust { // a function that a library's trait gives to a type
			return rustValue{kind: foreignRust, args: []rustValue{v}}
		}
		return v
	}
	v := r.rustOf(found.defs, depth)
	switch {
	case found.defs[0].Kind == "const" && found.of.kind == typeRust && within(found.defs[0], found.of.def): // a variant
		return found.of
	case v.kind == functionRust:
		if of := found.of; of.kind != unknownRust {
			v.self = &of
		}
		v.in, v.given = f, e.Args
	case v.kind == typeRust && len(e.Args) > 0:
		return r.rustType(f, e, nil, depth)
	}
	return v
}

// rustOf returns what definitions are: the first one decides.
func (r *rust) rustOf(defs []indexer.Symbol, depth int) rustValue {
	for _, d := range defs {
		f := r.file(d.File)
		switch {
		case f == nil || d.Kind == "macro":
		case d.Kind == "type":
			if t := f.outlineOf(d); t != nil && t.Alias != nil {
				return r.rustType(f, t.Alias, nil, depth+1)
			}
			return rustValue{}
		case isType(d):
			return rustValue{kind: typeRust, def: d}
		case callable(d):
			return rustValue{kind: functionRust, def: d}
		default:
			for i := range f.Members {
				if b := &f.Members[i]; b.Name == d.Name && d.Line <= f.line(b.Start) && f.line(b.Start) <= d.EndLine && b.Type != nil {
					return r.rustType(f, b.Type, nil, depth+1)
				}
			}
			for _, e := range f.symbols { // a variant that is known by its name alone
				if e.Kind == "enum" && within(d, e) {
					return rustValue{kind: typeRust, def: e}
				}
			}
		}
	}
	return rustValue{}
}

// rustType returns the type that an expression in a file is.
func (r *rust) rustType(f *file, e *chunk.Expr, names rustNames, depth int) rustValue {
	if r.steps++; e == nil || f == nil || depth > maxDepth || r.steps > maxSteps {
		return rustValue{}
	}
	depth++
	switch e.Op {
	case chunk.OpName:
		if v, ok := names[e.Name]; ok {
			return v
		}
		return r.namedType(f, e, r.rustName(f, e.Name, e.At, depth), names, depth)
	case chunk.OpMember:
		var found rustTarget
		if e.Of != nil && e.Of.Op == chunk.OpName && len(names) > 0 {
			if v, ok := names[e.Of.Name]; ok {
				found.of = v
			}
		}
		if found.of.kind == unknownRust {
			found = r.path(f, e.Of, depth)
		}
		return r.namedType(f, e, r.rustMember(found, e.Name, depth), names, depth)
	case chunk.OpList:
		return rustValue{kind: foreignRust, name: "Slice", args: []rustValue{r.rustType(f, e.Of, names, depth)}}
	case chunk.OpTuple:
		return rustValue{kind: tupleRust, args: r.rustTypes(f, e.Args, names, depth)}
	case chunk.OpLiteral:
		return rustValue{kind: foreignRust, name: "Literal"}
	case chunk.OpFunc:
		return rustValue{kind: functionRust, in: f, expr: e}
	case chunk.OpNew:
		return r.rustType(f, e.Of, names, depth)
	case chunk.OpAs:
		return r.path(f, e, depth).of
	}
	return rustValue{}
}

func (r *rust) rustTypes(f *file, list []*chunk.Expr, names rustNames, depth int) (out []rustValue) {
	for _, e := range list {
		out = append(out, r.rustType(f, e, names, depth))
	}
	return out
}

// namedType returns the type that a name is found to be, with its type arguments.
func (r *rust) namedType(f *file, e *chunk.Expr, found rustTarget, names rustNames, depth int) rustValue {
	i := slices.IndexFunc(found.defs, isType)
	if i < 0 {
		v := found.of
		if v.kind == foreignRust && len(e.Args) > 0 {
			v.args = r.rustTypes(f, e.Args, names, depth)
		}
		return v
	}
	d := found.defs[i]
	v := rustValue{kind: typeRust, def: d, args: r.rustTypes(f, e.Args, names, depth)}
	if d.Kind != "type" {
		return v
	}
	o := r.file(d.File)
	if o == nil {
		return rustValue{}
	}
	t := o.outlineOf(d)
	if t == nil || t.Alias == nil {
		return rustValue{}
	}
	return r.rustType(o, t.Alias, namesOf(t.Generics, v.args), depth)
}

// namesOf returns type arguments by the names of type parameters.
func namesOf(params []string, args []rustValue) rustNames {
	names := rustNames{}
	for i, p := range params {
		if i < len(args) && args[i].kind != unknownRust {
			names[p] = args[i]
		}
	}
	return names
}

// parameter returns the type parameter that a name is at a byte, with its bounds.
func (r *rust) parameter(f *file, name string, at, depth int) (out rustValue, ok bool) {
	for i := range f.Bindings {
		b := &f.Bindings[i]
		if !b.IsType || b.Name != name || at < b.Start || at >= b.End {
			continue
		}
		ok = true
		if b.Type != nil {
			out.bounds = append(out.bounds, r.rustType(f, b.Type, nil, depth+1))
		}
	}
	out.kind, out.name = boundedRust, name
	return out, ok
}

// rustSelf returns the type whose method runs at a byte of a file.
func (r *rust) rustSelf(f *file, at, depth int) rustValue {
	var inner *chunk.ImplOutline
	for i := range f.Impls {
		if m := &f.Impls[i]; m.Start <= at && at < m.End && (inner == nil || m.Start > inner.Start) {
			inner = m
		}
	}
	if inner != nil {
		return inTraits(r).implType(f, inner, depth)
	}
	line := f.line(at)
	for i := len(f.symbols) - 1; i >= 0; i-- {
		if d := f.symbols[i]; isType(d) && d.Kind != "type" && d.Line <= line && line <= d.EndLine {
			return rustValue{kind: typeRust, def: d}
		}
	}
	return rustValue{}
}

// field returns what a field of a value is.
func (r *rust) field(v rustValue, name string, depth int) rustValue {
	if r.steps++; depth > maxDepth || r.steps > maxSteps {
		return rustValue{}
	}
	switch v.kind {
	case tupleRust:
		for i, a := range v.args {
			if name == strconv.Itoa(i) {
				return a
			}
		}
	case foreignRust:
		if v.name != "" && !derefs[v.name] {
			return rustValue{}
		}
		for _, a := range v.args {
			if out := r.field(a, name, depth+1); out.kind != unknownRust {
				return out
			}
		}
	case typeRust:
		if out := r.partOf(v, v.def, name, depth); out.kind != unknownRust {
			return out
		}
		if target := inTraits(r).associated(v, "Target", depth+1); target.kind != unknownRust {
			return r.field(target, name, depth+1)
		}
	}
	return rustValue{}
}

// partOf returns the type of a field that a struct or a variant has of a value.
func (r *rust) partOf(v rustValue, of indexer.Symbol, name string, depth int) rustValue {
	f := r.file(of.File)
	if f == nil {
		return rustValue{}
	}
	for i := range f.Members {
		b := &f.Members[i]
		if b.Name != name || b.Owner != of.Name || f.line(b.Start) < of.Line || f.line(b.Start) > of.EndLine {
			continue
		}
		var names rustNames
		if t := f.outlineOf(v.def); t != nil && v.def.File == of.File {
			names = namesOf(t.Generics, v.args)
		}
		return r.rustType(f, b.Type, names, depth+1)
	}
	return rustValue{}
}

// part returns what a pattern takes out of a value.
func (r *rust) part(f *file, e *chunk.Expr, depth int) rustValue {
	found := r.path(f, e.Of, depth)
	whole := r.rustValue(f, e.Value, depth)
	if len(found.defs) > 0 {
		if d := found.defs[0]; d.Kind == "const" {
			of := found.of
			if of.kind == unknownRust {
				of = r.rustOf(found.defs, depth)
			}
			if whole.kind == typeRust && place(whole.def) == place(of.def) {
				of = whole
			}
			return r.partOf(of, d, e.Name, depth)
		}
		v := r.rustOf(found.defs, depth)
		if whole.kind == typeRust {
			v = whole
		}
		return r.field(v, e.Name, depth)
	}
	if found.of.kind == typeRust { // Self { … }
		return r.field(found.of, e.Name, depth)
	}
	parts := foreignParts(whole)
	switch {
	case len(parts) == 0:
		return rustValue{}
	case found.of.name == "Err": // of the two, the second one
		return parts[len(parts)-1]
	}
	return parts[0]
}

// foreignParts returns the types that a value of a library's type is made of.
func foreignParts(v rustValue) (out []rustValue) {
	switch v.kind {
	case foreignRust:
		return v.args
	case boundedRust:
		for _, b := range v.bounds {
			out = append(out, foreignParts(b)...)
		}
	}
	return out
}

// rustElem returns an element of a value.
func (r *rust) rustElem(v rustValue, how, depth int) rustValue {
	switch v.kind {
	case foreignRust, boundedRust:
		parts := foreignParts(v)
		switch {
		case len(parts) == 0:
			return rustValue{}
		case len(parts) > 1 && how == chunk.RustIndex:
			return parts[len(parts)-1]
		case (len(parts) > 1 || v.kind == foreignRust && v.name == "") && how == chunk.RustEach: // maybe with its number
			return rustValue{kind: foreignRust, args: parts}
		case v.kind == foreignRust && derefs[v.name] && parts[0].kind == foreignRust:
			return r.rustElem(parts[0], how, depth+1)
		}
		return parts[0]
	case typeRust:
		if v.def.Kind == "interface" {
			return rustValue{}
		}
		if how == chunk.RustIndex {
			return inTraits(r).associated(v, "Output", depth+1)
		}
		return inTraits(r).associated(v, "Item", depth+1)
	}
	return rustValue{}
}

// awaited returns the result that a value has in the end. That of an asynchronous function is
// declared as its result.
func (r *rust) awaited(v rustValue, depth int) rustValue {
	switch v.kind {
	case foreignRust, boundedRust:
		if parts := foreignParts(v); len(parts) > 0 && (v.kind == boundedRust || v.name == "" || v.name == "Future" || derefs[v.name]) {
			return r.awaited(parts[0], depth+1)
		}
		return v
	case typeRust:
		if out := inTraits(r).associated(v, "Output", depth+1); out.kind != unknownRust {
			return out
		}
		return v
	}
	return v
}

// rustNth returns one of several values.
func rustNth(v rustValue, n int) rustValue {
	switch {
	case v.kind == tupleRust && n < len(v.args):
		return v.args[n]
	case v.kind == foreignRust && v.name == "":
		for _, a := range v.args {
			if a.kind == tupleRust && n < len(a.args) {
				return a.args[n]
			}
		}
		return v
	}
	return rustValue{}
}
