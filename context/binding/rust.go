package binding

import (
	"path"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

// rustModule is a module of Rust: a file, or a part of one.
type rustModule struct {
	file      int
	line, end int // of a part of a file, else -1
}

// rustTarget is what a path of Rust leads to.
type rustTarget struct {
	defs    []indexer.Symbol
	module  *rustModule
	of      rustValue // a type whose member the definitions are, or a type that has no definition
	outside bool      // of a library
}

func (m rustTarget) isNothing() bool {
	return len(m.defs) == 0 && m.module == nil && m.of.kind == unknownRust && !m.outside
}

// rustSearch is the search of a name in a module.
type rustSearch struct {
	module rustModule
	name   string
}

// rust determines what names mean in files of Rust.
type rust struct {
	*Resolver
	above map[int]int // by the file of a module: the file of the one around it, -1 for none
	busy  map[rustSearch]bool
	impls map[at][]rustImpl // by a trait
	types map[[2]int]rustValue
}

func newRust(r *Resolver) *rust {
	return &rust{Resolver: r, above: map[int]int{}, busy: map[rustSearch]bool{}, impls: map[at][]rustImpl{}, types: map[[2]int]rustValue{}}
}

func (r *rust) isRust(d indexer.Symbol) bool { return r.s.Language(d.File) == "rust" }

// meaningInRust returns the definitions that a use in Rust means.
func (r *rust) meaningInRust(f *file, u chunk.NameUse) (defs []indexer.Symbol, open bool) {
	switch {
	case u.Macro:
		return r.the(u.Name, func(d indexer.Symbol) bool { return d.Kind == "macro" && r.isRust(d) }), false
	case u.Member && u.Owner == nil:
		return nil, true
	case u.Path:
		m := r.rustMember(r.path(f, u.Owner, 0), u.Name, 0)
		return withoutMacros(m.defs), m.isNothing()
	case u.Member && !u.Call: // a field
		return nil, false
	case u.Member:
		return inTraits(r).method(r.rustValue(f, u.Owner, 0), u.Name, 0)
	case f.rustVariable(u.Name, u.Start) != nil:
		return nil, false
	}
	return withoutMacros(r.rustName(f, u.Name, u.Start, 0).defs), false
}

// withoutMacros returns those of definitions that can be used by their names alone.
func withoutMacros(defs []indexer.Symbol) []indexer.Symbol {
	return slices.DeleteFunc(slices.Clone(defs), func(d indexer.Symbol) bool { return d.Kind == "macro" })
}

// rustVariable returns the variable that a name is at a byte, nil for none.
func (f *file) rustVariable(name string, at int) (best *chunk.Binding) {
	for i := range f.Bindings {
		b := &f.Bindings[i]
		if b.Name != name || b.IsType || at < b.Start || at >= b.End || at < b.From {
			continue
		}
		if best == nil || b.Start > best.Start || b.Start == best.Start && b.From > best.From {
			best = b
		}
	}
	return best
}

// moduleAt returns the module around a line of a file.
func (f *file) moduleAt(line int) rustModule {
	out := rustModule{f.number, -1, -1}
	for _, d := range f.symbols {
		if d.Line > line {
			break
		}
		if d.Kind == "module" && line <= d.EndLine {
			out.line, out.end = d.Line, d.EndLine
		}
	}
	return out
}

// rustName returns what a name that is no variable is at a byte of a file.
func (r *rust) rustName(f *file, name string, at, depth int) rustTarget {
	if r.steps++; depth > maxDepth || r.steps > maxSteps {
		return rustTarget{}
	}
	line := f.line(max(at, 0))
	m := f.moduleAt(line)
	switch name {
	case "Self":
		return rustTarget{of: r.rustSelf(f, at, depth)}
	case "self":
		return rustTarget{module: &m}
	case "super":
		if up, ok := inModules(r).rustAbove(m); ok {
			return rustTarget{module: &up}
		}
		return rustTarget{}
	case "crate":
		root := rustModule{inModules(r).root(f.number), -1, -1}
		return rustTarget{module: &root}
	}
	if v, ok := r.parameter(f, name, at, depth); ok {
		return rustTarget{of: v}
	}
	var local []indexer.Symbol
	for _, s := range f.symbols {
		if callable(s) && s.Line <= line && line <= s.EndLine {
			local = append(local, r.the(name, func(d indexer.Symbol) bool {
				return d.File == f.number && d.Container == s.Name && s.Line < d.Line && d.EndLine <= s.EndLine
			})...)
		}
	}
	if len(local) > 0 {
		return rustTarget{defs: local}
	}
	if found := r.usedAt(f, m, name, line, depth+1); !found.isNothing() {
		return found
	}
	if found := r.item(m, name, depth+1); !found.isNothing() {
		return found
	}
	if root, ok := inModules(r).rustCrates()[name]; ok {
		if number, ok := r.s.File(root); ok {
			return rustTarget{module: &rustModule{number, -1, -1}}
		}
	}
	return rustTarget{outside: true, of: rustValue{kind: foreignRust, name: name}}
}

// usedAt returns what a name is by the uses in the functions around a line.
func (r *rust) usedAt(f *file, m rustModule, name string, line, depth int) rustTarget {
	search := rustSearch{rustModule{f.number, line, -2}, name}
	if r.busy[search] {
		return rustTarget{}
	}
	r.busy[search] = true
	defer delete(r.busy, search)
	for _, use := range f.Imports {
		if use.Local != name && use.Local != "*" {
			continue
		}
		in, ok := f.symbolAt(use.At)
		if !ok || !callable(in) || line < in.Line || in.EndLine < line {
			continue
		}
		word := use.Name
		if use.Local == "*" {
			word = name
		}
		if found := r.used(f, m, use, word, depth); len(found.defs) > 0 || found.module != nil || use.Local == name && !found.isNothing() {
			return found
		}
	}
	return rustTarget{}
}

// rustDefined returns what a module itself defines by a name: items, or a module below it.
func (r *rust) rustDefined(f *file, m rustModule, name string) (out rustTarget) {
	for _, d := range r.definitions(name) {
		if d.File != m.file || !f.isItem(d, m) {
			continue
		}
		if d.Kind == "module" {
			out.module = &rustModule{d.File, d.Line, d.EndLine}
		} else {
			out.defs = append(out.defs, d)
		}
	}
	if out.module == nil {
		out.module = inModules(r).below(f, m, name)
	}
	return out
}

// item returns what a name is in a module: an item, a module or what it has by a use.
func (r *rust) item(m rustModule, name string, depth int) (out rustTarget) {
	search := rustSearch{m, name}
	if r.steps++; r.busy[search] || depth > maxDepth || r.steps > maxSteps {
		return rustTarget{}
	}
	r.busy[search] = true
	defer delete(r.busy, search)
	f := r.file(m.file)
	if f == nil {
		return rustTarget{}
	}
	out = r.rustDefined(f, m, name)
	if !out.isNothing() && (out.module == nil || len(out.defs) > 0) {
		return out
	}
	for _, use := range f.Imports {
		if use.Local == name && f.moduleAt(f.line(use.At)) == m {
			if found := r.used(f, m, use, use.Name, depth+1); !found.isNothing() && (out.module == nil || len(found.defs) > 0) {
				found.module = cmpModule(found.module, out.module)
				return found
			}
		}
	}
	if out.module != nil {
		return out
	}
	for _, use := range f.Imports {
		if use.Local == "*" && f.moduleAt(f.line(use.At)) == m {
			if found := r.used(f, m, use, name, depth+1); len(found.defs) > 0 || found.module != nil {
				return found
			}
		}
	}
	return rustTarget{}
}

// cmpModule returns the first module that there is.
func cmpModule(a, b *rustModule) *rustModule {
	if a != nil {
		return a
	}
	return b
}

// isItem reports whether a definition in the file is an item of a module itself.
func (f *file) isItem(d indexer.Symbol, m rustModule) bool {
	if m.line < 0 {
		return d.Container == ""
	}
	in := rustModule{f.number, -1, -1}
	name := ""
	for _, s := range f.symbols {
		if s.Kind == "module" && s.Line <= d.Line && d.EndLine <= s.EndLine && s != d {
			in.line, in.end, name = s.Line, s.EndLine, s.Name
		}
	}
	return in == m && d.Container == name
}

// used returns what a name is by the path of a use.
func (r *rust) used(f *file, m rustModule, use chunk.Import, name string, depth int) rustTarget {
	if p, ok := strings.CutPrefix(use.Path, "./"); ok { // the module's own file
		if number, ok := r.s.File(path.Join(folder(f.path), p)); ok {
			return rustTarget{module: &rustModule{number, -1, -1}}
		}
		return rustTarget{}
	}
	var words []string
	if use.Path != "" {
		words = strings.Split(strings.TrimPrefix(use.Path, "::"), "::")
	}
	words = append(words, name)
	found := r.first(f, m, strings.TrimSpace(words[0]), use.At, depth)
	for _, word := range words[1:] {
		found = r.rustMember(found, strings.TrimSpace(word), depth+1)
	}
	return found
}

// first returns what the first name in the path of a use is: a module, or a name of the module
// or, in older code, of the crate, or another crate.
func (r *rust) first(f *file, m rustModule, name string, at, depth int) rustTarget {
	switch name {
	case "crate", "self", "super":
		return r.rustName(f, name, at, depth+1)
	}
	for _, in := range []rustModule{m, {inModules(r).root(f.number), -1, -1}} {
		if found := r.item(in, name, depth+1); !found.isNothing() {
			return found
		}
	}
	if root, ok := inModules(r).rustCrates()[name]; ok {
		if number, ok := r.s.File(root); ok {
			return rustTarget{module: &rustModule{number, -1, -1}}
		}
	}
	return rustTarget{outside: true, of: rustValue{kind: foreignRust, name: name}}
}

// rustMember returns what a name is that follows a path.
func (r *rust) rustMember(found rustTarget, name string, depth int) rustTarget {
	if r.steps++; depth > maxDepth || r.steps > maxSteps {
		return rustTarget{}
	}
	if found.module != nil {
		if in := r.inModule(found, name, depth); !in.isNothing() || name == "super" {
			return in
		}
	}
	if found.outside && isLower(name) && isLower(found.of.name) { // a module of a library
		return rustTarget{outside: true, of: rustValue{kind: foreignRust, name: name}}
	}
	of := found.of
	if of.kind == unknownRust && len(found.defs) > 0 {
		of = r.rustOf(found.defs, depth+1)
	}
	return r.typeMember(of, name, depth)
}

// inModule returns what a name is that follows the path of a module.
func (r *rust) inModule(found rustTarget, name string, depth int) rustTarget {
	switch name {
	case "self":
		return found
	case "super":
		if up, ok := inModules(r).rustAbove(*found.module); ok {
			return rustTarget{module: &up}
		}
		return rustTarget{}
	}
	return r.item(*found.module, name, depth+1)
}

// typeMember returns what a name is that follows the path of a type.
func (r *rust) typeMember(of rustValue, name string, depth int) rustTarget {
	switch of.kind {
	case unknownRust:
		return rustTarget{}
	case foreignRust:
		if !isLower(name) {
			return rustTarget{outside: true, of: rustValue{kind: foreignRust, name: name}}
		}
	case typeRust:
		if of.def.Kind == "enum" {
			if defs := r.the(name, func(d indexer.Symbol) bool { return d.Kind == "const" && within(d, of.def) }); len(defs) > 0 {
				return rustTarget{defs: defs, of: of}
			}
		}
	}
	defs, open := inTraits(r).method(of, name, depth+1)
	if len(defs) == 0 && (of.kind == foreignRust || !open) {
		if t := inTraits(r).associated(of, name, depth+1); t.kind != unknownRust {
			return rustTarget{of: t}
		}
		return rustTarget{outside: !open, of: of}
	}
	return rustTarget{defs: defs, of: of}
}

// isLower reports whether a name is not one of a type.
func isLower(name string) bool { return name == "" || name[0] < 'A' || name[0] > 'Z' }

// within reports whether a definition is in another.
func within(d, of indexer.Symbol) bool {
	return d.File == of.File && d != of && of.Line <= d.Line && d.EndLine <= of.EndLine
}

// path returns what a path in a file leads to.
func (r *rust) path(f *file, e *chunk.Expr, depth int) rustTarget {
	if r.steps++; e == nil || depth > maxDepth || r.steps > maxSteps {
		return rustTarget{}
	}
	switch {
	case e.Op == chunk.OpName && len(e.Args) == 0:
		return r.rustName(f, e.Name, e.At, depth+1)
	case e.Op == chunk.OpMember && e.Path && len(e.Args) == 0:
		return r.rustMember(r.path(f, e.Of, depth+1), e.Name, depth+1)
	case e.Op == chunk.OpAs:
		if v := r.rustType(f, e.Of, nil, depth+1); v.kind == typeRust || v.kind == foreignRust {
			return rustTarget{of: v}
		}
		return rustTarget{of: r.rustType(f, e.Value, nil, depth+1)}
	}
	return rustTarget{of: r.rustType(f, e, nil, depth+1)}
}
