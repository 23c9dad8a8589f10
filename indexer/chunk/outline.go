package chunk

import (
	"bytes"
	"slices"
)

// Outline has what a file's syntax shows of the types of its names, and where it uses one name. It
// holds no reference to the source.
type Outline struct {
	Package  string // the name by which the file's package is known, "" for none
	Imports  []Import
	Types    []TypeOutline
	Bindings []Binding
	Members  []Binding // of types, and of the file itself, which have the owner ""
	Funcs    []FuncOutline
	Impls    []ImplOutline
	Uses     []NameUse // in order
	Mentions []int     // lines of comments and strings that have the name, from 0, in order
	Spaces   []string  // namespaces, or names in them, that the file knows without qualifying them
	// Namespaces are those that the file adds to, the outer ones first.
	Namespaces []Namespace
}

// Namespace is a part of a file that adds to a namespace.
type Namespace struct {
	Name       string // with those around it, separated by dots
	Start, End int    // bytes
}

// Import is a name that a file has from another.
type Import struct {
	Local  string // the name in the file; "" when the path alone shows it, "*" for all names
	Path   string // the module, package or file as written
	Name   string // the name there; "" for the module itself
	Export bool   // it is handed on under the local name
	At     int    // byte, in a language in which the place of an import matters
	// Members means that the names are those of the static members of the type at Path.
	Members bool
}

// TypeOutline is a type with what it inherits.
type TypeOutline struct {
	Name       string
	Start, End int     // bytes
	Parents    []*Expr // what it embeds, extends or implements
	Alias      *Expr   // the type it stands for, or is made of; nil for a body of its own
	// Generics are its type parameters in a language in which their arguments matter.
	Generics []string
}

// ImplOutline is a part of the methods of a type, in a language in which these are not in its body.
type ImplOutline struct {
	Start, End int // bytes
	Line       int // of the type, from 0
	Generics   []string
	Of         *Expr // the type, nil for one that is not understood
	Trait      *Expr // what it implements of a trait
	IsTrait    bool
}

// Binding is a variable, parameter or member with what is known of its type.
type Binding struct {
	Owner      string // of a member: its type
	Name       string
	Start, End int   // bytes of its scope
	From       int   // byte from which it is known there
	Type       *Expr // as declared; nil when it is not
	Value      *Expr // its first value; nil for none
	IsType     bool  // it is a type parameter, and Type what bounds it
}

// FuncOutline is a function or a method.
type FuncOutline struct {
	Name   string
	Line   int   // of the name, from 0
	Result *Expr // type of the result; nil when it is not declared
	Value  *Expr // what it returns; nil when that is not examined
	// Shape of the parameters and results, equal for functions that can stand for each other; ""
	// for languages in which the shape does not matter.
	Shape string
	Reads bool // it is read as a field is
	// Params is the number of its parameters in a language in which functions of one name differ in
	// them; Variadic means that the last one stands for any number.
	Params   int
	Variadic bool
	// Optional is the number of those that a call may leave out.
	Optional int
	Types    []*Expr  // of the parameters, in a language in which they matter
	Extends  bool     // it may be called as a method of the first parameter
	Generics []string // its type parameters, as far as their arguments matter
}

// NameUse is a use of a name as an identifier, outside of comments, strings and imports.
type NameUse struct {
	Name        string // in the file, where an import may call it otherwise
	Start, Line int    // byte, and line from 0
	Owner       *Expr
	Member      bool // it follows the owner; Owner is nil when that is not understood
	Arrow       bool // the member of what the owner points to
	Call        bool
	IsType      bool // it can only be a type, in a language in which others may have its name
	Path        bool // the owner is a path that leads to it
	Macro       bool // it runs a macro
	Declares    bool // it gives the name to a variable, parameter or member
	// Args is the number of a call's arguments in a language in which functions of one name differ
	// in them, else -1.
	Args int
	// Passed are the arguments in a language in which functions of one name differ in their types.
	Passed []*Expr
}

// Op is the form of an expression.
type Op uint8

