// Package binding determines which definitions a use of a name means, as far as the syntax of the
// files shows it: by the types of receivers, by imports, by the scopes of packages, types and
// functions, and by what types inherit. It is no compiler: where the syntax does not show it, the
// answer is open.
//
// Files are parsed when they are asked for: the index knows which files have a name.
package binding

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/chunk"
)

// Resolver determines what one name means in the files of a snapshot. Not safe for concurrent use;
// Close frees its C memory. The languages whose rules differ most have types of their own, which
// ask it for everything else.
type Resolver struct {
	s         *indexer.Snapshot
	reader    *indexer.Reader
	name      string
	parsers   []*chunk.Parser // one for each file that is parsed at the same time
	files     map[int]*file
	defined   map[string][]indexer.Symbol
	table     *workspacePaths    // nil until it is asked for
	packages  []workspacePackage // nil until they are read
	crates    map[string]string  // roots of the libraries of Rust by name, read with packages
	entered   map[scope][]string
	packaging map[string]bool // by a path of packages of Java: whether folders have it
	methods   map[at][]indexer.Symbol
	kin       map[[2]at]bool
	steps     int // of the question under way

	c      *cFamily
	csharp *csharp
	rust   *rust
}

// at identifies a definition.
type at struct{ file, line int }

func place(d indexer.Symbol) at { return at{d.File, d.Line} }

// file is a parsed file.
type file struct {
	*chunk.Outline
	number         int
	path, language string
	symbols        []indexer.Symbol
	text           []byte
	starts         []int // of lines, as bytes
}

const (
	maxSteps       = 4000 // expressions that are followed for one use
	maxDepth       = 24   // of expressions that depend on each other
	maxDefinitions = 512  // of one name that are considered
)

// New returns a resolver for the uses of a name.
func New(s *indexer.Snapshot, reader *indexer.Reader, name string) *Resolver {
	r := &Resolver{
		s: s, reader: reader, name: name, files: map[int]*file{}, defined: map[string][]indexer.Symbol{}, methods: map[at][]indexer.Symbol{},
		kin: map[[2]at]bool{}, entered: map[scope][]string{}, packaging: map[string]bool{},
	}
	r.c, r.rust, r.csharp = &cFamily{Resolver: r, locals: map[at]bool{}}, newRust(r), newCSharp(r)
	return r
}

// Stands reports whether a call of one method of Rust may run another: one of them belongs to a
// trait that the other's type implements.
func (r *Resolver) Stands(called, target indexer.Symbol) bool {
	return inTraits(r.rust).stands(called, target)
}

// Close frees the parsers.
func (r *Resolver) Close() {
	for _, p := range r.parsers {
		p.Close()
	}
	r.parsers = nil
}

// Read parses files at once, on all processors. Those that are asked for without it are parsed one
// at a time.
func (r *Resolver) Read(numbers []int) {
	var list []*file
	for _, n := range numbers {
		if _, ok := r.files[n]; ok {
			continue
		}
		r.files[n] = nil
		if f := r.unparsed(n); f != nil {
			list = append(list, f)
		}
	}
	workers := min(len(list), runtime.GOMAXPROCS(0))
	for len(r.parsers) < workers {
		r.parsers = append(r.parsers, chunk.NewParser(chunk.Options{}))
	}
	var group sync.WaitGroup
	var next atomic.Int64
	for _, parser := range r.parsers[:workers] {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(list); i = int(next.Add(1)) - 1 {
				list[i].parse(parser, r.name)
			}
		})
	}
	group.Wait()
	for _, f := range list {
		if f.Outline != nil {
			r.files[f.number] = f
		}
	}
}

// file returns a parsed file, nil for one whose language is not understood, or that cannot be read.
func (r *Resolver) file(number int) *file {
	f, ok := r.files[number]
	if !ok {
		r.Read([]int{number})
		f = r.files[number]
	}
	return f
}

// unparsed returns a file with its text, nil for one whose language is not understood, or that
// cannot be read.
func (r *Resolver) unparsed(number int) *file {
	language := r.s.Language(number)
	if !chunk.Typed(language) {
		return nil
	}
	text, gate := r.reader.File(number)
	if gate != "" {
		return nil
	}
	return &file{number: number, path: r.s.Path(number), language: language, symbols: r.s.Symbols().InFile(number), text: text}
}

