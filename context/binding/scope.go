package binding

import (
	"bytes"
	"cmp"
	"encoding/json"
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

// in returns what a name is in a scope.
func (r *Resolver) in(s scope, name string, depth int) meant {
	if r.steps++; depth > maxDepth || r.steps > maxSteps {
		return meant{open: true}
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
	if sub, ok := r.packageAt(s.path + name); ok && s.pack {
		return meant{value: value{kind: module, where: sub}}
	}
	if sub := (scope{path: path.Join(s.path, name)}); !s.dir && !s.pack && r.paths().has(sub.path) {
		return meant{value: value{kind: module, where: sub}}
	}
	return meant{open: !s.dir && !s.pack}
}

// isOuter reports whether a definition can be imported by its own name.
func (r *Resolver) isOuter(d indexer.Symbol) bool {
	return d.Container == "" || isType(d) && r.s.Language(d.File) == "java"
}

// static returns what a member of the type is that a file of Java is named after.
func (r *Resolver) static(s scope, name string, depth int) (meant, bool) {
	files := r.paths().of(s.path)
	if len(files) == 0 || path.Ext(files[0].path) != ".java" {
		return meant{}, false
	}
	for _, t := range r.the(path.Base(s.path), func(d indexer.Symbol) bool { return isType(d) && s.has(d.Path) }) {
		if m := r.memberOf(t, name, depth+1); len(m.defs) > 0 || m.value.kind != unknown {
			return m, true
		}
	}
	return meant{}, false
}

// exported returns what the files of a scope export under a name without defining it as a symbol.
func (r *Resolver) exported(s scope, name string, depth int) (m meant, ok bool) {
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
				return meant{value: r.bindingValue(f, b, depth+1)}, true
			}
		}
	}
	return meant{}, false
}

