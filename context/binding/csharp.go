package binding

import (
	"bytes"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

func (r *Resolver) isCSharp(d indexer.Symbol) bool { return r.s.Language(d.File) == "csharp" }

// meaningInCSharp returns the definitions that a use in C# means.
func (r *Resolver) meaningInCSharp(f *file, u chunk.NameUse) (defs []indexer.Symbol, open bool) {
	r.args = u.Args
	defer func() { r.args = -1 }()
	var m meant
	switch b := f.bound(u.Name, u.Start); {
	case u.Member && u.Owner == nil:
		return nil, true
	case u.Member:
		m = r.member(r.value(f, u.Owner, 0), u.Name, 0)
	case b != nil && (b.IsType || !u.IsType):
		return nil, false
	case u.IsType:
		m = r.of(r.typesAt(f, u.Name, u.Start, generics(f.text[u.Start+len(u.Name):]), 0))
	default:
		m = r.named(f, u.Name, u.Start, 0)
	}
	if u.Call && len(m.defs) > 0 && isType(m.defs[0]) {
		return slices.Concat(m.defs, r.bestFor(f, u, r.accepting(r.constructors(m.defs[0]), u.Args))), false
	}
	return r.bestFor(f, u, r.accepting(m.defs, u.Args)), m.open
}

// generics returns the number of type arguments that a text begins with.
func generics(text []byte) (n int) {
	if len(text) == 0 || text[0] != '<' {
		return 0
	}
	depth := 0
	for _, c := range text {
		switch c {
		case '<', '[', '(':
			depth++
		case ',':
			if depth == 1 {
				n++
			}
		case '>', ']', ')':
			if depth--; depth == 0 {
				return n + 1
			}
		}
	}
	return 0
}

// accepting returns those functions that take a number of arguments, all if none does.
func (r *Resolver) accepting(defs []indexer.Symbol, args int) []indexer.Symbol {
	if out := r.acceptingOnly(defs, args); len(out) > 0 {
		return out
	}
	return defs
}

func (r *Resolver) acceptingOnly(defs []indexer.Symbol, args int) (out []indexer.Symbol) {
	for _, d := range defs {
		if args < 0 || !callable(d) || r.accepts(d, args) {
			out = append(out, d)
		}
	}
	return out
}

// accepts reports whether a function takes a number of arguments, as a method of its first
// parameter too.
func (r *Resolver) accepts(d indexer.Symbol, args int) bool {
	f := r.file(d.File)
	if f == nil {
		return true
	}
	o := f.funcOf(d)
	if o == nil {
		return true
	}
	least, most := o.Params-o.Optional, o.Params
	if o.Variadic {
		least, most = least-1, args+1
	}
	return least <= args && args <= most || o.Extends && least <= args+1 && args+1 <= most
}

// Alike reports whether one method may stand for another of its name: in C# they take arguments of
// the same types.
func (r *Resolver) Alike(a, b indexer.Symbol) bool {
	f, g := r.file(a.File), r.file(b.File)
	if f == nil || g == nil || f.language != "csharp" {
		return true
	}
	o, p := f.funcOf(a), g.funcOf(b)
	if o == nil || p == nil {
		return true
	}
	if o.Params != p.Params || len(o.Types) != len(p.Types) {
		return false
	}
	for i, t := range o.Types {
		if !alike(f, t, g, p.Types[i]) {
			return false
		}
	}
	return true
}

// alike reports whether two types in files may be the same: a type parameter may be any.
func alike(f *file, t *chunk.Expr, g *file, u *chunk.Expr) bool {
	if t == nil || u == nil || f.parameter(t) != nil || g.parameter(u) != nil {
		return true
	}
	if t.Op == chunk.OpList || u.Op == chunk.OpList || t.Op == chunk.OpTuple || u.Op == chunk.OpTuple {
		return t.Op == u.Op
	}
	return plain(t.Name) == plain(u.Name)
}

// constructors returns the constructors of a type.
func (r *Resolver) constructors(t indexer.Symbol) []indexer.Symbol {
	return slices.DeleteFunc(r.ownInCSharp(t, t.Name), func(d indexer.Symbol) bool { return !callable(d) })
}

// spaceOf returns the namespace of a definition; ok is false when its file is not understood.
func (r *Resolver) spaceOf(d indexer.Symbol) (space string, ok bool) {
	f := r.file(d.File)
	if f == nil {
		return "", false
	}
	f.line(0)
	at := f.starts[min(d.Line, len(f.starts)-1)]
	for _, n := range f.Namespaces {
		if n.Start <= at && at < n.End {
			space = n.Name
		}
	}
	return space, true
}

// outer returns the type around a definition of C#.
func (r *Resolver) outer(d indexer.Symbol) (t indexer.Symbol, ok bool) {
	f := r.file(d.File)
	if f == nil {
		return t, false
	}
	for i := len(f.Types) - 1; i >= 0; i-- {
		o := f.Types[i]
		if d.Line < f.line(o.Start) || f.line(o.End) < d.EndLine || d.EndLine == d.Line && f.line(o.End) == d.Line && o.Name != d.Container {
			continue
		}
		if t, ok = r.typeAt(f, o); ok && t != d {
			return t, true
		}
	}
	return t, false
}

// parts returns the parts of a type: those of one that is written in several.
func (r *Resolver) parts(t indexer.Symbol) []indexer.Symbol {
	if known, ok := r.whole[place(t)]; ok {
		return known
	}
	list := []indexer.Symbol{t}
	if r.isCSharp(t) && r.isPartial(t) {
		space, _ := r.spaceOf(t)
		count := r.genericsOf(t)
		list = r.the(t.Name, func(d indexer.Symbol) bool {
			if place(d) == place(t) {
				return true
			}
			if !isType(d) || d.Container != t.Container || !r.isCSharp(d) || !r.isPartial(d) || r.genericsOf(d) != count {
				return false
			}
			other, _ := r.spaceOf(d)
			return other == space
		})
	}
	for _, p := range list {
		r.whole[place(p)] = list
	}
	return list
}

// whole returns what identifies a type: the place of its first part.
func (r *Resolver) identity(t indexer.Symbol) at { return place(r.parts(t)[0]) }

// isPartial reports whether a type is maybe written in several parts.
func (r *Resolver) isPartial(t indexer.Symbol) bool {
	f := r.file(t.File)
	if f == nil {
		return false
	}
	f.line(0)
	if t.Line >= len(f.starts) {
		return false
	}
	head, _, _ := bytes.Cut(f.text[f.starts[t.Line]:], []byte("{"))
	return bytes.Contains(head, []byte("partial "))
}

// genericsOf returns the number of a type's parameters.
func (r *Resolver) genericsOf(t indexer.Symbol) int {
	if f := r.file(t.File); f != nil {
		if o := f.outlineOf(t); o != nil {
			return len(o.Generics)
		}
	}
	return 0
}

// typesAt returns the type that a name with a number of type arguments is at a byte of a file: one
// in the types around it, or else in the nearest of the namespaces that the file knows there.
func (r *Resolver) typesAt(f *file, name string, at, count, depth int) []indexer.Symbol {
	all := r.the(name, func(d indexer.Symbol) bool { return isType(d) && r.isCSharp(d) })
	if len(all) == 0 {
		return nil
	}
	fits := func(list []indexer.Symbol) []indexer.Symbol {
		return slices.DeleteFunc(list, func(d indexer.Symbol) bool { return r.genericsOf(d) != count })
	}
	for _, t := range r.typesAround(f, at) {
		if t.Name == name && r.genericsOf(t) == count {
			return r.parts(t)
		}
		if in := fits(r.nested(t, name, depth)); len(in) > 0 {
			return r.parts(in[0])
		}
	}
	all = slices.DeleteFunc(all, func(d indexer.Symbol) bool { _, ok := r.outer(d); return ok })
	return r.visible(f, fits(all), at)
}

// visible returns those types that a file knows at a byte by their names alone, of the nearest
// namespace, and of several types there the one that is nearest in the tree of files.
func (r *Resolver) visible(f *file, all []indexer.Symbol, at int) []indexer.Symbol {
	if len(all) == 0 {
		return nil
	}
	for _, space := range r.spacesAt(f, at) {
		list := slices.DeleteFunc(slices.Clone(all), func(d indexer.Symbol) bool {
			s, ok := r.spaceOf(d)
			return ok && s != space
		})
		if len(list) > 0 {
			best := slices.MaxFunc(list, func(a, b indexer.Symbol) int { return common(a.Path, f.path) - common(b.Path, f.path) })
			return r.parts(best)
		}
	}
	return nil
}

// common returns the number of folders that two paths have in common.
func common(a, b string) (n int) {
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == '/' {
			n++
		}
	}
	if a == b {
		n++
	}
	return n
}

