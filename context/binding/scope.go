package binding

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

// scope is where an import leads: the files of a folder, or a file.
type scope struct {
	path string // of a file without its extension and, if it stands for its folder, its name
	dir  bool   // path is a folder, with a slash at the end, whose files share their names
	pack bool   // path is the end of such folders, which a package of Java has several of
	tree bool   // path is a folder with a package in it and in those below
	file string // of a tree: the file in it that is imported, "" for the one that stands for it
}

// standIns are the names of files that stand for their folder.
var standIns = []string{"/index", "/__init__", "/mod", "/lib", "/main"}

// moduleOf returns the path by which imports know a file.
func moduleOf(p string) string {
	p = strings.TrimSuffix(strings.TrimSuffix(p, path.Ext(p)), ".d")
	for _, name := range standIns {
		if rest, ok := strings.CutSuffix("/"+p, name); ok {
			return strings.TrimPrefix(rest, "/")
		}
	}
	return p
}

func (s scope) has(p string) bool {
	switch {
	case s.dir:
		return folder(p) == s.path
	case s.pack:
		return strings.HasSuffix("/"+folder(p), "/"+s.path)
	case s.tree:
		return strings.HasPrefix(p, s.path)
	}
	return moduleOf(p) == s.path
}

// scopes finds what a name means at a position of a file, in it and by its imports.
type scopes struct{ *Resolver }

func inScope(r *Resolver) scopes { return scopes{r} }

// in returns what a name is in a scope.
func (r scopes) in(s scope, name string, depth int) referent {
	if r.steps++; depth > maxDepth || r.steps > maxSteps {
		return referent{open: true}
	}
	for _, p := range r.entries(s) {
		if m := r.in(scope{path: p}, name, depth+1); len(m.defs) > 0 {
			return m
		}
	}
	if defs := r.the(name, func(d indexer.Symbol) bool { return r.isOuter(d) && s.has(d.Path) }); len(defs) > 0 {
		return r.of(defs)
	}
	if m, ok := r.static(s, name, depth); ok {
		return m
	}
	if m, ok := r.exported(s, name, depth); ok {
		return m
	}
	if sub, ok := byPath(r.Resolver).packageAt(s.path + name); ok && s.pack {
		return referent{value: value{kind: module, where: sub}}
	}
	if sub := (scope{path: path.Join(s.path, name)}); !s.dir && !s.pack && r.paths().has(sub.path) {
		return referent{value: value{kind: module, where: sub}}
	}
	return referent{open: !s.dir && !s.pack}
}

// isOuter reports whether a definition can be imported by its own name.
func (r scopes) isOuter(d indexer.Symbol) bool {
	return d.Container == "" || isType(d) && r.s.Language(d.File) == "java"
}

// static returns what a member of the type is that a file of Java is named after.
func (r scopes) static(s scope, name string, depth int) (referent, bool) {
	files := r.paths().of(s.path)
	if len(files) == 0 || path.Ext(files[0].path) != ".java" {
		return referent{}, false
	}
	for _, t := range r.the(path.Base(s.path), func(d indexer.Symbol) bool { return isType(d) && s.has(d.Path) }) {
		if m := r.memberOf(t, name, depth+1); len(m.defs) > 0 || m.value.kind != unknown {
			return m, true
		}
	}
	return referent{}, false
}

// exported returns what the files of a scope export under a name without defining it as a symbol.
func (r scopes) exported(s scope, name string, depth int) (m referent, ok bool) {
	for _, m := range r.paths().of(s.path) {
		number, ok := r.s.File(m.path)
		if !ok {
			continue
		}
		f := r.file(number)
		if f == nil {
			continue
		}
		for _, m := range f.Imports {
			all := m.Local == "*"
			if !m.Export || m.Local != name && !all {
				continue
			}
			if all {
				m.Name = name
			}
			if found := r.imported(f, m, depth+1); len(found.defs) > 0 || !all && found.value.kind != unknown {
				return found, true
			}
		}
		for i := range f.Members {
			if b := &f.Members[i]; b.Owner == "" && b.Name == name {
				return referent{value: r.bindingValue(f, b, depth+1)}, true
			}
		}
	}
	return referent{}, false
}

