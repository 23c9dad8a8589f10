package binding

import (
	"slices"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

// member returns what a member of a value is.
func (r *Resolver) member(v value, name string, depth int) referent {
	if r.steps++; depth > maxDepth || r.steps > maxSteps {
		return referent{open: true}
	}
	depth++
	switch v.kind {
	case unknown, tuple:
		return referent{open: true}
	case dotted:
		return r.csharp.inSpaceOfCSharp(v, name)
	case module:
		return inScope(r).in(v.where, name, depth)
	case space:
		return r.c.inSpace(v.where.path, name)
	case foreign:
		if v.in != nil && v.in.language == "csharp" {
			return r.csharp.memberOfForeign(v, name, depth)
		}
		if v.direct {
			return referent{value: value{kind: foreign, in: v.in, args: v.args, taken: true}}
		}
		if e := r.elem(v, depth); e.kind == named { // a pointer, a promise or the like
			if m := r.memberOf(e.def, name, depth); len(m.defs) > 0 {
				return m
			}
		}
		return referent{value: v}
	case list:
		if v.in.language == "csharp" {
			return r.csharp.memberOfForeign(v, name, depth)
		}
		return referent{value: value{kind: foreign, in: v.in, args: []*chunk.Expr{v.expr}}}
	case function:
		if v.def.Name == "" {
			return referent{value: value{kind: foreign}}
		}
		return r.of(r.own(v.def, name))
	}
	if r.isCSharp(v.def) {
		return r.csharp.memberInCSharp(v, name, depth)
	}
	return r.memberOf(v.def, name, depth)
}

// memberOf returns what a member of a type is: its own, or one that it inherits.
func (r *Resolver) memberOf(t indexer.Symbol, name string, depth int) referent {
	if language := r.s.Language(t.File); name == t.Name && (language == "java" || isC(language)) {
		return referent{} // its constructors are no members
	}
	if own := r.own(t, name); len(own) > 0 {
		return r.of(own)
	}
	f := r.file(t.File)
	if f == nil {
		return referent{open: true}
	}
	for i := range f.Members {
		if b := &f.Members[i]; b.Name == name && b.Owner == t.Name && t.Name != "" {
			return referent{value: r.bindingValue(f, b, depth)}
		}
	}
	if depth > maxDepth {
		return referent{open: true}
	}
	var out referent
	for _, p := range r.parents(t, depth) {
		m := r.member(p, name, depth+1)
		if len(m.defs) > 0 || m.value.kind != unknown && m.value.kind != foreign {
			return m
		}
		out.open = out.open || m.open
		if p.kind == foreign {
			out.value = value{kind: foreign}
		}
	}
	return out
}

// own returns the members of a name that a type defines itself.
func (r *Resolver) own(t indexer.Symbol, name string) []indexer.Symbol {
	language := r.s.Language(t.File)
	all := r.the(name, func(d indexer.Symbol) bool {
		if isC(language) && d.Kind == "const" && d.File == t.File && t.Line <= d.Line && d.EndLine <= t.EndLine {
			return true // of an enumeration in the type
		}
		return container(d) == t.Name && related(language, r.s.Language(d.File)) && d != t
	})
	if isC(language) {
		return r.c.ofType(t, all)
	}
	for _, near := range []func(d indexer.Symbol) bool{
		func(d indexer.Symbol) bool { return d.File == t.File && language != "go" },
		func(d indexer.Symbol) bool { return folder(d.Path) == folder(t.Path) },
	} {
		if slices.ContainsFunc(all, near) {
			return slices.DeleteFunc(all, func(d indexer.Symbol) bool { return !near(d) })
		}
	}
	if language == "go" || len(r.the(t.Name, isType)) > 1 {
		return nil
	}
	return all
}

// parents returns what a type inherits.
func (r *Resolver) parents(t indexer.Symbol, depth int) (out []value) {
	if r.isCSharp(t) {
		if known, ok := r.csharp.above[place(t)]; ok {
			return known
		}
		defer func() {
			if len(r.csharp.nesting) == 0 && depth < maxDepth/2 && r.steps <= maxSteps {
				r.csharp.above[place(t)] = out
			}
		}()
	}
	for _, part := range r.csharp.parts(t) {
		f := r.file(part.File)
		if f == nil {
			continue
		}
		for _, o := range f.Types {
			if o.Name != t.Name || o.End > 0 && (f.line(o.Start) > part.EndLine || f.line(o.End) < part.Line) {
				continue
			}
			for _, p := range o.Parents {
				if v := r.typed(f, p, depth); v.kind != named || place(v.def) != place(t) {
					out = append(out, v)
				}
			}
		}
	}
	return out
}