// entries returns the modules in a tree that its package may export from, the nearest first.
func (r *Resolver) entries(s scope) []string {
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
func (r *Resolver) named(f *file, name string, at, depth int) meant {
	if r.steps++; depth > maxDepth || r.steps > maxSteps {
		return meant{open: true}
	}
	switch {
	case isC(f.language):
		return r.c.inProgram(f, name, at, depth)
	case f.language == "csharp":
		return r.csharp.inCSharp(f, name, at, depth)
	}
	for _, find := range []func(*file, string, int, int) (meant, bool){r.inOwnTypes, r.inOwnFile, r.inImports, r.inVariables, r.inFolder, r.inAllOf} {
		if m, ok := find(f, name, at, depth+1); ok {
			return m
		}
	}
	if f.language == "java" {
		if s, ok := r.packageAt(name); ok {
			return meant{value: value{kind: module, where: s}}
		}
		return meant{value: value{kind: foreign}}
	}
	if f.language != "go" && len(r.the(name, func(d indexer.Symbol) bool { return isType(d) && related(f.language, r.s.Language(d.File)) })) > 0 {
		return meant{open: true} // known everywhere, maybe
	}
	return meant{value: value{kind: foreign}}
}

// inOwnTypes returns what a name is among the members of the types around it, the innermost first,
// in a language in which these are known by their names alone.
func (r *Resolver) inOwnTypes(f *file, name string, at, depth int) (meant, bool) {
	if at < 0 || f.language != "java" && f.language != "cpp" {
		return meant{}, false
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
	return meant{}, false
}

// inType returns what a name is among the members of a type.
func (r *Resolver) inType(t indexer.Symbol, name string, depth int) (meant, bool) {
	f := r.file(t.File)
	isVariable := f != nil && slices.ContainsFunc(f.Members, func(b chunk.Binding) bool { return b.Owner == t.Name && b.Name == name })
	m := r.memberOf(t, name, depth)
	return m, isVariable || len(m.defs) > 0 || m.value.kind != unknown && m.value.kind != foreign
}

// inOwnFile returns what a name is among the definitions of its file and, in the body of a type,
// among its members, which have no owner yet.
func (r *Resolver) inOwnFile(f *file, name string, at, _ int) (meant, bool) {
	defs := r.the(name, func(d indexer.Symbol) bool {
		return d.File == f.number && (d.Container == "" || isType(d) || d.Kind == "function")
	})
	if t, ok := f.symbolAt(at); len(defs) == 0 && ok && isType(t) {
		defs = r.own(t, name)
	}
	return r.of(defs), len(defs) > 0
}

// inImports returns what a name is that a file imports.
func (r *Resolver) inImports(f *file, name string, _, depth int) (meant, bool) {
	for _, m := range f.Imports {
		if m.Local == name || m.Local == "" && r.localName(f, m) == name {
			return r.imported(f, m, depth), true
		}
	}
	return meant{}, false
}

// inVariables returns what a name is among the variables of a file.
func (r *Resolver) inVariables(f *file, name string, _, depth int) (meant, bool) {
	for i := range f.Members {
		if b := &f.Members[i]; b.Owner == "" && b.Name == name {
			return meant{value: r.bindingValue(f, b, depth)}, true
		}
	}
	return meant{}, false
}

// inFolder returns what a name is in a package of Go or Java.
func (r *Resolver) inFolder(f *file, name string, _, _ int) (meant, bool) {
	switch f.language {
	case "go":
	case "java":
		s := scope{path: strings.ReplaceAll(f.Package, ".", "/") + "/", pack: f.Package != ""}
		defs := r.the(name, func(d indexer.Symbol) bool {
			return d.Container == "" && r.s.Language(d.File) == "java" && (s.pack && s.has(d.Path) || folder(d.Path) == folder(f.path))
		})
		return r.of(defs), len(defs) > 0
	default:
		return meant{}, false
	}
	defs := r.the(name, func(d indexer.Symbol) bool {
		return d.Container == "" && folder(d.Path) == folder(f.path) && r.samePackage(f, d)
	})
	return r.of(defs), len(defs) > 0
}

// inAllOf returns what a name is in the modules of which a file imports all names.
func (r *Resolver) inAllOf(f *file, name string, _, depth int) (meant, bool) {
	for _, m := range f.Imports {
		if m.Local == "*" {
			m.Name = name
			if found := r.imported(f, m, depth); len(found.defs) > 0 {
				return found, true
			}
		}
	}
	return meant{}, false
}

// samePackage reports whether a definition in a file's folder is in its package, or in the one that
// its tests are outside of.
func (r *Resolver) samePackage(f *file, d indexer.Symbol) bool {
	o := r.file(d.File)
	return o == nil || o.Package == f.Package
}

// imported returns what an import is.
func (r *Resolver) imported(f *file, m chunk.Import, depth int) meant {
	if m.Path == "" { // of the file itself
		if m.Name == m.Local {
			return meant{}
		}
		return r.named(f, m.Name, -1, depth+1)
	}
	s, ok := r.resolve(f, m.Path)
	switch {
	case !ok:
		return meant{value: value{kind: foreign}}
	case m.Name == "":
		return meant{value: value{kind: module, where: s}}
	case m.Name == "default":
		return r.in(s, m.Local, depth+1)
	}
	return r.in(s, m.Name, depth+1)
}

// localName returns the name by which a file knows a module that it imports without naming it.
func (r *Resolver) localName(f *file, m chunk.Import) string {
	base := path.Base(m.Path)
	if f.language != "go" {
		return base
	}
	if s, ok := r.resolve(f, m.Path); ok {
		if dir := strings.TrimSuffix(s.path, "/"); dir != "" {
			return path.Base(dir)
		}
	}
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(m.Path))
	}
	return base
}

// resolve returns where an import leads; ok is false when that is outside of the workspace.
func (r *Resolver) resolve(f *file, to string) (scope, bool) {
	switch f.language {
	case "go":
		if s, ok := r.packaged(to, "go.mod"); ok || r.hasModules() {
			return s, ok
		}
		return r.foldered(to)
	case "python":
		return r.dotted(f, to)
	case "java":
		return r.inPackages(strings.ReplaceAll(to, ".", "/"))
	}
	if strings.HasPrefix(to, ".") {
		to = path.Join(folder(f.path), to)
		for _, p := range []string{to, moduleOf(to)} {
			if r.paths().has(p) {
				return scope{path: p}, true
			}
		}
		return scope{path: to}, true
	}
	if s, ok := r.packaged(to, "package.json"); ok {
		return s, true
	}
	return r.suffixed(moduleOf(strings.TrimLeft(to, "@~#/")), to)
}

// inPackages returns the file of a type, or else the folders of a package.
func (r *Resolver) inPackages(p string) (scope, bool) {
	if s, ok := r.suffixed(p, ""); ok {
		return s, true
	}
	return r.packageAt(p)
}