// The forms of expressions.
const (
	OpName    Op = iota // Name at byte At, maybe with type arguments
	OpMember            // Name of Of
	OpCall              // the result of calling Of
	OpElem              // an element of Of
	OpNth               // the result number N of Of
	OpThis              // the object whose method runs, at byte At
	OpSuper             // the same as its parent
	OpNew               // a value of the type Of
	OpList              // a type whose elements are Of
	OpFunc              // a function whose result has the type Of, or is Value
	OpTuple             // several types or values, Args
	OpLiteral           // a value of a type of the language, whose name is Name if that is known
	OpGiven             // what the function Of passes as parameter N to the one that is its argument At
	OpAwait             // the result that Of has in the end
	OpPart              // the field Name of Value, which the type or variant Of is
	OpPassed            // what a method of Of passes to the function that is its argument
	OpAs                // the type Of as the trait Value
)

// Expr is an expression or a type, as far as its form shows what it is.
type Expr struct {
	Op    Op
	Name  string
	At, N int
	Of    *Expr
	Value *Expr
	Args  []*Expr
	Arrow bool // the member of what Of points to
	Path  bool // of a member: Of is a path that leads to it
	Outer bool // a name that is no variable
}

// typing describes, in the grammar's terms, how a language declares variables and forms
// expressions. Paths are those of spec.
type typing struct {
	scopes  string // types of nodes at whose end the names that they bind are forgotten
	binds   map[string]bind
	exprs   map[string]form
	parents string // types of nodes whose children are inherited
	results string // field of a function with the type of its result
	returns string // type of statements that return
	// inferred is the word in place of a type that a variable has from its value; "" for none.
	inferred string
	// variadic is the type of a parameter that stands for any number, in a language in which
	// functions of one name differ in their parameters; "" in others.
	variadic string
	special  map[string]func(*outliner, uint32) *Expr
	imports  map[string]func(*outliner, uint32)
	visit    map[string]func(*outliner, uint32)
	shape    func(*outliner, uint32) string
	reads    func(*outliner, uint32) bool // whether a function is read as a field is
	// declares replaces binds where the names that a node declares are deep inside of it: whether
	// that is so of a name.
	declares func(*outliner, uint32) bool
	// called replaces the spec's calls: the arguments with which a name is called, 0 for none.
	called func(*outliner, uint32) (arguments uint32, called bool)
	listed func(*outliner, uint32) (uint32, bool) // the parameters of a function; nil for its field
	// owner replaces exprs for what a name is a member of; nil where those show it.
	owner     func(*outliner, uint32) (owner *Expr, isMember bool)
	branched  bool                                  // its preprocessor leaves out a part of the text
	onlyType  func(*outliner, uint32) bool          // whether a name can only be that of a type
	signature func(*outliner, uint32, *FuncOutline) // adds what the parameters of a function show
	used      func(*outliner, uint32) NameUse       // replaces the rules for uses
	fields    string                                // type of the names that only members have
	// inherent is true for a language with constructors, in which a name with arguments may be a
	// variable.
	inherent bool
}

// bind is a node that declares names.
type bind struct {
	names, kind, value string // paths to the names, their type and their value; names "" for the node's own children
	member             bool   // only members of a type are declared so
	list               bool   // it is a list of its type
	outer              bool   // the type is that of the node around it
	elem               int    // the number of the name, from 1, that is an element of the value
}

// form is a node that is an expression or a type. A path is "" for the first child and "$" for the
// last one.
type form struct {
	op       Op
	of, name string // paths; a name is none if it is ""
	same     bool   // it is what the path leads to
}

// Typed reports whether an outline shows the types of a language's names.
func Typed(language string) bool { return specs[language] != nil && specs[language].typing != nil }

// DeclaresResults reports whether the functions of a language declare the types of their results,
// so that nothing in their bodies matters elsewhere.
func DeclaresResults(language string) bool {
	return Typed(language) && specs[language].typing.returns == ""
}

// outliner makes the outline of one file: it walks the file's tree by the rules of its language
// and collects what the file declares, by scopes, and the uses of the name that is asked for.
type outliner struct {
	*tree
	rules   *typing
	scopes  map[string]bool // the types of the nodes outside of which the names in them are unknown
	parents map[string]bool // the types of the nodes that list what a type inherits from
	asked   string          // the name whose uses are asked for
	out     *Outline
}