// parse sets the outline of a file, for the uses of a name.
func (f *file) parse(parser *chunk.Parser, name string) {
	text, blank := f.text, []chunk.Span(nil)
	if chunk.DeclaresResults(f.language) {
		text, blank = f.withoutBodies(name)
	}
	f.Outline = parser.Outline(f.path, text, name, blank)
}

// withoutBodies returns the text with blanks for the bodies of functions that do not have the name,
// where these show nothing of types to others, and where these are: parsing takes most of the time
// of an answer.
func (f *file) withoutBodies(name string) (out []byte, blank []chunk.Span) {
	f.line(0)
	out = bytes.Clone(f.text)
	for _, d := range f.symbols {
		if !callable(d) || d.Kind == "macro" || d.EndLine >= len(f.starts) {
			continue
		}
		open := afterBrace(f.text[f.starts[d.Line]:f.starts[d.EndLine]])
		if open < 0 {
			continue
		}
		from, to := f.starts[d.Line]+open, f.starts[d.EndLine]
		if last := len(blank) - 1; last >= 0 && from < blank[last].End {
			continue // of a function in another
		}
		body := out[from:to]
		if bytes.Contains(body, []byte(name)) || bytes.Count(body, []byte("{")) != bytes.Count(body, []byte("}")) { // it does not end there
			continue
		}
		for i, b := range body {
			if b != '\n' {
				body[i] = ' '
			}
		}
		blank = append(blank, chunk.Span{Start: from, End: to})
	}
	return out, blank
}

// afterBrace returns the index after the first brace that ends a line, -1 for none.
func afterBrace(text []byte) int {
	at := 0
	for line := range bytes.Lines(text) {
		if code := bytes.TrimRight(line, " \t\r\n"); bytes.HasSuffix(code, []byte("{")) {
			return at + len(code)
		}
		at += len(line)
	}
	return -1
}

// Use is a use of the name.
type Use struct {
	chunk.NameUse
	// Defs are the definitions that it means; none when it means something that the workspace does
	// not define as a symbol.
	Defs []indexer.Symbol
	// Open is true when the syntax does not show what it means.
	Open bool
}

// Uses returns the uses of the name in a file; ok is false when its language is not understood, or
// it does not parse.
func (r *Resolver) Uses(number int) (uses []Use, ok bool) {
	f := r.file(number)
	if f == nil {
		return nil, false
	}
	for _, u := range f.Uses {
		r.steps = 0
		defs, open := r.meaning(f, u)
		if f.language == "csharp" {
			uses = append(uses, Use{NameUse: u, Defs: defs, Open: open})
			continue
		}
		if u.Call && len(defs) == 1 && isType(defs[0]) {
			defs = append(defs, r.own(defs[0], defs[0].Name)...) // its constructors
		}
		uses = append(uses, Use{NameUse: u, Defs: r.taking(defs, u.Args), Open: open})
	}
	return uses, true
}

// taking returns those of several functions that take a number of arguments, all for -1.
func (r *Resolver) taking(defs []indexer.Symbol, args int) []indexer.Symbol {
	if args < 0 || len(defs) < 2 {
		return defs
	}
	var out []indexer.Symbol
	for _, d := range defs {
		f := r.file(d.File)
		if f == nil {
			return defs
		}
		if o := f.funcOf(d); o == nil || o.Params == args || o.Variadic && args >= o.Params-1 {
			out = append(out, d)
		}
	}
	if len(out) == 0 {
		return defs
	}
	return out
}

// Mentions returns the lines of a file's comments and strings that have the name.
func (r *Resolver) Mentions(number int) []int {
	if f := r.file(number); f != nil {
		return f.Outline.Mentions
	}
	return nil
}

