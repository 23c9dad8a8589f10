package binding

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

// isC reports whether a language is C or C++, whose files share the names of all that they link.
func isC(language string) bool { return language == "c" || language == "cpp" }

// cFamily determines what names mean in files of C and C++.
type cFamily struct {
	*Resolver
	locals map[at]bool // definitions by whether only their file knows them
}

// meaningInC returns the definitions that a use in C or C++ means.
func (r *cFamily) meaningInC(f *file, u chunk.NameUse) (defs []indexer.Symbol, open bool) {
	var m referent
	switch {
	case u.Member && f.language == "c": // its structures have no functions
		return nil, false
	case u.Member && u.Owner == nil:
		return nil, true
	case u.Member:
		m = r.member(f.reached(r.value(f, u.Owner, 0), u.Arrow), u.Name, 0)
	case !u.IsType && f.bound(u.Name, u.Start) != nil:
		return nil, false
	default:
		m = inScope(r.Resolver).named(f, u.Name, u.Start, 0)
	}
	if u.IsType { // a variable or a function may have its name
		m.defs = slices.DeleteFunc(slices.Clone(m.defs), func(d indexer.Symbol) bool { return !isType(d) && d.Kind != "macro" && d.Name != d.Container })
	} else if f.language == "c" {
		m.defs = slices.DeleteFunc(slices.Clone(m.defs), isType)
	}
	return m.defs, m.open
}

// reached returns a value as the owner of a member: in C++ a container itself has the members after
// a dot, what it points to those after an arrow. What a call of a member returns may be either.
func (f *file) reached(v value, arrow bool) value {
	v.direct = f.language == "cpp" && !arrow && v.kind == foreign && !v.taken
	return v
}

// inProgram returns what a name is in C or C++: of the types around it, of its file, or of the
// whole program.
func (r *cFamily) inProgram(f *file, name string, at, depth int) referent {
	if m, ok := inScope(r.Resolver).inOwnTypes(f, name, at, depth); ok {
		return m
	}
	if defs := r.known(f, name); len(defs) > 0 {
		return r.of(defs)
	}
	for _, find := range []func(*file, string, int, int) (referent, bool){inScope(r.Resolver).inImports, inScope(r.Resolver).inVariables} {
		if m, ok := find(f, name, at, depth+1); ok {
			return m
		}
	}
	if len(r.the(name, func(d indexer.Symbol) bool { return d.Kind == "module" && isC(r.s.Language(d.File)) })) > 0 {
		return referent{value: value{kind: space, where: scope{path: name}}}
	}
	if len(r.the(name, func(d indexer.Symbol) bool { return r.isOutside(d) && !r.isLocal(d) })) > 0 {
		return referent{open: true} // of a namespace that is not known to be used
	}
	return referent{value: value{kind: foreign}}
}

// known returns the definitions outside of types that a file knows by a name: its own, or else
// those that other files share.
func (r *cFamily) known(f *file, name string) []indexer.Symbol {
	own := r.the(name, func(d indexer.Symbol) bool { return d.File == f.number && r.isOutside(d) })
	if len(own) > 0 {
		return own
	}
	shared := r.the(name, func(d indexer.Symbol) bool {
		return r.isOutside(d) && (d.Container == "" || d.Kind == "const" || f.language == "c" || r.uses(f, d.Container)) && (!r.isLocal(d) || f.includes(d.Path))
	})
	if len(shared) > 1 && isType(shared[0]) {
		return r.nearest(f, shared)
	}
	return shared
}

// nearest returns those of several types of one name that a file most probably means: of files that
// it includes, or of its folder.
func (r *cFamily) nearest(f *file, list []indexer.Symbol) []indexer.Symbol {
	for _, near := range []func(d indexer.Symbol) bool{
		func(d indexer.Symbol) bool { return d.File == f.number },
		func(d indexer.Symbol) bool { return f.includes(d.Path) },
		func(d indexer.Symbol) bool { return folder(d.Path) == folder(f.path) },
	} {
		if slices.ContainsFunc(list, near) {
			return slices.DeleteFunc(slices.Clone(list), func(d indexer.Symbol) bool { return !near(d) })
		}
	}
	return list
}

// includes reports whether a file itself includes another.
func (f *file) includes(p string) bool {
	for _, m := range f.Imports {
		if to := strings.TrimPrefix(path.Clean("/"+m.Path), "/"); m.Path != "" && strings.HasSuffix("/"+p, "/"+to) {
			return true
		}
	}
	return false
}

// included reports whether the file of a method of C++ includes that of a type.
func (r *cFamily) included(method, t indexer.Symbol) bool {
	if !isC(r.s.Language(method.File)) {
		return false
	}
	f := r.file(method.File)
	return f != nil && f.includes(t.Path)
}

// uses reports whether a file is in a namespace, or knows its names by themselves.
func (r *cFamily) uses(f *file, namespace string) bool {
	if slices.Contains(f.Spaces, namespace) {
		return true
	}
	return slices.ContainsFunc(f.symbols, func(d indexer.Symbol) bool { return d.Kind == "module" && d.Name == namespace })
}

