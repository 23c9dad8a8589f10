package chunk

import "bytes"

// cTyping describes C, and cppTyping adds to it what C++ has.
var cTyping = typing{
	scopes: "function_definition compound_statement for_statement if_statement while_statement switch_statement",
	exprs: map[string]form{
		"call_expression": {op: OpCall, of: "function"}, "field_expression": {op: OpMember, of: "argument", name: "field"},
		"subscript_expression": {op: OpElem, of: "argument"}, "cast_expression": {op: OpNew, of: "type"}, "compound_literal_expression": {op: OpNew, of: "type"},
		"pointer_expression": {same: true, of: "argument"}, "parenthesized_expression": {same: true}, "conditional_expression": {same: true, of: "consequence"},
		"assignment_expression": {same: true, of: "right"}, "comma_expression": {same: true, of: "right"}, "type_descriptor": {same: true, of: "type"},
		"struct_specifier": {same: true, of: "name"}, "union_specifier": {same: true, of: "name"}, "enum_specifier": {same: true, of: "name"},
		"string_literal": {op: OpLiteral}, "char_literal": {op: OpLiteral}, "concatenated_string": {op: OpLiteral}, "number_literal": {op: OpLiteral},
		"true": {op: OpLiteral}, "false": {op: OpLiteral}, "null": {op: OpLiteral}, "primitive_type": {op: OpLiteral}, "sized_type_specifier": {op: OpLiteral},
		"sizeof_expression": {op: OpLiteral},
	},
	results:  "type",
	inferred: "auto",
	imports:  map[string]func(*outliner, uint32){"preproc_include": cIncluding},
	visit: map[string]func(*outliner, uint32){
		"declaration": cDeclaration, "field_declaration": cDeclaration, "parameter_declaration": cDeclaration, "preproc_arg": cMacroBody,
	},
	declares: cDeclares,
	called:   cCalled,
	listed:   cParameters,
	fields:   "field_identifier",
}

// cIncluding adds the file that a file includes.
func cIncluding(o *outliner, i uint32) {
	if p, ok := o.field(i, "path"); ok {
		o.out.Imports = append(o.out.Imports, Import{Path: o.intern(bytes.Trim(o.text(p), "<>\""))})
	}
}

// cDeclarator is what a declarator declares.
type cDeclarator struct {
	name     uint32
	value    uint32 // 0 for none
	list     bool   // an array
	function uint32 // the node with the parameters of a function or of a pointer to one, 0 for none
	pointer  bool   // a pointer to a function
	plain    bool   // no pointer, reference or array
}

// cDeclarators are the nodes between a declaration and the name that it declares.
var cDeclarators = wordSet("init_declarator pointer_declarator reference_declarator array_declarator function_declarator parenthesized_declarator " +
	"attributed_declarator variadic_declarator structured_binding_declarator")

// cOutliner outlines files of C and C++.
type cOutliner struct{ *outliner }

func inC(o *outliner) cOutliner { return cOutliner{o} }

// cDeclarator reads a declarator; ok is false for one without a name of its own, such as that of a
// member outside of its type.
func (o cOutliner) cDeclarator(d uint32) (out cDeclarator, ok bool) {
	out.plain = true
	for range maxExprDepth {
		switch o.typeOf(d) {
		case "reference_declarator":
			out.plain = false
		case "init_declarator":
			if v, ok := o.field(d, "value"); ok {
				out.value = v
			}
		case "array_declarator":
			out.list, out.plain = true, false
		case "function_declarator":
			out.function, out.pointer = d, false
		case "pointer_declarator":
			out.pointer, out.plain = out.function != 0, false
		}
		if !cDeclarators[o.typeOf(d)] {
			out.name = d
			return out, o.isName(d)
		}
		next, ok := o.field(d, "declarator")
		if !ok {
			next, ok = o.at(d, "$")
		}
		next = o.beforeMacro(d, next)
		if !ok {
			break
		}
		d = next
	}
	return out, false
}

// beforeMacro returns what a declarator c below node i is without a macro after it, which the
// grammar takes for the name, and the name for an error: int size GUARDED_BY(lock).
func (o cOutliner) beforeMacro(i, c uint32) uint32 {
	last := uint32(0)
	for k := range o.children(i) {
		if k == c {
			break
		}
		last = k
	}
	if last == 0 || o.nodes[last].symbol != errorSymbol || last+1 >= o.nodes[last].next {
		return c
	}
	if first := last + 1; o.isName(first) || cDeclarators[o.typeOf(first)] {
		return first
	}
	return c
}

// cDeclaration adds what a declaration declares: variables, parameters and members.
func cDeclaration(o *outliner, i uint32) {
	if o.typeOf(i) == "type_definition" || inC(o).isParameter(i) && !inC(o).isOfBody(i) {
		return
	}
	var kind *Expr
	if t, ok := o.field(i, "type"); ok && string(o.text(t)) != o.rules.inferred {
		kind = o.expr(t)
	}
	declarator := o.fieldID["declarator"]
	for c := range o.children(i) {
		if o.nodes[c].field == declarator {
			inC(o).cDeclare(i, inC(o).beforeMacro(i, c), kind)
		}
	}
}