// spacesAt returns the namespaces whose types a file knows at a byte, the nearest first; -1 is
// anywhere.
func (r *Resolver) spacesAt(f *file, at int) (out []string) {
	for i := len(f.Namespaces) - 1; i >= 0; i-- {
		n := f.Namespaces[i]
		if at >= 0 && (at < n.Start || n.End <= at) {
			continue
		}
		for space := n.Name; space != ""; {
			out = append(out, space)
			space = space[:max(strings.LastIndexByte(space, '.'), 0)]
		}
	}
	around := append(out, "")
	for _, m := range slices.Concat(f.Imports, r.everywhere()) {
		if m.Local != "*" || m.Members {
			continue
		}
		out = append(out, m.Path)
		for _, space := range around { // it may be written without the namespaces around it
			if space != "" {
				out = append(out, space+"."+m.Path)
			}
		}
	}
	return slices.Insert(out, len(around)-1, "")
}

// everywhere returns the imports that files declare for all others.
func (r *Resolver) everywhere() []chunk.Import {
	if r.global != nil {
		return *r.global
	}
	r.global = &[]chunk.Import{}
	seen := map[int]bool{}
	var out []chunk.Import
	r.s.TermChunks("global", func(c int) bool {
		number := r.s.FileOf(c)
		if seen[number] || r.s.Language(number) != "csharp" {
			return true
		}
		seen[number] = true
		text, gate := r.reader.File(number)
		if gate != "" || !bytes.Contains(text, []byte("global using ")) {
			return true
		}
		if f := r.file(number); f != nil {
			for _, m := range f.Imports {
				if m.Export {
					out = append(out, m)
				}
			}
		}
		return len(seen) < maxKin
	})
	r.global = &out
	return out
}

