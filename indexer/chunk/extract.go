package chunk

import (
	"fmt"
	"iter"
	"sort"
	"strings"
)

// extractor collects a file's definitions, references, imports and comments in
// one pass over its flat tree.
type extractor struct {
	tree
	file *File

	open    []scope
	pending []uint32 // name nodes of definitions just seen: not references
	refs    map[string]int
	// defNodes[i] is the node of file.Symbols[i]; strictly increasing except for a node that
	// defines several names.
	defNodes []uint32
	// nameEnds[i] is where the name of file.Symbols[i] ends.
	nameEnds []uint32
	nameEnd  uint32 // of the symbol being defined; a refine hook may move it
	errors   int    // number of unparsed bytes
	defined  int    // bytes of definitions
}

// scope is a node on the path from the root whose name qualifies others.
type scope struct {
	end  uint32 // node index after it
	name string
	kind scopeKind
}

type scopeKind uint8

const (
	inType scopeKind = iota
	inFunction
	inModule // namespaces: their functions are not methods
)

func scopeOf(kind string) scopeKind {
	switch {
	case isFunction(kind):
		return inFunction
	case kind == "module":
		return inModule
	}
	return inType
}

// maxWords bounds the table of names that are shared between files.
const maxWords = 1 << 16

func (x *extractor) run(l *language, nodes []node, src []byte, lines *lines, file *File) {
	if x.refs == nil {
		x.refs = map[string]int{}
		x.words = map[string]string{}
	}
	if len(x.words) > maxWords {
		clear(x.words)
	}
	clear(x.refs)
	x.language, x.nodes, x.src, x.lines, x.file = l, nodes, src, lines, file
	x.open, x.pending, x.defNodes, x.nameEnds = x.open[:0], x.pending[:0], x.defNodes[:0], x.nameEnds[:0]
	x.errors = 0
	if l.spec.arrange != nil {
		l.spec.arrange(&x.tree)
	}
	x.walk()
	x.finishComments()
	x.countErrors()
	x.recover()
	if l.spec.doc != nil {
		file.Doc = l.spec.doc(x)
	} else {
		file.Doc = x.topComment()
	}
	x.finishRefs()
}

// walk visits the nodes in document order and applies the spec's rules for their types.
func (x *extractor) walk() {
	roles := x.role
	for i := range uint32(len(x.nodes)) {
		n := &x.nodes[i]
		if n.symbol == errorSymbol {
			continue
		}
		r := roles[n.symbol]
		if r == 0 || n.start == n.end {
			continue
		}
		for len(x.open) > 0 && x.open[len(x.open)-1].end <= i {
			x.open = x.open[:len(x.open)-1]
		}
		if r&roleComment != 0 {
			x.file.Comments = append(x.file.Comments, Span{int(n.start), int(n.end)})
		}
		if r&roleDef != 0 {
			x.define(i, x.def[n.symbol])
		}
		if r&roleScope != 0 {
			if at, ok := x.follow(i, x.scopes[n.symbol]); ok {
				x.open = append(x.open, scope{end: n.next, name: x.word(at)})
			}
		}
		if r&roleVisit != 0 {
			x.visit[n.symbol](x, i)
		}
		if r&roleCall != 0 {
			x.call(i)
		}
		if r&roleUses != 0 {
			x.uses(i)
		}
		if (r&roleType != 0 || r&roleName != 0 && x.typeField[n.field]) && !x.isPending(i) {
			x.refer(i)
		}
	}
}

// call counts the callee of node i as a reference. Types are counted where they are visited.
func (x *extractor) call(i uint32) {
	if at, ok := x.follow(i, x.calls[x.nodes[i].symbol]); ok && !x.isType(at) && !x.isPending(at) {
		x.refer(at)
	}
}

// uses counts the names among the children of node i as references.
func (x *extractor) uses(i uint32) {
	for c := range x.children(i) {
		if at, ok := x.resolve(c); ok && !x.isType(at) {
			x.refer(at)
		}
	}
}

// define adds the symbol that node i defines, if any, and opens its scope.
func (x *extractor) define(i uint32, d *definition) {
	n := &x.nodes[i]
	if d.in != "" && x.typeOf(n.parent) != d.in || d.outer && x.insideFunction() {
		return
	}
	s := Symbol{Kind: d.kind, Start: int(n.start), End: int(n.end)}
	x.nameEnd = n.start
	pending := len(x.pending)
	if at, ok := x.follow(i, x.defName[n.symbol]); ok {
		s.Name = x.word(at)
		x.nameEnd = x.nodes[at].end
		x.pending = append(x.pending, at)
	}
	if top := len(x.open); top > 0 {
		s.Container = x.open[top-1].name
		if d.member != "" && x.open[top-1].kind == inType {
			s.Kind = d.member
		}
	}
	if d.refine != nil && !d.refine(x, i, &s) || s.Name == "" || s.Name == "_" {
		x.pending = x.pending[:pending] // a mention, such as struct dict *d, is a reference
		return
	}
	if kind := scopeOf(s.Kind); d.scope || kind == inFunction {
		x.open = append(x.open, scope{end: n.next, name: s.Name, kind: kind})
	}
	x.add(i, s, x.nameEnd)
}