// cDeclare adds the name of the declarator c of the declaration i.
func (o cOutliner) cDeclare(i, c uint32, kind *Expr) {
	d, ok := o.cDeclarator(c)
	if !ok {
		return
	}
	at, owner := o.around(i)
	if d.function != 0 && !d.pointer && owner == "" && (at == 0 || !o.isVariable(d.function)) {
		return // a function
	}
	if owner != "" && o.word(d.name) == owner {
		return // a constructor
	}
	if v, ok := o.at(i, "value default_value right"); ok && d.value == 0 {
		d.value = v
	}
	var value *Expr
	if d.value != 0 {
		if value = o.expr(d.value); o.typeOf(i) == "for_range_loop" {
			value = elemOf(value)
		}
	}
	switch {
	case d.function != 0 && (d.pointer || owner != ""):
		kind, value = nil, &Expr{Op: OpFunc, Of: kind, At: int(o.nodes[c].start)}
	case d.list && kind != nil:
		kind = &Expr{Op: OpList, Of: kind}
	}
	if o.typeOf(o.nodes[d.name].parent) != "structured_binding_declarator" {
		o.pattern(i, d.name, kind, value, false)
		return
	}
	for name := range o.children(o.nodes[d.name].parent) {
		o.pattern(i, name, nil, nil, false)
	}
}

// isVariable reports whether what has the form of a function that is declared inside of another is
// a variable with arguments.
func (o cOutliner) isVariable(function uint32) bool {
	list, ok := o.field(function, "parameters")
	if !ok || !o.rules.inherent {
		return false
	}
	n := 0
	for c := range o.children(list) {
		if d, named := o.field(c, "declarator"); named && o.typeOf(d) != "abstract_function_declarator" { // a call
			return false
		}
		n++
	}
	return n > 0
}

// isParameter reports whether node i is a parameter.
func (o cOutliner) isParameter(i uint32) bool {
	kind := o.typeOf(i)
	return kind == "parameter_declaration" || kind == "optional_parameter_declaration"
}

// cBodies are the nodes with a body that knows their parameters, and cBodiless those that declare
// something without one.
var (
	cBodies   = wordSet("function_definition lambda_expression catch_clause")
	cBodiless = wordSet("declaration field_declaration type_definition alias_declaration parameter_declaration optional_parameter_declaration type_descriptor template_parameter_list friend_declaration")
)

// isOfBody reports whether a body knows the parameter at node i.
func (o cOutliner) isOfBody(i uint32) bool {
	for at := o.nodes[i].parent; at != 0; at = o.nodes[at].parent {
		switch kind := o.typeOf(at); {
		case cBodies[kind]:
			return true
		case cBodiless[kind]:
			return false
		}
	}
	return false
}

// cMacroBody adds the uses of the name in the text that a macro stands for.
func cMacroBody(o *outliner, i uint32) {
	n := &o.nodes[i]
	if o.asked == "" {
		return
	}
	macro := o.nodes[i].parent
	for at := range occurrences(o.src[n.start:n.end], o.asked) {
		first := int(n.start) + at
		end := first + len(o.asked)
		if first > 0 && isWord(o.src[first-1]) || end < len(o.src) && isWord(o.src[end]) {
			continue
		}
		before, after := trimBlank(o.src[n.start:first]), trimBlank(o.src[end:n.end])
		o.out.Uses = append(o.out.Uses, NameUse{
			Name: o.asked, Start: first, Line: o.lines.of(first), Args: -1,
			Member:   bytes.HasSuffix(before, []byte(".")) || bytes.HasSuffix(before, []byte("->")),
			Call:     bytes.HasPrefix(after, []byte("(")),
			Declares: inC(o).isMacroParameter(macro) || bytes.HasSuffix(before, []byte("#")) || inQuotes(before),
		})
	}
}

// isMacroParameter reports whether the name is a parameter of a macro.
func (o cOutliner) isMacroParameter(macro uint32) bool {
	list, ok := o.field(macro, "parameters")
	if !ok {
		return false
	}
	for c := range o.children(list) {
		if string(o.text(c)) == o.asked {
			return true
		}
	}
	return false
}

// inQuotes reports whether a string is open at the end of a text.
func inQuotes(text []byte) bool {
	return (bytes.Count(text, []byte(`"`))-bytes.Count(text, []byte(`\"`)))%2 == 1
}