// typesAround returns the types around a byte, the innermost first.
func (r *Resolver) typesAround(f *file, at int) (out []indexer.Symbol) {
	if at < 0 {
		return nil
	}
	for i := len(f.Types) - 1; i >= 0; i-- {
		if t := f.Types[i]; t.Start <= at && at < t.End {
			if d, ok := r.typeAt(f, t); ok {
				out = append(out, d)
			}
		}
	}
	return out
}

// nested returns the types of a name in a type, or in what it inherits.
func (r *Resolver) nested(t indexer.Symbol, name string, depth int) []indexer.Symbol {
	if r.steps++; depth > maxDepth || r.steps > maxSteps {
		return nil
	}
	own := slices.DeleteFunc(r.ownInCSharp(t, name), func(d indexer.Symbol) bool { return !isType(d) })
	if len(own) > 0 || depth > 0 && len(r.the(name, func(d indexer.Symbol) bool { _, ok := r.outer(d); return ok && isType(d) })) == 0 {
		return own
	}
	if r.nesting[place(t)] { // its parents are being determined
		return nil
	}
	r.nesting[place(t)] = true
	defer delete(r.nesting, place(t))
	for _, p := range r.parents(t, depth+1) {
		if p.kind == named {
			if in := r.nested(p.def, name, depth+1); len(in) > 0 {
				return in
			}
		}
	}
	return nil
}

// inCSharp returns what a name is in C#: of the types around it, or of the namespaces and types
// that the file uses. What is nowhere is a namespace, or a type of a library.
func (r *Resolver) inCSharp(f *file, name string, at, depth int) meant {
	var fallback meant
	for _, t := range r.typesAround(f, at) {
		m := r.memberInCSharp(value{kind: named, def: t}, name, depth+1)
		if m.found || len(m.defs) > 0 || m.value.kind != unknown && m.value.kind != foreign {
			return m
		}
		fallback.open = fallback.open || m.open
	}
	if local := r.the(name, func(d indexer.Symbol) bool { return d.File == f.number && d.Kind == "function" }); len(local) > 0 {
		return r.of(local)
	}
	if defs := r.typesAt(f, name, at, 0, depth); len(defs) > 0 {
		return r.of(defs)
	}
	for _, m := range slices.Concat(f.Imports, r.everywhere()) {
		switch {
		case m.Local == name:
			return meant{value: r.pathValue(f, m.Path)}
		case m.Members:
			if v := r.pathValue(f, m.Path); v.kind == named {
				if found := r.memberInCSharp(v, name, depth+1); len(found.defs) > 0 {
					return found
				}
			}
		}
	}
	if defs := r.genericNamed(f, name, at); len(defs) > 0 {
		return r.of(defs)
	}
	return meant{value: value{kind: dotted, in: f, text: name}, open: fallback.open}
}

// genericNamed returns a type with type parameters that a file knows by a name.
func (r *Resolver) genericNamed(f *file, name string, at int) []indexer.Symbol {
	return r.visible(f, r.the(name, func(d indexer.Symbol) bool {
		_, in := r.outer(d)
		return isType(d) && r.isCSharp(d) && !in
	}), at)
}