// add appends a symbol whose Name, Kind, Container, Start and End are known, unless the name is
// empty.
func (x *extractor) add(i uint32, s Symbol, nameEnd uint32) {
	if s.Name == "" {
		return
	}
	for s.End > s.Start && isBlank(x.src[s.End-1]) {
		s.End--
	}
	for s.Start < s.End && isBlank(x.src[s.Start]) {
		s.Start++
	}
	s.Line, s.EndLine = x.lines.of(s.Start), x.lines.of(max(s.End-1, s.Start))
	x.file.Symbols = append(x.file.Symbols, s)
	x.defNodes = append(x.defNodes, i)
	x.nameEnds = append(x.nameEnds, nameEnd)
}

func isFunction(kind string) bool {
	return kind == "function" || kind == "method" || kind == "macro"
}

func (x *extractor) insideFunction() bool {
	for _, s := range x.open {
		if s.kind == inFunction {
			return true
		}
	}
	return false
}

// isPending reports whether node i is the name of a definition, and removes it and those before it
// from pending.
func (x *extractor) isPending(i uint32) bool {
	for k, at := range x.pending {
		if at == i {
			x.pending = append(x.pending[:k], x.pending[k+1:]...)
			return true
		}
	}
	if len(x.pending) > 16 {
		x.pending = append(x.pending[:0], x.pending[8:]...)
	}
	return false
}

// refer counts node i as a reference.
func (x *extractor) refer(i uint32) { x.referText(x.text(i)) }

func (x *extractor) referText(text []byte) {
	if len(text) < 2 || len(text) > maxName || x.builtin[string(text)] {
		return
	}
	if _, ok := x.refs[string(text)]; ok {
		x.refs[string(text)]++
		return
	}
	if w := x.intern(text); w != "" {
		x.refs[w]++
	}
}

// importing adds a module, package or file as written in the source.
func (x *extractor) importing(text []byte) {
	text = trimBlank(text)
	if len(text) == 0 || len(text) > 2*maxName {
		return
	}
	x.file.Imports = append(x.file.Imports, strings.ToValidUTF8(string(text), ""))
}

func (x *extractor) finishRefs() {
	if len(x.refs) > 0 {
		x.file.Refs = make([]Ref, 0, len(x.refs))
		for name, count := range x.refs {
			x.file.Refs = append(x.file.Refs, Ref{name, count})
		}
		sort.Slice(x.file.Refs, func(a, b int) bool { return x.file.Refs[a].Name < x.file.Refs[b].Name })
	}
	seen := x.file.Imports[:0]
	for _, name := range x.file.Imports {
		if !contains(seen, name) {
			seen = append(seen, name)
		}
	}
	x.file.Imports = seen
}

func contains(list []string, name string) bool {
	for _, s := range list {
		if s == name {
			return true
		}
	}
	return false
}

// finishComments sorts the comments and joins those that overlap.
func (x *extractor) finishComments() {
	all := x.file.Comments
	sort.SliceStable(all, func(a, b int) bool { return all[a].Start < all[b].Start })
	kept := all[:0]
	for _, c := range all {
		if k := len(kept); k > 0 && c.Start < kept[k-1].End {
			kept[k-1].End = max(kept[k-1].End, c.End)
		} else if c.End > c.Start {
			kept = append(kept, c)
		}
	}
	x.file.Comments = kept
}

// countErrors lists the regions that did not parse, without the definitions that were found inside
// them, and sums their bytes and those of all definitions.
func (x *extractor) countErrors() {
	x.errors, x.defined = 0, 0
	for i := uint32(0); i < uint32(len(x.nodes)); {
		n := &x.nodes[i]
		if n.symbol != errorSymbol {
			i++
			continue
		}
		at := int(n.start)
		for s := range x.definitions(i, n.next) {
			x.unparsed(at, min(s.Start, int(n.end)))
			at = max(at, s.End)
		}
		x.unparsed(at, int(n.end))
		i = n.next
	}
	if x.errors > 0 {
		for s := range x.definitions(0, uint32(len(x.nodes))) {
			x.defined += s.End - s.Start
		}
	}
}

// unparsed adds a region that did not parse, unless it is empty.
func (x *extractor) unparsed(start, end int) {
	if k := len(x.file.Unparsed); k > 0 {
		start = max(start, x.file.Unparsed[k-1].End)
	}
	if start < end {
		x.file.Unparsed = append(x.file.Unparsed, Span{start, end})
		x.errors += end - start
	}
}

// definitions yields the outermost definitions whose nodes are in [from, to).
func (x *extractor) definitions(from, to uint32) iter.Seq[Symbol] {
	return func(yield func(Symbol) bool) {
		last := 0
		k := sort.Search(len(x.defNodes), func(k int) bool { return x.defNodes[k] >= from })
		for ; k < len(x.defNodes) && x.defNodes[k] < to; k++ {
			if s := x.file.Symbols[k]; s.Start >= last {
				if !yield(s) {
					return
				}
				last = s.End
			}
		}
	}
}

// The syntax is discarded when more than maxErrors percent of a file did not parse and less than
// minDefined percent of it are definitions.
const (
	maxErrors  = 60
	minDefined = 10
)

func (x *extractor) problem() string {
	if x.errors*100 > len(x.src)*maxErrors && x.defined*100 < len(x.src)*minDefined {
		return fmt.Sprintf("syntax errors in %d %% of the file", x.errors*100/len(x.src))
	}
	return ""
}
