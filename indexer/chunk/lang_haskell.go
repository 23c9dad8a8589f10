package chunk

import "bytes"

// haskellSpec applies to the tree that haskellTree makes. A grammar would be four times as large as
// any other here, and the layout of Haskell's declarations is enough: they begin in the first
// column, and their parts further right.
var haskellSpec = spec{
	defs: map[string]definition{
		"function":    {kind: "function", member: "method", name: "name", refine: haskellNames},
		"type":        {kind: "type", name: "name", scope: true},
		"class":       {kind: "interface", name: "name", scope: true},
		"constructor": {kind: "const", name: "name"},
	},
	scopes: map[string]string{"instance": "name"},
	names:  []string{"name"},
	types:  []string{"type_name"},
	visit: map[string]func(*extractor, uint32){
		"module":    func(x *extractor, i uint32) { x.importing(x.text(i)) },
		"reference": (*extractor).refer,
	},
	comments: []string{"comment"},
	lead:     []string{"pragma"},
	builtins: "Int Integer Bool String Char Double Maybe Either Just Nothing Left Right True False IO",
}

// The types of nodes in a tree of Haskell; the index is the symbol.
const (
	hsSource = iota
	hsComment
	hsPragma
	hsHeader // module … where
	hsImport
	hsModule // the name in an import
	hsFunction
	hsClause
	hsType
	hsClass
	hsInstance
	hsConstructor
	hsName
	hsTypeName
	hsReference
	hsOther
)

var hsNames = []string{
	hsSource: "source", hsComment: "comment", hsPragma: "pragma", hsHeader: "header", hsImport: "import", hsModule: "module",
	hsFunction: "function", hsClause: "clause", hsType: "type", hsClass: "class", hsInstance: "instance",
	hsConstructor: "constructor", hsName: "name", hsTypeName: "type_name", hsReference: "reference", hsOther: "other",
}

// haskellGrammar returns a grammar without tables: its trees are made by haskellTree.
func haskellGrammar() *grammar {
	g := &grammar{names: hsNames, fields: []string{"", "name"}, scan: haskellTree}
	for range hsNames {
		g.named = append(g.named, true)
	}
	return g
}

// haskellNames adds the second and later names of "a, b :: T".
func haskellNames(x *extractor, i uint32, s *Symbol) bool {
	for c := range x.children(i) {
		if x.typeOf(c) == "name" {
			more := *s
			more.Name = x.word(c)
			x.add(i, more, x.nodes[c].end)
		}
	}
	return false
}

// haskellTree returns the tree of a Haskell source. It accepts every text.
func haskellTree(src []byte) []node {
	b := &hsBuilder{src: src, tokens: hsTokens(src)}
	b.open(hsSource, 0)
	if !isLiterate(src) {
		b.items(0, len(b.tokens), 0)
	}
	b.close(len(src))
	return b.nodes
}

// isLiterate reports whether the text is literate Haskell, which is not parsed.
func isLiterate(src []byte) bool {
	return bytes.HasPrefix(src, []byte("> ")) || bytes.Contains(src, []byte("\n> ")) && !bytes.Contains(src, []byte("-- ")) ||
		bytes.Contains(src, []byte(`\begin{code}`))
}

// hsBuilder lays nodes out in document order.
type hsBuilder struct {
	src    []byte
	tokens []hsToken
	nodes  []node
	parent uint32
}

func (b *hsBuilder) open(symbol uint16, start int) {
	b.nodes = append(b.nodes, node{start: uint32(start), parent: b.parent, symbol: symbol})
	b.parent = uint32(len(b.nodes) - 1)
}

func (b *hsBuilder) close(end int) {
	n := &b.nodes[b.parent]
	n.end, n.next = uint32(end), uint32(len(b.nodes))
	b.parent = n.parent
}

func (b *hsBuilder) leaf(symbol, field uint16, start, end int) {
	at := uint32(len(b.nodes))
	b.nodes = append(b.nodes, node{start: uint32(start), end: uint32(end), next: at + 1, parent: b.parent, symbol: symbol, field: field})
}

func (b *hsBuilder) text(t int) string { return string(b.src[b.tokens[t].start:b.tokens[t].end]) }

// is reports whether token t is one of the words.
func (b *hsBuilder) is(t int, words ...string) bool {
	for _, w := range words {
		if b.text(t) == w {
			return true
		}
	}
	return false
}

// trivia lays out a comment or pragma; ok is false for any other token.
func (b *hsBuilder) trivia(t int) bool {
	switch token := b.tokens[t]; token.kind {
	case hsNote:
		b.leaf(hsComment, 0, token.start, token.end)
	case hsDirective:
		b.leaf(hsPragma, 0, token.start, token.end)
	default:
		return false
	}
	return true
}

// items lays out tokens [from, to) as declarations that begin in a column.
func (b *hsBuilder) items(from, to, column int) {
	for from < to {
		if b.trivia(from) {
			from++
			continue
		}
		end := b.itemEnd(from, to, column)
		from = b.item(from, end, to, column)
	}
}

// itemEnd returns the token after the declaration that begins at from. It is ended by comments and
// pragmas in its column or, if it begins with comments, by the beginning of any declaration.
func (b *hsBuilder) itemEnd(from, to, column int) int {
	end := from + 1
	for end < to {
		t := b.tokens[end]
		if t.first && t.column <= column && !b.is(end, "where", "then", "else", "of", "in", ")", "]", "}", ",", "|", "=") {
			break
		}
		end++
	}
	for end > from+1 && b.tokens[end-1].kind == hsNote && b.tokens[end-1].first {
		end-- // belongs to the next declaration
	}
	return end
}