// isOutside reports whether a definition of C or C++ is no member of a type: of no container, or of
// a namespace.
func (r *Resolver) isOutside(d indexer.Symbol) bool {
	if !isC(r.s.Language(d.File)) || d.Kind == "module" {
		return false
	}
	return d.Container == "" || d.Kind == "const" || !r.isMember(d) // the constants of an enumeration are known without it
}

// isMember reports whether a definition is a member of a type: its container is one, and not the
// name of a namespace, too.
func (r *Resolver) isMember(d indexer.Symbol) bool {
	return len(r.the(container(d), func(t indexer.Symbol) bool { return isType(t) && isC(r.s.Language(t.File)) })) > 0
}

// isLocal reports whether only its own file knows a definition: what is static in a file that
// others do not include, and a type, a macro or a constant there.
func (r *cFamily) isLocal(d indexer.Symbol) bool {
	if ext := path.Ext(d.Path); strings.HasPrefix(ext, ".h") || ext == ".inc" || ext == ".inl" || ext == ".ipp" {
		return false
	}
	if !callable(d) && d.Kind != "var" || d.Kind == "macro" {
		return true
	}
	local, ok := r.locals[place(d)]
	if !ok {
		local = r.isStatic(d)
		r.locals[place(d)] = local
	}
	return local
}

// isStatic reports whether the word static is before the name of a definition.
func (r *cFamily) isStatic(d indexer.Symbol) bool {
	text, gate := r.reader.File(d.File)
	if gate != "" {
		return false
	}
	for range d.Line {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	head := text[:min(len(text), maxHead)]
	if i := bytes.Index(head, []byte(d.Name)); i >= 0 {
		return slices.ContainsFunc(bytes.Fields(head[:i]), func(word []byte) bool { return string(word) == "static" })
	}
	return false
}

// maxHead is the length of a definition's beginning in which its name must be, in bytes.
const maxHead = 400

// inSpace returns what a name is in a namespace.
func (r *cFamily) inSpace(namespace, name string) referent {
	defs := r.the(name, func(d indexer.Symbol) bool {
		return d.Container == namespace && isC(r.s.Language(d.File)) && !r.isMember(d)
	})
	if len(defs) > 0 {
		return r.of(defs)
	}
	if len(r.the(name, func(d indexer.Symbol) bool { return d.Kind == "module" })) > 0 {
		return referent{value: value{kind: space, where: scope{path: name}}}
	}
	if len(r.the(name, r.isOutside)) > 0 {
		return referent{open: true}
	}
	return referent{value: value{kind: foreign}} // the workspace adds to a namespace of a library
}

// ofType returns those members of a name that belong to one type of C++: of several types of its
// name the nearest one has them.
func (r *cFamily) ofType(t indexer.Symbol, all []indexer.Symbol) []indexer.Symbol {
	types := r.the(t.Name, func(d indexer.Symbol) bool { return isType(d) && isC(r.s.Language(d.File)) })
	if len(types) < 2 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(d indexer.Symbol) bool {
		if d.Kind == "const" {
			return d.File != t.File
		}
		o, ok := r.TypeOf(d)
		return !ok || place(o) != place(t)
	})
}

// classesAt returns the types whose method runs at a byte of C++, other than those around it: the
// one that the function's name is qualified with, or those that a macro makes it a method of.
func (r *cFamily) classesAt(f *file, at int) (out []indexer.Symbol) {
	for _, t := range f.Types {
		if t.Name != "" || at <= t.Start || t.End <= at {
			continue
		}
		for _, p := range t.Parents {
			for _, d := range r.known(f, p.Name) {
				if isType(d) && d.Kind != "type" && p.Op == chunk.OpName {
					out = append(out, d)
				}
			}
		}
	}
	if in, ok := f.symbolAt(at); ok && !isType(in) && in.Container != "" {
		if t, ok := r.TypeOf(in); ok {
			out = append(out, t)
		}
	}
	return out
}

// unread returns the types of a file that the grammar could not read, as among macros, whose heads
// name another type after a colon.
func (r *cFamily) unread(f *file, parent indexer.Symbol) (out []indexer.Symbol) {
	for _, d := range f.symbols {
		if !isType(d) || d.Kind == "type" || d.Kind == "enum" || f.outlineOf(d) != nil {
			continue
		}
		f.line(0)
		if d.Line >= len(f.starts) {
			continue
		}
		head, _, _ := bytes.Cut(f.text[f.starts[d.Line]:], []byte("{"))
		_, parents, _ := bytes.Cut(head, []byte(":"))
		names := bytes.FieldsFunc(parents, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
		if slices.ContainsFunc(names, func(n []byte) bool { return string(n) == parent.Name }) && slices.Contains(r.known(f, parent.Name), parent) {
			out = append(out, d)
		}
	}
	return out
}