// cDeclares reports whether node i is the name that a declaration, or the head of a definition,
// declares.
func cDeclares(o *outliner, i uint32) bool {
	at := i
	for range maxExprDepth {
		p := o.nodes[at].parent
		field := o.grammar.fields[o.nodes[at].field]
		switch kind := o.typeOf(p); kind {
		case "declaration", "field_declaration", "parameter_declaration", "optional_parameter_declaration", "for_range_loop", "type_definition", "function_definition":
			return field == "declarator"
		case "init_declarator", "array_declarator", "function_declarator":
			if field != "declarator" {
				return false
			}
		case "alias_declaration", "type_parameter_declaration", "preproc_def", "preproc_function_def", "namespace_alias_definition":
			return field == "name" || kind == "type_parameter_declaration"
		case "struct_specifier", "union_specifier", "class_specifier", "enum_specifier":
			return field == "name" && (!inC(o).isMentioned(p) || inC(o).isForward(p))
		case "enumerator", "namespace_definition":
			return field == "name"
		case "qualified_identifier", "template_function":
			if field != "name" {
				return false
			}
		case "preproc_params":
			return true
		default:
			if o.nodes[p].symbol == errorSymbol { // before a macro
				outer := o.typeOf(o.nodes[p].parent)
				return outer == "declaration" || outer == "field_declaration" || cDeclarators[outer]
			}
			if !cDeclarators[kind] && kind != "destructor_name" {
				return false
			}
		}
		at = p
	}
	return false
}

// isForward reports whether node i declares a type alone, without defining it.
func (o cOutliner) isForward(i uint32) bool {
	p := o.nodes[i].parent
	switch o.typeOf(p) {
	case "translation_unit", "declaration_list", "template_declaration", "friend_declaration":
		return true
	case "declaration", "field_declaration":
		_, ok := o.field(p, "declarator")
		return !ok
	}
	return false
}

// cTemplates are the nodes of a name with type arguments.
var cTemplates = wordSet("template_function template_method template_type dependent_name")

// isMentioned reports whether node i names a type without defining it.
func (o cOutliner) isMentioned(i uint32) bool {
	switch o.typeOf(i) {
	case "struct_specifier", "union_specifier", "class_specifier", "enum_specifier":
		_, ok := o.field(i, "body")
		return !ok
	}
	return false
}

// cNamed are the nodes whose name may be what a call calls.
var cNamed = wordSet("template_function template_method template_type dependent_name qualified_identifier field_expression")

// cCalled returns the arguments with which the name at node i is called, 0 for none.
func cCalled(o *outliner, i uint32) (arguments uint32, called bool) {
	at := i
	for range maxExprDepth {
		p := o.nodes[at].parent
		field := o.grammar.fields[o.nodes[at].field]
		kind := o.typeOf(p)
		switch kind {
		case "call_expression":
			list, _ := o.field(p, "arguments")
			return list, field == "function"
		case "new_expression", "compound_literal_expression":
			list, ok := o.at(p, "arguments value")
			return list, field == "type" && ok && o.rules.inherent
		case "field_initializer":
			list, ok := o.at(p, "$")
			return list, ok && list != at && at == p+1
		case "declaration":
			return inC(o).constructed(p, field)
		case "parameter_declaration": // an argument that the grammar takes for a parameter
			d, ok := o.field(p, "declarator")
			if !ok || o.typeOf(d) != "abstract_function_declarator" || inC(o).isOfBody(p) {
				return 0, false
			}
			list, ok := o.field(d, "parameters")
			return list, ok && field == "type"
		}
		if !cNamed[kind] || field != "name" && field != "field" && kind != "dependent_name" {
			return 0, false
		}
		at = p
	}
	return 0, false
}

// isTypeName reports whether node i can only name a type.
func (o cOutliner) isTypeName(i uint32, isCalled bool) bool {
	if o.typeOf(i) != "type_identifier" {
		return false
	}
	for o.typeOf(o.nodes[i].parent) == "qualified_identifier" {
		i = o.nodes[i].parent
	}
	return !isCalled || o.typeOf(o.nodes[i].parent) != "parameter_declaration"
}

// constructed returns the arguments of the constructor that a declaration calls.
func (o cOutliner) constructed(declaration uint32, field string) (arguments uint32, called bool) {
	c, ok := o.field(declaration, "declarator")
	if field != "type" || !ok || !o.rules.inherent {
		return 0, false
	}
	switch d, ok := o.cDeclarator(c); {
	case !ok || !d.plain:
		return 0, false
	case d.value != 0 && (o.typeOf(d.value) == "argument_list" || o.typeOf(d.value) == "initializer_list"):
		return d.value, true
	case d.function != 0 && !d.pointer && o.isVariable(d.function):
		if at, owner := o.around(declaration); at == 0 || owner != "" {
			return 0, false
		}
		list, ok := o.field(d.function, "parameters")
		return list, ok
	}
	return 0, false
}

// cParameters returns the list of the parameters of the function that node i defines.
func cParameters(o *outliner, i uint32) (uint32, bool) {
	d, ok := o.field(i, "declarator")
	for range maxExprDepth {
		if !ok {
			return 0, false
		}
		if o.typeOf(d) == "function_declarator" {
			return o.field(d, "parameters")
		}
		if d, ok = o.field(d, "declarator"); !ok {
			break
		}
	}
	return 0, false
}
