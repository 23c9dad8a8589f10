package binding

import (
	"bytes"
	"path"
	"strings"
)

// rustFolder returns the folders in which the files of the modules below a file are.
func rustFolder(p string) []string {
	dir, stem := folder(p), strings.TrimSuffix(path.Base(p), ".rs")
	if stem == "mod" || stem == "lib" || stem == "main" {
		return []string{dir}
	}
	return []string{dir + stem + "/", dir} // the root of a crate may have any name
}

// rustModules finds modules and the files that have them.
type rustModules struct{ *rust }

func inModules(r *rust) rustModules { return rustModules{r} }

// below returns the module in a file of its own that a module has below itself, nil for none.
func (r rustModules) below(f *file, m rustModule, name string) *rustModule {
	inside := ""
	for _, s := range f.symbols {
		if s.Kind == "module" && m.line >= 0 && s.Line <= m.line && m.end <= s.EndLine {
			inside += s.Name + "/"
		}
	}
	for _, dir := range rustFolder(f.path) {
		for _, p := range []string{dir + inside + name + ".rs", dir + inside + name + "/mod.rs"} {
			if number, ok := r.s.File(p); ok && number != f.number && r.parent(number) == f.number {
				return &rustModule{number, -1, -1}
			}
		}
	}
	return nil
}

// rustAbove returns the module around another.
func (r rustModules) rustAbove(m rustModule) (rustModule, bool) {
	if m.line < 0 {
		up := r.parent(m.file)
		return rustModule{up, -1, -1}, up >= 0
	}
	f := r.file(m.file)
	if f == nil {
		return m, false
	}
	out := rustModule{m.file, -1, -1}
	for _, s := range f.symbols {
		if s.Kind == "module" && s.Line <= m.line && m.end <= s.EndLine && (s.Line != m.line || s.EndLine != m.end) {
			out.line, out.end = s.Line, s.EndLine
		}
	}
	return out, true
}

// parent returns the file with the module around that of a file, -1 for the root of a crate.
func (r rustModules) parent(number int) int {
	if up, ok := r.above[number]; ok {
		return up
	}
	r.above[number] = r.findParent(number)
	return r.above[number]
}

func (r rustModules) findParent(number int) int {
	p := r.s.Path(number)
	dir, stem := folder(p), strings.TrimSuffix(path.Base(p), ".rs")
	if stem == "mod" {
		dir, stem = folder(strings.TrimSuffix(dir, "/")), path.Base(dir)
	}
	if stem == "lib" || stem == "main" {
		return -1
	}
	usual := []string{dir + "mod.rs", dir + "lib.rs", dir + "main.rs", strings.TrimSuffix(dir, "/") + ".rs"}
	var near []int
	for _, candidate := range usual {
		if n, ok := r.s.File(candidate); ok && n != number {
			near = append(near, n)
		}
	}
	for _, n := range near {
		if r.declaresModule(n, stem) {
			return n
		}
	}
	if len(near) > 0 { // by a macro, or under another name
		return near[0]
	}
	for _, m := range r.paths().in(dir) { // the root of a crate may have any name
		if n, ok := r.s.File(m.path); ok && n != number && r.s.Language(n) == "rust" && r.declaresModule(n, stem) {
			return n
		}
	}
	return -1
}

// declaresModule reports whether a file has a module in another file.
func (r rustModules) declaresModule(number int, name string) bool {
	text, gate := r.reader.File(number)
	if gate != "" {
		return false
	}
	declaration := []byte("mod " + name)
	for at := bytes.Index(text, declaration); at >= 0; {
		rest := bytes.TrimLeft(text[at+len(declaration):], " \n\t")
		if bytes.HasPrefix(rest, []byte(";")) {
			return true
		}
		next := bytes.Index(text[at+1:], declaration)
		if next < 0 {
			return false
		}
		at += 1 + next
	}
	return false
}

// root returns the file with the root of a file's crate.
func (r rustModules) root(number int) int {
	for range maxDepth {
		up := r.parent(number)
		if up < 0 {
			break
		}
		number = up
	}
	return number
}

// rustCrates returns the paths of the roots of the workspace's libraries by their names.
func (r rustModules) rustCrates() map[string]string {
	byPath(r.Resolver).workspacePackages()
	return r.crates
}

// cargoLibrary returns the library that a package of Rust has.
func cargoLibrary(text []byte) declaredPackage {
	section := ""
	out := declaredPackage{root: "src/lib.rs"}
	for line := range bytes.Lines(text) {
		line := strings.TrimSpace(string(line))
		if strings.HasPrefix(line, "[") {
			section = line
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		value = strings.Trim(strings.TrimSpace(value), `"`)
		switch key = strings.TrimSpace(key); {
		case !ok:
		case key == "name" && (section == "[package]" && out.name == "" || section == "[lib]"):
			out.name = value
		case key == "path" && section == "[lib]":
			out.root = value
		}
	}
	return out
}