// entries returns the modules in a tree that its package may export from, the nearest first.
func (r scopes) entries(s scope) []string {
	if !s.tree {
		return nil
	}
	out, ok := r.entered[s]
	if ok {
		return out
	}
	const below = 2 // folders between the package and what stands for it
	for _, e := range r.paths().below(s.path) {
		m, p := e.module, e.path
		inside, ok := strings.CutPrefix(m+"/", s.path)
		switch {
		case len(out) > 0 && out[len(out)-1] == m: // another file of it
		case !ok:
		case s.file == "" && strings.Count(inside, "/") <= below && m+path.Ext(p) != p: // it stands for a folder
			out = append(out, m)
		case s.file != "" && strings.HasSuffix("/"+m, "/"+s.file):
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	r.entered[s] = out
	return out
}

// named returns what a name that is no variable of a function is at a byte of a file.
func (r scopes) named(f *file, name string, at, depth int) referent {
	if r.steps++; depth > maxDepth || r.steps > maxSteps {
		return referent{open: true}
	}
	switch {
	case isC(f.language):
		return r.c.inProgram(f, name, at, depth)
	case f.language == "csharp":
		return r.csharp.inCSharp(f, name, at, depth)
	}
	for _, find := range []func(*file, string, int, int) (referent, bool){r.inOwnTypes, r.inOwnFile, r.inImports, r.inVariables, r.inFolder, r.inAllOf} {
		if m, ok := find(f, name, at, depth+1); ok {
			return m
		}
	}
	if f.language == "java" {
		if s, ok := byPath(r.Resolver).packageAt(name); ok {
			return referent{value: value{kind: module, where: s}}
		}
		return referent{value: value{kind: foreign}}
	}
	if f.language != "go" && len(r.the(name, func(d indexer.Symbol) bool { return isType(d) && related(f.language, r.s.Language(d.File)) })) > 0 {
		return referent{open: true} // known everywhere, maybe
	}
	return referent{value: value{kind: foreign}}
}

// inOwnTypes returns what a name is among the members of the types around it, the innermost first,
// in a language in which these are known by their names alone.
func (r scopes) inOwnTypes(f *file, name string, at, depth int) (referent, bool) {
	if at < 0 || f.language != "java" && f.language != "cpp" {
		return referent{}, false
	}
	if f.language == "cpp" {
		for _, t := range r.c.classesAt(f, at) {
			if m, ok := r.inType(t, name, depth); ok {
				return m, true
			}
		}
	}
	line := f.line(at)
	for i := len(f.symbols) - 1; i >= 0; i-- {
		t := f.symbols[i]
		switch { // in its header its members are not known
		case !isType(t), line < t.Line, t.EndLine < line, !bytes.Contains(f.text[f.starts[t.Line]:at], []byte("{")):
			continue
		}
		if m, ok := r.inType(t, name, depth); ok {
			return m, true
		}
	}
	return referent{}, false
}

// inType returns what a name is among the members of a type.
func (r scopes) inType(t indexer.Symbol, name string, depth int) (referent, bool) {
	f := r.file(t.File)
	isVariable := f != nil && slices.ContainsFunc(f.Members, func(b chunk.Binding) bool { return b.Owner == t.Name && b.Name == name })
	m := r.memberOf(t, name, depth)
	return m, isVariable || len(m.defs) > 0 || m.value.kind != unknown && m.value.kind != foreign
}

// inOwnFile returns what a name is among the definitions of its file and, in the body of a type,
// among its members, which have no owner yet.
func (r scopes) inOwnFile(f *file, name string, at, _ int) (referent, bool) {
	defs := r.the(name, func(d indexer.Symbol) bool {
		return d.File == f.number && (d.Container == "" || isType(d) || d.Kind == "function")
	})
	if t, ok := f.symbolAt(at); len(defs) == 0 && ok && isType(t) {
		defs = r.own(t, name)
	}
	return r.of(defs), len(defs) > 0
}

// inImports returns what a name is that a file imports.
func (r scopes) inImports(f *file, name string, _, depth int) (referent, bool) {
	for _, m := range f.Imports {
		if m.Local == name || m.Local == "" && r.localName(f, m) == name {
			return r.imported(f, m, depth), true
		}
	}
	return referent{}, false
}

// inVariables returns what a name is among the variables of a file.
func (r scopes) inVariables(f *file, name string, _, depth int) (referent, bool) {
	for i := range f.Members {
		if b := &f.Members[i]; b.Owner == "" && b.Name == name {
			return referent{value: r.bindingValue(f, b, depth)}, true
		}
	}
	return referent{}, false
}

// inFolder returns what a name is in a package of Go or Java.
func (r scopes) inFolder(f *file, name string, _, _ int) (referent, bool) {
	switch f.language {
	case "go":
	case "java":
		s := scope{path: strings.ReplaceAll(f.Package, ".", "/") + "/", pack: f.Package != ""}
		defs := r.the(name, func(d indexer.Symbol) bool {
			return d.Container == "" && r.s.Language(d.File) == "java" && (s.pack && s.has(d.Path) || folder(d.Path) == folder(f.path))
		})
		return r.of(defs), len(defs) > 0
	default:
		return referent{}, false
	}
	defs := r.the(name, func(d indexer.Symbol) bool {
		return d.Container == "" && folder(d.Path) == folder(f.path) && r.samePackage(f, d)
	})
	return r.of(defs), len(defs) > 0
}

// inAllOf returns what a name is in the modules of which a file imports all names.
func (r scopes) inAllOf(f *file, name string, _, depth int) (referent, bool) {
	for _, m := range f.Imports {
		if m.Local == "*" {
			m.Name = name
			if found := r.imported(f, m, depth); len(found.defs) > 0 {
				return found, true
			}
		}
	}
	return referent{}, false
}

// samePackage reports whether a definition in a file's folder is in its package, or in the one that
// its tests are outside of.
func (r scopes) samePackage(f *file, d indexer.Symbol) bool {
	o := r.file(d.File)
	return o == nil || o.Package == f.Package
}

// imported returns what an import is.
func (r scopes) imported(f *file, m chunk.Import, depth int) referent {
	if m.Path == "" { // of the file itself
		if m.Name == m.Local {
			return referent{}
		}
		return r.named(f, m.Name, -1, depth+1)
	}
	s, ok := byPath(r.Resolver).resolve(f, m.Path)
	switch {
	case !ok:
		return referent{value: value{kind: foreign}}
	case m.Name == "":
		return referent{value: value{kind: module, where: s}}
	case m.Name == "default":
		return r.in(s, m.Local, depth+1)
	}
	return r.in(s, m.Name, depth+1)
}

// localName returns the name by which a file knows a module that it imports without naming it.
func (r scopes) localName(f *file, m chunk.Import) string {
	base := path.Base(m.Path)
	if f.language != "go" {
		return base
	}
	if s, ok := byPath(r.Resolver).resolve(f, m.Path); ok {
		if dir := strings.TrimSuffix(s.path, "/"); dir != "" {
			return path.Base(dir)
		}
	}
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(m.Path))
	}
	return base
}