// Outline returns a file's outline with the uses of a name; nil when its language has none or it
// does not parse. Blank are parts, in order, that have nothing but blanks: they are not read, since
// each blank takes a fifth of the time of another byte.
func (p *Parser) Outline(path string, src []byte, name string, blank []Span) *Outline {
	language := Language(path, src)
	l := languageOf(language)
	if l == nil || l.spec.typing == nil || len(src) > maxSource {
		return nil
	}
	if !l.spec.typing.branched {
		return p.outline(l, src, name, blank)
	}
	first, others := branches(src)
	out := p.outline(l, first, name, blank)
	if out != nil && others != nil && name != "" && bytes.Contains(others, []byte(name)) {
		out.merge(p.outline(l, others, name, blank), first)
		slices.SortStableFunc(out.Uses, func(a, b NameUse) int { return a.Start - b.Start })
	}
	return out
}

// outline makes the outline of a source.
func (p *Parser) outline(l *language, src []byte, name string, blank []Span) *Outline {
	defer p.release()
	p.lines.index(src)
	nodes, err := p.outlined(l, src, blank)
	if err != nil {
		return nil
	}
	x := &p.extract.tree
	if x.words == nil {
		x.words = map[string]string{}
	}
	x.language, x.nodes, x.src, x.lines = l, nodes, src, &p.lines
	o := &outliner{tree: x, rules: l.spec.typing, scopes: wordSet(l.spec.typing.scopes), parents: wordSet(l.spec.typing.parents), asked: name, out: &Outline{}}
	o.outline(name)
	return o.out
}

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range bytes.Fields([]byte(text)) {
		set[string(word)] = true
	}
	return set
}

func (o *outliner) outline(name string) {
	asked := map[string]bool{name: true}
	for i := uint32(0); i < uint32(len(o.nodes)); i++ {
		n := &o.nodes[i]
		if n.symbol == errorSymbol || n.start == n.end {
			continue
		}
		kind := o.typeOf(i)
		if f := o.rules.imports[kind]; f != nil {
			f(o, i)
			for _, m := range o.out.Imports {
				if m.Name == name {
					asked[m.Local] = true
				}
			}
			i = n.next - 1
			continue
		}
		if o.def[n.symbol] != nil {
			o.definition(i, o.def[n.symbol])
		}
		if b, ok := o.rules.binds[kind]; ok {
			o.bind(i, b)
		}
		if f := o.rules.visit[kind]; f != nil {
			f(o, i)
		}
		if o.parents[kind] {
			for c := range o.children(i) {
				o.inherit(i, c)
			}
		}
		switch {
		case name == "":
		case o.isName(i) && asked[string(o.text(i))]:
			if o.isString(n.parent) {
				o.inBrackets(i)
			} else {
				o.use(i)
			}
		case o.role[n.symbol]&roleComment != 0 || o.isString(i):
			o.mention(i, []byte(name))
		}
	}
}

// isString reports whether node i is a string.
func (o *outliner) isString(i uint32) bool {
	if o.nodes[i].symbol == errorSymbol {
		return false
	}
	f, ok := o.rules.exprs[o.typeOf(i)]
	return ok && f.op == OpLiteral && bytes.IndexByte([]byte("\"'`"), o.src[o.nodes[i].end-1]) >= 0
}

// mention adds the lines of node i that have a name.
func (o *outliner) mention(i uint32, name []byte) {
	n := &o.nodes[i]
	for at := range occurrences(o.src[n.start:n.end], string(name)) {
		first, end := int(n.start)+at, int(n.start)+at+len(name)
		if first > 0 && isWord(o.src[first-1]) || end < len(o.src) && isWord(o.src[end]) {
			continue
		}
		if line := o.lines.of(first); !slices.Contains(o.out.Mentions, line) {
			o.out.Mentions = append(o.out.Mentions, line)
		}
	}
}