// item lays out the declaration in tokens [from, end), and those up to limit that continue it. It
// returns the token after it.
func (b *hsBuilder) item(from, end, limit, column int) int {
	switch b.text(from) {
	case "module":
		b.plain(hsHeader, from, end)
	case "import":
		b.imports(from, end)
	case "data", "newtype", "type":
		b.typed(from, end)
	case "class":
		b.class(hsClass, from, end)
	case "instance":
		b.class(hsInstance, from, end)
	case "pattern":
		if from+1 < end && b.tokens[from+1].kind == hsUpper {
			b.function(from, end, from+1, from+2)
			return end
		}
		return b.clauses(from, end, limit, column)
	case "foreign":
		for t := from; t+1 < end; t++ {
			if b.tokens[t].kind == hsLower && b.is(t+1, "::") {
				b.function(from, end, t, t+1)
				return end
			}
		}
		b.plain(hsOther, from, end)
	case "deriving", "infixl", "infixr", "infix", "default":
		b.plain(hsOther, from, end)
	default:
		return b.clauses(from, end, limit, column)
	}
	return end
}

func (b *hsBuilder) end(t int) int { return b.tokens[t].end }

// plain lays out a node that defines nothing.
func (b *hsBuilder) plain(symbol uint16, from, end int) {
	b.open(symbol, b.tokens[from].start)
	b.references(from, end, false)
	b.close(b.end(end - 1))
}

func (b *hsBuilder) imports(from, end int) {
	b.open(hsImport, b.tokens[from].start)
	named := false
	for t := from; t < end; t++ {
		switch token := b.tokens[t]; {
		case b.trivia(t):
		case token.kind == hsUpper && !named:
			b.leaf(hsModule, 0, token.start, token.end)
			named = true
		case token.kind == hsUpper:
			b.leaf(hsTypeName, 0, token.last, token.end)
		}
	}
	b.close(b.end(end - 1))
}

// head returns the first name of a type or class after its context, and the token at which its head
// ends: =, where or ::.
func (b *hsBuilder) head(from, end int) (name, at int) {
	for at = from + 1; at < end && !b.is(at, "=", "where", "::", "|"); at++ {
		if b.is(at, "=>") {
			name = 0
		} else if name == 0 && b.tokens[at].kind == hsUpper {
			name = at
		}
	}
	return name, at
}

// typed lays out data, newtype and type.
func (b *hsBuilder) typed(from, end int) {
	name, at := b.head(from, end)
	if name == 0 {
		b.plain(hsOther, from, end)
		return
	}
	b.open(hsType, b.tokens[from].start)
	token := b.tokens[name]
	b.leaf(hsName, 1, token.start, token.end)
	b.references(name+1, at, false)
	if at < end && b.is(from, "data", "newtype") {
		b.constructors(at, end)
	} else {
		b.references(at, end, false)
	}
	b.close(b.end(end - 1))
}

// constructors lays out what data and newtype define from token at on: alternatives after =,
// signatures after where. Names after deriving are types.
func (b *hsBuilder) constructors(at, end int) {
	alternatives, signatures := b.is(at, "="), b.is(at, "where")
	depth, next := 0, alternatives // next: the next type name of an alternative is its constructor
	for t := at; t < end; t++ {
		token := b.tokens[t]
		depth += b.nesting(t)
		switch {
		case b.trivia(t):
		case depth == 0 && b.is(t, "deriving"):
			alternatives, next = false, false
		case depth == 0 && alternatives && b.is(t, "|"):
			next = true
		case token.kind != hsUpper:
		case next && depth == 0 && !b.context(t, end), signatures && t+1 < end && b.is(t+1, "::", ","):
			b.open(hsConstructor, token.start)
			b.leaf(hsName, 1, token.start, token.end)
			b.close(token.end)
			next = false
		default:
			b.leaf(hsTypeName, 0, token.last, token.end)
		}
	}
}

// context reports whether token t precedes the => of its alternative.
func (b *hsBuilder) context(t, end int) bool {
	for depth := 0; t < end && depth >= 0 && !(depth == 0 && b.is(t, "|", "=", "deriving")); t++ {
		if depth == 0 && b.is(t, "=>") {
			return true
		}
		depth += b.nesting(t)
	}
	return false
}

// nesting returns the change of bracket depth at token t.
func (b *hsBuilder) nesting(t int) int {
	if b.tokens[t].kind == hsBracket {
		if b.is(t, "(", "[", "{") {
			return 1
		}
		return -1
	}
	return 0
}

// class lays out a class, or an instance, whose name is that of its type.
func (b *hsBuilder) class(symbol uint16, from, end int) {
	name, at := b.head(from, end)
	if symbol == hsInstance {
		for t := name + 1; name > 0 && t < at; t++ {
			if b.tokens[t].kind == hsUpper {
				name = t
				break
			}
		}
	}
	if name == 0 {
		b.plain(hsOther, from, end)
		return
	}
	body := at
	for body < end && !b.is(body, "where") {
		body++
	}
	b.open(symbol, b.tokens[from].start)
	for t := from; t < body; t++ {
		switch token := b.tokens[t]; {
		case t == name:
			b.leaf(hsName, 1, token.last, token.end)
		case !b.trivia(t) && token.kind == hsUpper:
			b.leaf(hsTypeName, 0, token.last, token.end)
		}
	}
	if body++; body < end {
		first := body
		for first < end-1 && b.tokens[first].kind == hsNote {
			first++
		}
		b.items(body, end, b.tokens[first].column)
	}
	b.close(b.end(end - 1))
}
