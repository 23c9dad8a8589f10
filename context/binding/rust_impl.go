package binding

import (
	"bytes"
	"slices"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

// rustImpl is an implementation of a trait.
type rustImpl struct {
	f  *file
	at *chunk.ImplOutline
	of rustValue // the type
}

// derefs are the types for which the standard library implements Deref with a type parameter as
// the target, as the documentation of std::ops::Deref lists them, and Pin, whose target is that of
// its parameter. Methods of the target are theirs. A workspace does not have their source.
var derefs = map[string]bool{
	"Arc": true, "AssertUnwindSafe": true, "Box": true, "Cow": true, "LazyCell": true, "LazyLock": true, "ManuallyDrop": true,
	"MutexGuard": true, "PeekMut": true, "Pin": true, "Rc": true, "Ref": true, "RefMut": true, "RwLockReadGuard": true,
	"RwLockWriteGuard": true,
}

// rustTraits determines what types implement, and the methods that they have by it.
type rustTraits struct{ *rust }

func inTraits(r *rust) rustTraits { return rustTraits{r} }

// implType returns the type that an implementation is of.
func (r rustTraits) implType(f *file, impl *chunk.ImplOutline, depth int) rustValue {
	key := [2]int{f.number, impl.Start}
	if v, ok := r.types[key]; ok {
		return v
	}
	r.types[key] = rustValue{} // where it depends on itself
	v := r.rustType(f, impl.Of, nil, depth+1)
	if v.kind == unknownRust && depth > 0 { // it may be known with more steps
		delete(r.types, key)
	} else {
		r.types[key] = v
	}
	return v
}

// home returns the implementation or else the trait that a definition belongs to.
func (r rustTraits) home(d indexer.Symbol) (impl *chunk.ImplOutline, trait indexer.Symbol, ok bool) {
	f := r.file(d.File)
	if f == nil {
		return nil, trait, false
	}
	for i := range f.Impls {
		if m := &f.Impls[i]; f.line(m.Start) <= d.Line && d.EndLine <= f.line(m.End) && (impl == nil || m.Start > impl.Start) {
			impl = m
		}
	}
	if impl != nil {
		return impl, trait, true
	}
	for _, t := range f.symbols {
		if t.Kind == "interface" && within(d, t) && d.Container == t.Name {
			return nil, t, true
		}
	}
	return nil, trait, false
}

// method returns the methods, or other members, of a name that a value has. It is open when
// the syntax does not show them.
func (r rustTraits) method(v rustValue, name string, depth int) (defs []indexer.Symbol, open bool) {
	if r.steps++; depth > maxDepth || r.steps > maxSteps {
		return nil, true
	}
	switch v.kind {
	case unknownRust:
		return nil, true
	case typeRust:
		return r.rustOwn(v, name, depth+1)
	case boundedRust:
		for _, b := range v.bounds {
			if b.kind == typeRust {
				found, unclear := r.method(b, name, depth+1)
				if open = open || unclear; len(found) > 0 {
					return found, false
				}
			}
		}
	case foreignRust:
		if v.name == "" && len(v.args) == 0 {
			return r.forAll(v, name, depth+1), true
		}
		if v.name == "" || derefs[v.name] {
			for _, a := range v.args {
				if v.name == "" && a.kind == foreignRust { // what it was made of may be in a lock or the like
					a.name = ""
				}
				found, unclear := r.method(a, name, depth+1)
				if open = open || unclear; len(found) > 0 {
					return found, false
				}
			}
		}
	}
	if found := r.forAll(v, name, depth+1); len(found) > 0 {
		return found, false
	}
	return nil, open
}

// rustOwn returns the methods of a type or a trait of the workspace.
func (r rustTraits) rustOwn(v rustValue, name string, depth int) (defs []indexer.Symbol, open bool) {
	if v.def.Kind == "interface" {
		if defs := r.ofTrait(v.def, name, depth); len(defs) > 0 {
			return defs, false
		}
		return r.forAll(v, name, depth), false
	}
	isSole := len(r.the(v.def.Name, func(d indexer.Symbol) bool { return isType(d) && r.isRust(d) })) == 1
	var byTrait []indexer.Symbol
	for _, d := range r.definitions(name) {
		if container(d) != v.def.Name || !r.isRust(d) || d.Kind == "macro" || isType(d) {
			continue
		}
		impl, _, ok := r.home(d)
		if !ok || impl == nil {
			continue
		}
		if !isSole {
			if t := r.implType(r.file(d.File), impl, depth); t.kind != typeRust || place(t.def) != place(v.def) {
				continue
			}
		}
		if impl.IsTrait {
			byTrait = append(byTrait, d)
		} else {
			defs = append(defs, d)
		}
	}
	if len(defs) == 0 { // its own methods go before those of traits
		defs = byTrait
	}
	if len(defs) > 0 {
		return defs, false
	}
	if defs := r.forAll(v, name, depth); len(defs) > 0 {
		return defs, false
	}
	if target := r.associated(v, "Target", depth); target.kind != unknownRust {
		return r.method(target, name, depth+1)
	}
	return nil, false
}

// ofTrait returns the members of a trait, or of those above it.
func (r rustTraits) ofTrait(t indexer.Symbol, name string, depth int) []indexer.Symbol {
	own := r.the(name, func(d indexer.Symbol) bool { return d.Container == t.Name && within(d, t) && !isType(d) })
	f := r.file(t.File)
	if len(own) > 0 || f == nil || depth > maxDepth {
		return own
	}
	if o := f.outlineOf(t); o != nil {
		for _, p := range o.Parents {
			if v := r.rustType(f, p, nil, depth+1); v.kind == typeRust && place(v.def) != place(t) {
				if defs := r.ofTrait(v.def, name, depth+1); len(defs) > 0 {
					return defs
				}
			}
		}
	}
	return nil
}

// forAll returns the methods of the traits that a value's type implements without being the
// type of one of its own methods: those with a body, and those that are implemented for all types.
func (r rustTraits) forAll(v rustValue, name string, depth int) (out []indexer.Symbol) {
	for _, d := range r.definitions(name) {
		if !r.isRust(d) || isType(d) || d.Kind == "macro" || d.Container == "" {
			continue
		}
		impl, t, ok := r.home(d)
		if !ok || impl != nil || v.kind == typeRust && place(t) == place(v.def) {
			continue
		}
		if m, ok := r.rustImplements(v, t, depth+1); ok {
			if own := r.rustIn(m, name); len(own) > 0 && v.kind == foreignRust {
				return own
			}
			out = append(out, d)
		}
	}
	return out
}

// rustIn returns the members of a name in an implementation.
func (r rustTraits) rustIn(m rustImpl, name string) []indexer.Symbol {
	if m.f == nil || m.of.kind != foreignRust {
		return nil
	}
	return r.the(name, func(d indexer.Symbol) bool {
		return d.File == m.f.number && m.f.line(m.at.Start) <= d.Line && d.EndLine <= m.f.line(m.at.End)
	})
}

// rustImplements returns the implementation of a trait that a value has.
func (r rustTraits) rustImplements(v rustValue, t indexer.Symbol, depth int) (rustImpl, bool) {
	if r.steps++; depth > maxDepth || r.steps > maxSteps {
		return rustImpl{}, false
	}
	for _, m := range r.rustImpls(t) {
		switch {
		case m.of.kind == boundedRust:
			if v.kind == boundedRust && m.of.name == v.name && len(v.bounds) == 0 || r.fits(v, m.of, depth+1) {
				return m, true
			}
		case m.of.kind == typeRust && v.kind == typeRust && place(m.of.def) == place(v.def):
			return m, true
		case m.of.kind == foreignRust && v.kind == foreignRust && v.name != "" && m.of.name == v.name && v.name != "Literal":
			return m, true
		}
	}
	return rustImpl{}, false
}

// fits reports whether a value's type has all the bounds of a type parameter that are traits of
// the workspace. What the types of libraries implement is not known.
func (r rustTraits) fits(v, parameter rustValue, depth int) bool {
	for _, b := range parameter.bounds {
		if b.kind != typeRust || v.kind == foreignRust {
			continue
		}
		fits := false
		switch v.kind {
		case typeRust:
			fits = place(v.def) == place(b.def) || v.def.Kind == "interface" && r.isAbove(b.def, v.def, depth)
		case boundedRust:
			fits = slices.ContainsFunc(v.bounds, func(own rustValue) bool {
				return own.kind == typeRust && (place(own.def) == place(b.def) || r.isAbove(b.def, own.def, depth))
			})
		}
		if !fits {
			_, fits = r.rustImplements(v, b.def, depth+1)
		}
		if !fits {
			return false
		}
	}
	return true
}

// isAbove reports whether a trait is above another.
func (r rustTraits) isAbove(high, low indexer.Symbol, depth int) bool {
	f := r.file(low.File)
	if f == nil || depth > maxDepth {
		return false
	}
	o := f.outlineOf(low)
	return o != nil && slices.ContainsFunc(o.Parents, func(p *chunk.Expr) bool {
		v := r.rustType(f, p, nil, depth+1)
		return v.kind == typeRust && place(v.def) != place(low) && (place(v.def) == place(high) || r.isAbove(high, v.def, depth+1))
	})
}

// rustImpls returns the implementations of a trait.
func (r rustTraits) rustImpls(t indexer.Symbol) []rustImpl {
	if known, ok := r.impls[place(t)]; ok {
		return known
	}
	r.impls[place(t)] = nil
	steps := r.steps // those of the question under way are for other things
	defer func() { r.steps = steps }()
	var out []rustImpl
	for _, f := range r.filesWith(t) {
		for i := range f.Impls {
			m := &f.Impls[i]
			if m.Trait == nil || m.Trait.Name != t.Name && !f.imports(m.Trait.Name, t.Name) {
				continue
			}
			r.steps = 0
			if v := r.rustType(f, m.Trait, nil, 1); v.kind == typeRust && place(v.def) == place(t) {
				out = append(out, rustImpl{f, m, r.implType(f, m, 0)})
			}
		}
	}
	r.impls[place(t)] = out
	return out
}

// imports reports whether a file has a name as another.
func (f *file) imports(local, name string) bool {
	return slices.ContainsFunc(f.Imports, func(m chunk.Import) bool { return m.Local == local && m.Name == name })
}

// filesWith returns the files that may have an implementation of a trait: those with its name
// before "for", or by another name.
func (r rustTraits) filesWith(t indexer.Symbol) (out []*file) {
	last := -1
	var numbers []int
	r.s.Symbols().Mentions(t.Name, func(c int) bool {
		number := r.s.FileOf(c)
		if number != last && r.s.Path(number) != "" && r.s.Language(number) == "rust" && !slices.Contains(numbers, number) && r.mayImplement(number, t.Name) {
			numbers = append(numbers, number)
		}
		last = number
		return len(numbers) < maxKin
	})
	r.Read(numbers)
	for _, n := range numbers {
		if f := r.files[n]; f != nil {
			out = append(out, f)
		}
	}
	return out
}

// mayImplement reports whether a file has the name of a trait before "for", or another name for it.
func (r *rust) mayImplement(number int, name string) bool {
	text, gate := r.reader.File(number)
	if gate != "" || bytes.Contains(text, []byte(name+" as ")) {
		return gate == ""
	}
	for {
		i := bytes.Index(text, []byte(name))
		if i < 0 {
			return false
		}
		text = text[i+len(name):]
		rest := bytes.TrimLeft(text, " \n\t")
		if bytes.HasPrefix(rest, []byte("<")) {
			depth := 0
			end := bytes.IndexFunc(rest, func(c rune) bool {
				switch c {
				case '<':
					depth++
				case '>':
					depth--
				}
				return depth == 0 || c == '{'
			})
			if end < 0 {
				continue
			}
			rest = bytes.TrimLeft(rest[end+1:], " \n\t")
		}
		if bytes.HasPrefix(rest, []byte("for ")) || bytes.HasPrefix(rest, []byte("for\n")) {
			return true
		}
	}
}

// associated returns a type that the implementations for a value's type choose: those in its
// own file are examined.
func (r rustTraits) associated(v rustValue, name string, depth int) rustValue {
	if r.steps++; v.kind != typeRust || depth > maxDepth || r.steps > maxSteps {
		return rustValue{}
	}
	f := r.file(v.def.File)
	if f == nil {
		return rustValue{}
	}
	for i := range f.Types {
		t := &f.Types[i]
		if t.Name != name || t.Alias == nil {
			continue
		}
		for k := range f.Impls {
			m := &f.Impls[k]
			if m.Start >= t.Start || t.End > m.End {
				continue
			}
			if of := r.implType(f, m, depth); of.kind != typeRust || place(of.def) != place(v.def) {
				continue
			}
			names := rustNames{}
			r.unify(f, m, m.Of, v, names, depth)
			names["Self"] = v
			return r.rustType(f, t.Alias, names, depth+1)
		}
	}
	return rustValue{}
}

// stands reports whether a call of one method of Rust may run another: one of them belongs to a
// trait, the other one to an implementation of it.
func (r rustTraits) stands(called, target indexer.Symbol) bool {
	if called.Name != target.Name {
		return false
	}
	impl, trait, ok := r.home(called)
	other, otherTrait, ok2 := r.home(target)
	switch {
	case !ok || !ok2 || (impl == nil) == (other == nil):
		return false
	case impl == nil:
		return r.implements(r.file(target.File), other, trait)
	}
	return r.implements(r.file(called.File), impl, otherTrait)
}

// implements reports whether an implementation is one of a trait.
func (r rustTraits) implements(f *file, impl *chunk.ImplOutline, t indexer.Symbol) bool {
	if impl.Trait == nil {
		return false
	}
	r.steps = 0
	v := r.rustType(f, impl.Trait, nil, 0)
	return v.kind == typeRust && place(v.def) == place(t)
}

// implementers returns the implementations of a trait, as types at the lines of their heads.
func (r rustTraits) implementers(t indexer.Symbol) (out []indexer.Symbol) {
	for _, m := range r.rustImpls(t) {
		d := indexer.Symbol{Container: t.Name, Kind: "type", File: m.f.number, Path: m.f.path, Line: m.at.Line, EndLine: m.at.Line}
		if m.at.Of != nil {
			d.Name = m.at.Of.Name
		}
		out = append(out, d)
	}
	return out
}