// definition adds a type or a function.
func (o *outliner) definition(i uint32, d *definition) {
	at, ok := o.follow(i, o.defName[o.nodes[i].symbol])
	if !ok {
		return
	}
	name := o.word(at)
	switch {
	case isFunction(d.kind) || isFunction(d.member):
		if f := o.function(i); f != nil {
			o.addFunction(i, at, name, f)
		}
	case o.isTypeNode(i) && !(o.rules.fields != "" && inC(o).isMentioned(i)):
		t := TypeOutline{Name: name, Start: int(o.nodes[i].start), End: int(o.nodes[i].end)}
		for _, path := range []string{"type", "value"} {
			if c, ok := o.field(i, path); ok {
				t.Alias = o.expr(c)
			}
		}
		if o.rules.signature != nil {
			t.Generics = csharpGenerics(o, i)
		}
		o.out.Types = append(o.out.Types, t)
	}
}

// addFunction adds the function that node i defines.
func (o *outliner) addFunction(i, at uint32, name string, f *Expr) {
	out := FuncOutline{Name: name, Line: o.lines.of(int(o.nodes[at].start)), Result: f.Of, Value: f.Value}
	if o.rules.shape != nil {
		out.Shape = o.rules.shape(o, i)
	}
	if o.rules.reads != nil {
		out.Reads = o.rules.reads(o, i)
	}
	if o.rules.signature != nil {
		o.rules.signature(o, i, &out)
	}
	if o.rules.variadic != "" {
		list, ok := o.field(i, "parameters")
		if o.rules.listed != nil {
			list, ok = o.rules.listed(o, i)
		}
		if ok {
			for c := range o.children(list) {
				out.Params++
				out.Variadic = o.typeOf(c) == o.rules.variadic
			}
		}
	}
	o.out.Funcs = append(o.out.Funcs, out)
}

// typeKinds are the kinds of definitions that are types.
var typeKinds = []string{"class", "struct", "interface", "type", "enum"}

// isTypeNode reports whether node i defines a type.
func (o *outliner) isTypeNode(i uint32) bool {
	n := &o.nodes[i]
	return n.symbol != errorSymbol && o.def[n.symbol] != nil && slices.Contains(typeKinds, o.def[n.symbol].kind)
}

// around returns the innermost node around i that limits names, and the name of the type that it
// is, "" if it is none.
func (o *outliner) around(i uint32) (at uint32, owner string) {
	for at = o.nodes[i].parent; at != 0; at = o.nodes[at].parent {
		n := &o.nodes[at]
		if n.symbol == errorSymbol {
			continue
		}
		if o.isTypeNode(at) {
			if name, ok := o.follow(at, o.defName[n.symbol]); ok {
				return at, o.word(name)
			}
		}
		if o.role[n.symbol]&roleScope != 0 {
			if name, ok := o.follow(at, o.tree.scopes[n.symbol]); ok {
				return at, o.word(name)
			}
		}
		if o.scopes[o.grammar.names[n.symbol]] {
			break
		}
	}
	return at, ""
}

// owner returns the name of the innermost type around node i.
func (o *outliner) owner(i uint32) string {
	for i != 0 {
		at, name := o.around(i)
		if name != "" {
			return name
		}
		i = at
	}
	return ""
}

// inherit adds c, which is below i, as a parent of the type around i.
func (o *outliner) inherit(i, c uint32) {
	parent := o.expr(c)
	if parent == nil {
		return
	}
	o.inherits(o.owner(i), parent)
}

func (o *outliner) inherits(owner string, parent *Expr) {
	for k := len(o.out.Types) - 1; k >= 0; k-- {
		if t := &o.out.Types[k]; t.Name == owner {
			t.Parents = append(t.Parents, parent)
			return
		}
	}
	o.out.Types = append(o.out.Types, TypeOutline{Name: owner, Parents: []*Expr{parent}})
}

// at follows a path of one step from i; the first child for "", the last one for "$".
func (o *outliner) at(i uint32, path string) (uint32, bool) {
	switch path {
	case "":
		return i + 1, i+1 < o.nodes[i].next
	case "$":
		last := uint32(0)
		for c := range o.children(i) {
			last = c
		}
		return last, last > 0
	}
	for _, s := range o.route(path) {
		if c, ok := o.child(i, s); ok {
			return c, true
		}
	}
	return 0, false
}
