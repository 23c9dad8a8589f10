package binding

import (
	"bytes"
	"context"
	"slices"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

// Inherits reports whether a type is below another: it extends or implements it, maybe over others,
// or has all of its methods where that is enough.
func (r *Resolver) Inherits(t, from indexer.Symbol) bool {
	pair := [2]at{r.csharp.identity(t), r.csharp.identity(from)}
	if known, ok := r.kin[pair]; ok {
		return known
	}
	r.kin[pair] = false // where they inherit each other
	r.steps = 0
	r.kin[pair] = inHierarchy(r).inherits(t, from)
	return r.kin[pair]
}

// hierarchy follows what types inherit from and implement.
type hierarchy struct{ *Resolver }

func inHierarchy(r *Resolver) hierarchy { return hierarchy{r} }

func (r hierarchy) inherits(t, from indexer.Symbol) bool {
	if r.csharp.identity(t) == r.csharp.identity(from) {
		return false
	}
	if r.s.Language(t.File) == "go" && from.Kind == "interface" {
		return r.hasAll(t, from)
	}
	for _, p := range r.parents(t, 0) {
		if p.kind == named && (r.csharp.identity(p.def) == r.csharp.identity(from) || r.Inherits(p.def, from)) {
			return true
		}
	}
	return false
}

// TypeOf returns the type that a method belongs to.
func (r *Resolver) TypeOf(method indexer.Symbol) (indexer.Symbol, bool) {
	if r.isCSharp(method) {
		return r.csharp.outer(method)
	}
	list := r.the(container(method), func(d indexer.Symbol) bool {
		return isType(d) && related(r.s.Language(d.File), r.s.Language(method.File))
	})
	for _, near := range []func(d indexer.Symbol) bool{
		func(d indexer.Symbol) bool {
			return d.File == method.File && d.Line <= method.Line && method.EndLine <= d.EndLine
		},
		func(d indexer.Symbol) bool { return d.File == method.File },
		func(d indexer.Symbol) bool { return r.c.included(method, d) },
		func(d indexer.Symbol) bool { return folder(d.Path) == folder(method.Path) },
	} {
		if i := slices.IndexFunc(list, near); i >= 0 {
			return list[i], true
		}
	}
	if len(list) == 1 {
		return list[0], true
	}
	return indexer.Symbol{}, false
}

// methodsOf returns the methods of a Go interface, with those of interfaces of the workspace that
// it embeds.
func (r hierarchy) methodsOf(t indexer.Symbol, depth int) []indexer.Symbol {
	if known, ok := r.methods[place(t)]; ok || depth > maxDepth {
		return known
	}
	var out []indexer.Symbol
	for _, d := range r.s.Symbols().InFile(t.File) {
		if d.Kind == "method" && container(d) == t.Name && t.Line <= d.Line && d.EndLine <= t.EndLine {
			out = append(out, d)
		}
	}
	for _, p := range r.parents(t, depth) {
		if p.kind == named && p.def.Kind == "interface" {
			out = append(out, r.methodsOf(p.def, depth+1)...)
		}
	}
	r.methods[place(t)] = out
	return out
}

// hasAll reports whether a Go type has all methods of an interface.
func (r hierarchy) hasAll(t, from indexer.Symbol) bool {
	methods := r.methodsOf(from, 0)
	for _, m := range methods {
		has := r.memberOf(t, m.Name, 0).defs
		if len(has) == 0 || !callable(has[0]) || r.shape(has[0]) != r.shape(m) {
			return false
		}
	}
	return len(methods) > 0
}

// shape returns what a function takes and returns.
func (r hierarchy) shape(d indexer.Symbol) string {
	if f := r.file(d.File); f != nil {
		if o := f.funcOf(d); o != nil {
			return o.Shape
		}
	}
	return ""
}

const (
	maxKin       = 400 // types below one that are examined, and files that are read for each
	readTogether = 16  // files that are read between two checks of the time
)

// Implementers returns the types below a type, those below others of them included.
func (r *Resolver) Implementers(ctx context.Context, t indexer.Symbol) (out []indexer.Symbol) {
	if r.rust.isRust(t) {
		return inTraits(r.rust).implementers(t)
	}
	seen := map[at]bool{place(t): true}
	var queue []indexer.Symbol
	add := func(list []indexer.Symbol) {
		for _, d := range list {
			if !seen[place(d)] && len(seen) < maxKin {
				seen[place(d)] = true
				queue = append(queue, d)
			}
		}
	}
	byMethods := r.s.Language(t.File) == "go" && t.Kind == "interface"
	if byMethods {
		add(inHierarchy(r).withRarest(t))
	}
	add(inHierarchy(r).children(ctx, t))
	for ; len(queue) > 0 && ctx.Err() == nil; queue = queue[1:] {
		if !byMethods || r.Inherits(queue[0], t) {
			out = append(out, queue[0])
		}
		add(inHierarchy(r).children(ctx, queue[0]))
	}
	return out
}

// withRarest returns the Go types that define the rarest method of an interface.
func (r hierarchy) withRarest(t indexer.Symbol) (out []indexer.Symbol) {
	methods := r.methodsOf(t, 0)
	if len(methods) == 0 {
		return nil
	}
	rarest := slices.MinFunc(methods, func(a, b indexer.Symbol) int { return len(r.definitions(a.Name)) - len(r.definitions(b.Name)) })
	for _, m := range r.the(rarest.Name, callable) {
		if r.s.Language(m.File) != "go" || m.Container == "" || r.shape(m) != r.shape(rarest) {
			continue
		}
		if o, ok := r.TypeOf(m); ok && folder(o.Path) == folder(m.Path) {
			out = append(out, o)
		}
	}
	return out
}

// children returns the types that name a type among what they inherit.
func (r hierarchy) children(ctx context.Context, t indexer.Symbol) (out []indexer.Symbol) {
	last := -1
	var files []int
	r.s.Symbols().Mentions(t.Name, func(c int) bool {
		number := r.s.FileOf(c)
		if number != last && r.s.Path(number) != "" && related(r.s.Language(number), r.s.Language(t.File)) && r.mayInherit(number, t.Name) {
			files = append(files, number)
		}
		last = number
		return len(files) < maxKin && ctx.Err() == nil
	})
	for group := range slices.Chunk(files, readTogether) {
		if ctx.Err() != nil {
			break
		}
		r.Read(group)
	}
	for _, number := range files {
		f := r.files[number]
		if f == nil {
			continue
		}
		r.steps = 0
		if isC(f.language) {
			out = append(out, r.c.unread(f, t)...)
		}
		for _, o := range f.Types {
			for _, p := range o.Parents {
				v := r.typed(f, p, 0)
				if v.kind != named || r.csharp.identity(v.def) != r.csharp.identity(t) {
					continue
				}
				if d, ok := r.typeAt(f, o); ok {
					out = append(out, d)
				}
			}
		}
	}
	return out
}

// mayInherit reports whether the header of one of a file's types has the name of another, or the
// file calls that otherwise. Looking at it takes far less than parsing the file.
func (r hierarchy) mayInherit(number int, name string) bool {
	text, gate := r.reader.File(number)
	if gate != "" || bytes.Contains(text, []byte(name+" as ")) {
		return gate == ""
	}
	lines := file{text: text}
	lines.line(0)
	for _, d := range r.s.Symbols().InFile(number) {
		if !isType(d) || d.Line >= len(lines.starts) {
			continue
		}
		header := text[lines.starts[d.Line]:]
		if d.EndLine+1 < len(lines.starts) {
			header = text[lines.starts[d.Line]:lines.starts[d.EndLine+1]]
		}
		if d.Kind == "class" {
			for _, begin := range []string{"{\n", ":\n"} {
				if i := bytes.Index(header, []byte(begin)); i >= 0 {
					header = header[:i]
				}
			}
		}
		if bytes.Contains(header, []byte(name)) {
			return true
		}
	}
	return false
}

// typeAt returns the type of an outline: of several of its name the one that begins there.
func (r hierarchy) typeAt(f *file, o chunk.TypeOutline) (best indexer.Symbol, ok bool) {
	if o.End == 0 {
		return r.typeNamed(f, o.Name)
	}
	first, last := f.line(o.Start), f.line(o.End)
	for _, d := range f.symbols {
		if d.Name == o.Name && isType(d) && first <= d.Line && d.Line <= last && (!ok || d.Line < best.Line) {
			best, ok = d, true
		}
	}
	return best, ok
}

// Above returns what the type of a method inherits, where it has no name.
func (r *Resolver) Above(method indexer.Symbol) (out []indexer.Symbol) {
	f := r.file(method.File)
	if f == nil {
		return nil
	}
	var inner *chunk.TypeOutline
	for i := range f.Types {
		t := &f.Types[i]
		if t.Name == "" && f.line(t.Start) <= method.Line && method.EndLine <= f.line(t.End) {
			inner = t
		}
	}
	if inner == nil {
		return nil
	}
	r.steps = 0
	for _, p := range inner.Parents {
		if v := r.typed(f, p, 0); v.kind == named {
			out = append(out, v.def)
		}
	}
	return out
}

// typeNamed returns the type that a file means by a name.
func (r hierarchy) typeNamed(f *file, name string) (indexer.Symbol, bool) {
	for _, d := range f.symbols {
		if d.Name == name && isType(d) {
			return d, true
		}
	}
	if v := inScope(r.Resolver).named(f, name, -1, 0).value; v.kind == named {
		return v.def, true
	}
	return indexer.Symbol{}, false
}