// meaning returns the definitions that a use means.
func (r *Resolver) meaning(f *file, u chunk.NameUse) (defs []indexer.Symbol, open bool) {
	switch {
	case u.Declares:
		return nil, false
	case isC(f.language):
		return r.c.meaningInC(f, u)
	case f.language == "rust":
		return r.rust.meaningInRust(f, u)
	case f.language == "csharp":
		return r.csharp.meaningInCSharp(f, u)
	case u.Member && u.Owner == nil:
		return nil, true
	case u.Member:
		m := r.member(r.value(f, u.Owner, 0), u.Name, 0)
		return m.defs, m.open
	}
	if b := f.bound(u.Name, u.Start); b != nil && !(u.Call && f.language == "java") { // where a variable and a method may have one name
		return r.boundTo(f, b)
	}
	m := inScope(r).named(f, u.Name, u.Start, 0)
	return m.defs, m.open
}

// boundTo returns the definitions that a variable of the name is: a function, or the member that it
// was set to.
func (r *Resolver) boundTo(f *file, b *chunk.Binding) (defs []indexer.Symbol, open bool) {
	if b.Value != nil && b.Value.Op == chunk.OpMember && b.Value.Name == r.name {
		m := r.member(r.value(f, b.Value.Of, 0), r.name, 0)
		return m.defs, m.open
	}
	line := f.line(max(b.From-1, 0))
	return r.the(r.name, func(d indexer.Symbol) bool {
		return d.File == f.number && d.Line <= line && line <= d.EndLine && (callable(d) || isType(d))
	}), false
}

// bound returns the variable that a name is at a byte, nil for none.
func (f *file) bound(name string, at int) *chunk.Binding {
	var best *chunk.Binding
	for i := range f.Bindings {
		b := &f.Bindings[i]
		if b.Name != name || at < b.Start || at >= b.End {
			continue
		}
		switch {
		case best == nil, at >= b.From && best.From > at:
			best = b
		case at < b.From && best.From <= at:
		case b.Start > best.Start, b.Start == best.Start && b.From > best.From && (b.Type != nil || b.Value != nil || best.Type == nil && best.Value == nil):
			best = b
		}
	}
	return best
}

// symbolAt returns the innermost function or type around a byte.
func (f *file) symbolAt(at int) (in indexer.Symbol, ok bool) {
	line := f.line(at)
	for _, d := range f.symbols {
		if d.Line > line {
			break
		}
		if line <= d.EndLine && (callable(d) || isType(d)) {
			in, ok = d, true
		}
	}
	return in, ok
}

// line returns the line of a byte.
func (f *file) line(at int) int {
	if f.starts == nil {
		f.starts = []int{0}
		for i, b := range f.text {
			if b == '\n' {
				f.starts = append(f.starts, i+1)
			}
		}
	}
	n, exact := slices.BinarySearch(f.starts, at)
	if exact {
		return n
	}
	return n - 1
}

// definitions returns the definitions of a name that code in a language may mean.
func (r *Resolver) definitions(name string) []indexer.Symbol {
	list, ok := r.defined[name]
	if !ok {
		list = r.s.Symbols().Definitions(name, maxDefinitions)
		r.defined[name] = list
	}
	return list
}

// the returns the definitions of a name that fit.
func (r *Resolver) the(name string, fits func(d indexer.Symbol) bool) (out []indexer.Symbol) {
	for _, d := range r.definitions(name) {
		if fits(d) {
			out = append(out, d)
		}
	}
	return out
}

var (
	typeKinds     = []string{"class", "struct", "interface", "type", "enum", "trait"}
	callableKinds = []string{"function", "method", "constructor", "macro", "rpc"}
)

func isType(d indexer.Symbol) bool   { return slices.Contains(typeKinds, d.Kind) }
func callable(d indexer.Symbol) bool { return slices.Contains(callableKinds, d.Kind) }

// container returns the name of the type that a definition belongs to.
func container(d indexer.Symbol) string { return strings.TrimLeft(d.Container, "*&") }

func folder(p string) string { return p[:strings.LastIndexByte(p, '/')+1] }

// families are groups of languages whose code refers to each other.
var families = [][]string{{"javascript", "typescript", "tsx", "jsx"}, {"c", "cpp", "objc"}}

func related(a, b string) bool {
	return a == b || slices.ContainsFunc(families, func(f []string) bool { return slices.Contains(f, a) && slices.Contains(f, b) })
}