// pathValue returns what a qualified name is: a type of the workspace, or something else.
func (r *Resolver) pathValue(f *file, path string) value {
	parts := strings.Split(path, ".")
	v := value{kind: dotted, in: f, text: parts[0]}
	if len(parts) == 1 {
		if defs := r.typesAt(f, path, -1, 0, 0); len(defs) > 0 {
			return r.of(defs).value
		}
	}
	for _, name := range parts[1:] {
		v = r.member(v, name, 0).value
	}
	return v
}

// inSpaceOfCSharp returns what a name is in a namespace, or in a type of a library.
func (r *Resolver) inSpaceOfCSharp(v value, name string) meant {
	spaces := r.spacesAt(v.in, -1)
	types := r.the(name, func(d indexer.Symbol) bool { return isType(d) && r.isCSharp(d) })
	for _, d := range types {
		s, ok := r.spaceOf(d)
		if _, inner := r.outer(d); !ok || inner {
			continue
		}
		if s == v.text || strings.HasSuffix(s, "."+v.text) && slices.Contains(spaces, strings.TrimSuffix(s, "."+v.text)) {
			return r.of(r.parts(d))
		}
	}
	return meant{value: value{kind: dotted, in: v.in, text: v.text + "." + name}}
}

// ownInCSharp returns the members of a name that the parts of a type define.
func (r *Resolver) ownInCSharp(t indexer.Symbol, name string) []indexer.Symbol {
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
func (r *Resolver) isTypeName(name string) bool {
	return len(r.the(name, isType)) > 0
}

// memberInCSharp returns what a member of a value of a type is: its own, or an inherited one, that
// takes the arguments of the use, or else a function that can be called as its method.
func (r *Resolver) memberInCSharp(v value, name string, depth int) meant {
	m := r.memberOfType(v, name, depth)
	isAsked := name == r.name && r.args >= 0
	if len(m.defs) > 0 && (!isAsked || len(r.acceptingOnly(m.defs, r.args)) > 0) {
		return m
	}
	if more, open := r.extending(v, name, depth); len(more) > 0 || open && len(m.defs) == 0 {
		return meant{value: r.of(more).value, defs: more, open: open}
	}
	return m
}

// memberOfType returns what a member of a value of a type is among those of the type and of what it
// inherits.
func (r *Resolver) memberOfType(v value, name string, depth int) meant {
	if r.steps++; depth > maxDepth || r.steps > maxSteps {
		return meant{open: true}
	}
	var own []indexer.Symbol
	if name != v.def.Name {
		own = r.ownInCSharp(v.def, name)
	}
	if len(own) > 0 && (name != r.name || r.args < 0 || len(r.acceptingOnly(own, r.args)) > 0) {
		return r.ofValue(v, own, depth)
	}
	if b, f := r.variableOf(v.def, name); b != nil {
		return meant{found: true, value: r.substituted(v, b.Type, nil, value{}, r.bindingValue(f, b, depth), depth)}
	}
	out := meant{}
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
func (r *Resolver) ofValue(v value, defs []indexer.Symbol, depth int) meant {
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
func (r *Resolver) variableOf(t indexer.Symbol, name string) (*chunk.Binding, *file) {
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
func (r *Resolver) substituted(owner value, e *chunk.Expr, list []string, use, v value, depth int) value {
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
func (r *Resolver) memberOfForeign(v value, name string, depth int) meant {
	if defs, open := r.extending(v, name, depth); len(defs) > 0 || open {
		return meant{value: r.of(defs).value, defs: defs, open: open}
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
	return meant{value: out}
}

// extending returns the functions of a name that can be called as a method of a value: those whose
// first parameter is nearest to its type.
func (r *Resolver) extending(v value, name string, depth int) (out []indexer.Symbol, open bool) {
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
func (r *Resolver) near(v value, f *file, t *chunk.Expr, generics []string, depth int) int {
	if t == nil {
		return possible
	}
	p := r.typed(f, t, depth)
	if t.Op == chunk.OpName && slices.Contains(generics, t.Name) {
		switch {
		case p.kind == unknown || p.kind == foreign && v.kind != named:
			return generic
		case p.kind == named && v.kind == named && (r.identity(p.def) == r.identity(v.def) || r.Inherits(v.def, p.def)):
			return inherited
		case p.kind == foreign && v.kind == named:
			return r.nearForeign(v, p)
		}
		return never
	}
	switch {
	case p.kind == named && v.kind == named:
		if r.identity(p.def) == r.identity(v.def) {
			return same
		}
		if r.Inherits(v.def, p.def) {
			return inherited
		}
		return never
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
func (r *Resolver) nearForeign(v, p value) int {
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
