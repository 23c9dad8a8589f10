package binding

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// importPaths finds the files to which the path of an import leads.
type importPaths struct{ *Resolver }

func byPath(r *Resolver) importPaths { return importPaths{r} }

// resolve returns where an import leads; ok is false when that is outside of the workspace.
func (r importPaths) resolve(f *file, to string) (scope, bool) {
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
func (r importPaths) inPackages(p string) (scope, bool) {
	if s, ok := r.suffixed(p, ""); ok {
		return s, true
	}
	return r.packageAt(p)
}

// packageAt returns the folders of a package of Java.
func (r importPaths) packageAt(p string) (scope, bool) {
	s := scope{path: p + "/", pack: true}
	known, ok := r.packaging[p]
	if !ok {
		known = r.paths().anyFolder(func(dir string) bool { return strings.HasPrefix(dir, s.path) || strings.Contains(dir, "/"+s.path) })
		r.packaging[p] = known
	}
	return s, known
}

// foldered returns the longest folder that an import ends in, for a workspace without modules.
func (r importPaths) foldered(to string) (scope, bool) {
	for dir := to; dir != ""; _, dir, _ = strings.Cut(dir, "/") {
		if r.paths().hasFolder(dir + "/") {
			return scope{path: dir + "/", dir: true}, true
		}
	}
	return scope{}, false
}

// dotted returns where an import of Python leads.
func (r importPaths) dotted(f *file, to string) (scope, bool) {
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
func (r importPaths) suffixed(p, given string) (scope, bool) {
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
func (r importPaths) workspacePackages() []workspacePackage {
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
func (r importPaths) hasModules() bool {
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
func (r importPaths) packaged(to, by string) (scope, bool) {
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
