package chunk

import (
	"strings"
	"sync"
)

// A spec describes, in the grammar's terms, a language's definitions, references and comments. It
// is data; what data cannot express is in the few hooks.
//
// A path leads from a node to one below it: alternatives separated by blanks, each the name of a
// field or, after a dot, the type of a child. The step is repeated by spec.toward until a node of
// spec.names is reached.
type spec struct {
	defs   map[string]definition
	toward map[string]string                   // by type: the next path toward the name
	names  []string                            // types of nodes that are names
	calls  map[string]string                   // by type: path to what is called or instantiated
	types  []string                            // types of leaves that name a type in any position
	fields []string                            // fields in which a name is a type
	uses   []string                            // types of nodes whose children are references: decorators, superclasses
	visit  map[string]func(*extractor, uint32) // run at nodes of a type: imports, docstrings
	scopes map[string]string                   // nodes that are not definitions but contain some: path to the name
	tails  map[string]string                   // by type: the type of the sibling behind it that belongs to it
	// comments are types of comments; those before a definition, without a blank line, belong to
	// it, and so do nodes of the types in lead.
	comments, lead []string
	strings        []string // literals that are not searched
	tokens         []string // unnamed nodes that some hook examines
	builtins       string   // predeclared names that are not references, separated by blanks
	doc            func(*extractor) Span
	arrange        func(*tree) // moves nodes that belong together, before the first is visited
	typing         *typing     // nil: outlines do not show the types of names
}

// definition is a node that defines a name.
type definition struct {
	kind string
	name string // path to the name; "" for spec.toward alone
	// member is the kind directly inside a class, if different.
	member string
	in     string // type of the parent that it must have; "" = any
	scope  bool   // names defined inside belong to it
	outer  bool   // not a symbol inside a function
	title  string
	// refine completes the symbol, or rejects it.
	refine func(x *extractor, i uint32, s *Symbol) bool
}

// language is a spec compiled for a grammar. Immutable, shared by all parsers.
type language struct {
	name      string
	spec      *spec
	grammar   *grammar
	keep      []uint8
	role      []role // by symbol
	def       []*definition
	toward    []route
	calls     []route
	scopes    []route
	defName   []route
	visit     []func(*extractor, uint32)
	tails     map[uint16]uint16 // by symbol: see spec.tails
	builtin   map[string]bool
	fieldID   map[string]uint16
	typeField []bool // by field id
}

// role is a set of bits: the extractor's actions at a node of some symbol.
type role uint16

const (
	roleDef role = 1 << iota
	roleName
	roleCall
	roleType
	roleUses
	roleVisit
	roleScope
	roleComment
	roleLead
)

// route is a compiled path: alternatives, in order.
type route []step

type step struct {
	field  uint16 // 0: by type
	symbol string
}

var compiled struct {
	sync.Mutex // guards the map; a language is compiled under it, once
	languages  map[string]*language
}

// languageOf returns the compiled language, nil when there is no grammar for it.
func languageOf(name string) *language {
	compiled.Lock()
	defer compiled.Unlock()
	if l, ok := compiled.languages[name]; ok {
		return l
	}
	if compiled.languages == nil {
		compiled.languages = map[string]*language{}
	}
	l := compile(name)
	compiled.languages[name] = l
	return l
}

func compile(name string) *language {
	s := specs[name]
	if name == ocamlInterface {
		s = &ocamlSpec
	}
	g := grammarOf(name)
	if s == nil || g == nil {
		return nil
	}
	n := len(g.names)
	l := &language{
		name: name, spec: s, grammar: g,
		keep: make([]uint8, n), role: make([]role, n), def: make([]*definition, n),
		toward: make([]route, n), calls: make([]route, n), scopes: make([]route, n), defName: make([]route, n),
		visit:   make([]func(*extractor, uint32), n),
		builtin: map[string]bool{}, fieldID: map[string]uint16{}, tails: map[uint16]uint16{},
	}
	for id, field := range g.fields {
		l.fieldID[field] = uint16(id)
	}
	l.typeField = make([]bool, len(g.fields))
	for _, field := range s.fields {
		if id := l.fieldID[field]; id != 0 {
			l.typeField[id] = true
		}
	}
	for _, word := range strings.Fields(s.builtins) {
		l.builtin[word] = true
	}
	for symbol := range n {
		if g.named[symbol] {
			l.keep[symbol] = flatKeep
			l.rules(s, symbol)
		}
	}
	for head, tail := range s.tails {
		l.mark([]string{head}, func(h int) {
			l.mark([]string{tail}, func(t int) { l.tails[uint16(h)] = uint16(t) })
		})
	}
	l.mark(s.strings, func(i int) { l.keep[i] = flatLeaf })
	l.markTokens(s.tokens)
	return l
}

// rules compiles what the spec says about one symbol.
func (l *language) rules(s *spec, symbol int) {
	name := l.grammar.names[symbol]
	if d, ok := s.defs[name]; ok {
		l.def[symbol], l.role[symbol] = &d, l.role[symbol]|roleDef
		l.defName[symbol] = l.route(d.name)
	}
	if p, ok := s.toward[name]; ok {
		l.toward[symbol] = l.route(p)
	}
	if p, ok := s.calls[name]; ok {
		l.calls[symbol], l.role[symbol] = l.route(p), l.role[symbol]|roleCall
	}
	if p, ok := s.scopes[name]; ok {
		l.scopes[symbol], l.role[symbol] = l.route(p), l.role[symbol]|roleScope
	}
	if f, ok := s.visit[name]; ok {
		l.visit[symbol], l.role[symbol] = f, l.role[symbol]|roleVisit
	}
	for _, list := range []struct {
		types []string
		role  role
	}{{s.names, roleName}, {s.types, roleType}, {s.uses, roleUses}, {s.comments, roleComment | roleLead}, {s.lead, roleLead}} {
		for _, t := range list.types {
			if t == name {
				l.role[symbol] |= list.role
			}
		}
	}
}

func (l *language) mark(types []string, set func(symbol int)) {
	for _, t := range types {
		for symbol, name := range l.grammar.names {
			if name == t && l.grammar.named[symbol] {
				set(symbol)
			}
		}
	}
}

func (l *language) markTokens(tokens []string) {
	for _, t := range tokens {
		for symbol, name := range l.grammar.names {
			if name == t && !l.grammar.named[symbol] {
				l.keep[symbol] = flatKeep
			}
		}
	}
}

func (l *language) route(text string) route {
	var p route
	for _, word := range strings.Fields(text) {
		if t, ok := strings.CutPrefix(word, "."); ok {
			p = append(p, step{symbol: t})
		} else if id := l.fieldID[word]; id != 0 {
			p = append(p, step{field: id})
		}
	}
	return p
}

// join puts the siblings that spec.tails names below the nodes that they belong to.
func (l *language) join(nodes []node) {
	if len(l.tails) == 0 {
		return
	}
	for i := range uint32(len(nodes)) {
		head := &nodes[i]
		k := head.next
		if tail, ok := l.tails[head.symbol]; ok && i > 0 && k < nodes[head.parent].next && nodes[k].symbol == tail {
			head.end, head.next, nodes[k].parent = nodes[k].end, nodes[k].next, i
		}
	}
}