// packageAt returns the folders of a package of Java.
func (r *Resolver) packageAt(p string) (scope, bool) {
	s := scope{path: p + "/", pack: true}
	known, ok := r.packaging[p]
	if !ok {
		known = r.paths().anyFolder(func(dir string) bool { return strings.HasPrefix(dir, s.path) || strings.Contains(dir, "/"+s.path) })
		r.packaging[p] = known
	}
	return s, known
}

// foldered returns the longest folder that an import ends in, for a workspace without modules.
func (r *Resolver) foldered(to string) (scope, bool) {
	for dir := to; dir != ""; _, dir, _ = strings.Cut(dir, "/") {
		if r.paths().hasFolder(dir + "/") {
			return scope{path: dir + "/", dir: true}, true
		}
	}
	return scope{}, false
}

// dotted returns where an import of Python leads.
func (r *Resolver) dotted(f *file, to string) (scope, bool) {
	name := strings.TrimLeft(to, ".")
	up := len(to) - len(name)
	p := strings.ReplaceAll(name, ".", "/")
	if up == 0 {
		return r.suffixed(p, "")
	}
	dir := folder(f.path)
	for range up - 1 {
		dir = folder(strings.TrimSuffix(dir, "/"))
	}
	return scope{path: strings.TrimSuffix(dir+p, "/")}, true
}

// suffixed returns the module whose path ends in another, unless several do.
func (r *Resolver) suffixed(p, given string) (scope, bool) {
	if p != given && r.paths().has(p) {
		return scope{path: p}, true
	}
	found := ""
	r.paths().ending(path.Base(p), func(m string) {
		if !strings.HasSuffix(m, "/"+p) || p == given {
			return
		}
		if found == "" || cmp.Or(len(m)-len(found), strings.Compare(m, found)) < 0 {
			found = m
		}
	})
	return scope{path: found}, found != ""
}

// workspacePackage is a package or module of the workspace: its path in imports, its folder, and
// the name of the file that declares it.
type workspacePackage struct{ path, dir, by string }

// workspacePackages returns the packages of the workspace, those with the longest paths first.
func (r *Resolver) workspacePackages() []workspacePackage {
	if r.packages != nil {
		return r.packages
	}
	r.packages, r.crates = []workspacePackage{}, map[string]string{}
	read := func(file int) ([]byte, bool) {
		text, gate := r.reader.File(file)
		return text, gate == ""
	}
	r.paths().declarations(read, func(by, p string, declared declaredPackage) {
		switch {
		case declared.name == "":
		case by == "Cargo.toml":
			name := strings.ReplaceAll(declared.name, "-", "_")
			r.crates[name] = path.Join(folder(p), declared.root)
		default:
			r.packages = append(r.packages, workspacePackage{declared.name, folder(p), by})
		}
	})
	slices.SortStableFunc(r.packages, func(a, b workspacePackage) int { return len(b.path) - len(a.path) })
	return r.packages
}

// hasModules reports whether one of the packages is a module of Go.
func (r *Resolver) hasModules() bool {
	return slices.ContainsFunc(r.workspacePackages(), func(p workspacePackage) bool { return p.by == "go.mod" })
}

// declaredIn returns the package that a file declares.
func declaredIn(by string, text []byte) declaredPackage {
	switch by {
	case "Cargo.toml":
		return cargoLibrary(text)
	case "package.json":
		var declared struct{ Name string }
		_ = json.Unmarshal(text, &declared) // an unreadable one has no name
		return declaredPackage{name: declared.Name}
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("module ")); ok {
			return declaredPackage{name: strings.Trim(strings.TrimSpace(string(rest)), `"`)}
		}
	}
	return declaredPackage{}
}

// packaged returns the folder of a package of the workspace.
func (r *Resolver) packaged(to, by string) (scope, bool) {
	for _, m := range r.workspacePackages() {
		rest, below := strings.CutPrefix(to, m.path+"/")
		if !below {
			rest = ""
		}
		if m.by != by || to != m.path && !below {
			continue
		}
		switch {
		case by != "go.mod":
			return scope{path: m.dir, tree: true, file: moduleOf(rest)}, true
		case below:
			return scope{path: m.dir + rest + "/", dir: true}, true
		}
		return scope{path: m.dir, dir: true}, true
	}
	return scope{}, false
}
