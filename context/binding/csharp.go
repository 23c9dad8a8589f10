package binding

import (
	"bytes"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

// csharp determines what names mean in files of C#.
type csharp struct {
	*Resolver
	args    int                     // of the use under way, -1 for no call
	whole   map[at][]indexer.Symbol // types by the place of each of their parts
	above   map[at][]value          // types by what they inherit
	nesting map[at]bool             // types whose parents are being determined
	global  *[]chunk.Import         // of all files; nil until they are read
}

func newCSharp(r *Resolver) *csharp {
	return &csharp{Resolver: r, args: -1, whole: map[at][]indexer.Symbol{}, above: map[at][]value{}, nesting: map[at]bool{}}
}

func (r *Resolver) isCSharp(d indexer.Symbol) bool { return r.s.Language(d.File) == "csharp" }

// meaningInCSharp returns the definitions that a use in C# means.
func (r *csharp) meaningInCSharp(f *file, u chunk.NameUse) (defs []indexer.Symbol, open bool) {
	r.args = u.Args
	defer func() { r.args = -1 }()
	var m referent
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
		m = inScope(r.Resolver).named(f, u.Name, u.Start, 0)
	}
	if u.Call && len(m.defs) > 0 && isType(m.defs[0]) {
		return slices.Concat(m.defs, inCalls(r).bestFor(f, u, r.accepting(r.constructors(m.defs[0]), u.Args))), false
	}
	return inCalls(r).bestFor(f, u, r.accepting(m.defs, u.Args)), m.open
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
func (r *csharp) accepting(defs []indexer.Symbol, args int) []indexer.Symbol {
	if out := r.acceptingOnly(defs, args); len(out) > 0 {
		return out
	}
	return defs
}

func (r *csharp) acceptingOnly(defs []indexer.Symbol, args int) (out []indexer.Symbol) {
	for _, d := range defs {
		if args < 0 || !callable(d) || r.accepts(d, args) {
			out = append(out, d)
		}
	}
	return out
}

// accepts reports whether a function takes a number of arguments, as a method of its first
// parameter too.
func (r *csharp) accepts(d indexer.Symbol, args int) bool {
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
func (r *csharp) constructors(t indexer.Symbol) []indexer.Symbol {
	return slices.DeleteFunc(r.ownInCSharp(t, t.Name), func(d indexer.Symbol) bool { return !callable(d) })
}

// spaceOf returns the namespace of a definition; ok is false when its file is not understood.
func (r *csharp) spaceOf(d indexer.Symbol) (space string, ok bool) {
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
func (r *csharp) outer(d indexer.Symbol) (t indexer.Symbol, ok bool) {
	f := r.file(d.File)
	if f == nil {
		return t, false
	}
	for i := len(f.Types) - 1; i >= 0; i-- {
		o := f.Types[i]
		if d.Line < f.line(o.Start) || f.line(o.End) < d.EndLine || d.EndLine == d.Line && f.line(o.End) == d.Line && o.Name != d.Container {
			continue
		}
		if t, ok = inHierarchy(r.Resolver).typeAt(f, o); ok && t != d {
			return t, true
		}
	}
	return t, false
}

// parts returns the parts of a type: those of one that is written in several.
func (r *csharp) parts(t indexer.Symbol) []indexer.Symbol {
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

// identity returns what identifies a type: the place of its first part.
func (r *csharp) identity(t indexer.Symbol) at { return place(r.parts(t)[0]) }

// isPartial reports whether a type is maybe written in several parts.
func (r *csharp) isPartial(t indexer.Symbol) bool {
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
func (r *csharp) genericsOf(t indexer.Symbol) int {
	if f := r.file(t.File); f != nil {
		if o := f.outlineOf(t); o != nil {
			return len(o.Generics)
		}
	}
	return 0
}

// typesAt returns the type that a name with a number of type arguments is at a byte of a file: one
// in the types around it, or else in the nearest of the namespaces that the file knows there.
func (r *csharp) typesAt(f *file, name string, at, count, depth int) []indexer.Symbol {
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
func (r *csharp) visible(f *file, all []indexer.Symbol, at int) []indexer.Symbol {
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
func (r *csharp) spacesAt(f *file, at int) (out []string) {
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
func (r *csharp) everywhere() []chunk.Import {
	if r.global != nil {
		return *r.global
	}
	r.global = &[]chunk.Import{}
	seen := map[int]bool{}
	var out []chunk.Import
	r.s.Words().Chunks("global", func(c int) bool {
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
func (r *csharp) typesAround(f *file, at int) (out []indexer.Symbol) {
	if at < 0 {
		return nil
	}
	for i := len(f.Types) - 1; i >= 0; i-- {
		if t := f.Types[i]; t.Start <= at && at < t.End {
			if d, ok := inHierarchy(r.Resolver).typeAt(f, t); ok {
				out = append(out, d)
			}
		}
	}
	return out
}

// nested returns the types of a name in a type, or in what it inherits.
func (r *csharp) nested(t indexer.Symbol, name string, depth int) []indexer.Symbol {
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
func (r *csharp) inCSharp(f *file, name string, at, depth int) referent {
	var fallback referent
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
			return referent{value: r.pathValue(f, m.Path)}
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
	return referent{value: value{kind: dotted, in: f, text: name}, open: fallback.open}
}

// genericNamed returns a type with type parameters that a file knows by a name.
func (r *csharp) genericNamed(f *file, name string, at int) []indexer.Symbol {
	return r.visible(f, r.the(name, func(d indexer.Symbol) bool {
		_, in := r.outer(d)
		return isType(d) && r.isCSharp(d) && !in
	}), at)
}

// pathValue returns what a qualified name is: a type of the workspace, or something else.
func (r *csharp) pathValue(f *file, path string) value {
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
func (r *csharp) inSpaceOfCSharp(v value, name string) referent {
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
	return referent{value: value{kind: dotted, in: v.in, text: v.text + "." + name}}
}
