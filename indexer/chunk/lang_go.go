package chunk

import "bytes"

var goSpec = spec{
	defs: map[string]definition{
		"function_declaration": {kind: "function", name: "name"},
		"method_declaration":   {kind: "method", name: "name", refine: goReceiver},
		"method_elem":          {kind: "method", name: "name"},
		"type_spec":            {kind: "type", name: "name", scope: true, title: "type", refine: goType},
		"type_alias":           {kind: "type", name: "name", title: "type"},
		"const_spec":           {kind: "const", name: "name", outer: true, title: "const", refine: goNames},
		"var_spec":             {kind: "var", name: "name", outer: true, title: "var", refine: goNames},
	},
	names: []string{"identifier", "field_identifier", "type_identifier", "package_identifier"},
	toward: map[string]string{
		"selector_expression": "field", "qualified_type": "name", "pointer_type": ".type_identifier .qualified_type .generic_type",
		"generic_type": "type", "parenthesized_expression": ".identifier .selector_expression .unary_expression", "type_instantiation_expression": "type",
		"index_expression": "operand",
	},
	calls:    map[string]string{"call_expression": "function"},
	types:    []string{"type_identifier"},
	visit:    map[string]func(*extractor, uint32){"import_spec": goImport},
	comments: []string{"comment"},
	strings:  []string{"interpreted_string_literal", "raw_string_literal", "rune_literal"},
	builtins: "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr " +
		"append cap clear close complex copy delete imag len make max min new panic print println real recover",
	doc:    goDoc,
	typing: &goTyping,
}

var goTyping = typing{
	scopes: "block function_declaration method_declaration method_elem function_type func_literal if_statement for_statement expression_switch_statement type_switch_statement " +
		"expression_case type_case default_case communication_case",
	binds: map[string]bind{
		"parameter_declaration":          {names: "name", kind: "type"},
		"variadic_parameter_declaration": {names: "name", kind: "type", list: true},
		"var_spec":                       {names: "name", kind: "type", value: "value"},
		"const_spec":                     {names: "name", kind: "type", value: "value"},
		"short_var_declaration":          {names: "left", value: "right"},
		"range_clause":                   {names: "left", value: "right", elem: 2},
		"receive_statement":              {names: "left", value: "right"},
		"field_declaration":              {names: "name", kind: "type", member: true},
	},
	exprs: map[string]form{
		"selector_expression": {op: OpMember, of: "operand", name: "field"}, "call_expression": {op: OpCall, of: "function"},
		"index_expression": {op: OpElem, of: "operand"}, "slice_expression": {same: true, of: "operand"}, "parenthesized_expression": {same: true},
		"unary_expression": {same: true, of: "operand"}, "composite_literal": {op: OpNew, of: "type"}, "type_conversion_expression": {op: OpNew, of: "type"},
		"type_assertion_expression": {op: OpNew, of: "type"}, "type_instantiation_expression": {same: true, of: "type"}, "func_literal": {op: OpFunc},
		"function_type": {op: OpFunc}, "pointer_type": {same: true}, "parenthesized_type": {same: true}, "slice_type": {op: OpList, of: "element"},
		"array_type": {op: OpList, of: "element"}, "implicit_length_array_type": {op: OpList, of: "element"}, "map_type": {op: OpList, of: "value"},
		"channel_type": {op: OpList, of: "value"}, "qualified_type": {op: OpMember, of: "package", name: "name"}, "generic_type": {same: true, of: "type"},
		"parameter_list": {op: OpTuple}, "type_elem": {same: true},
		"interpreted_string_literal": {op: OpLiteral}, "raw_string_literal": {op: OpLiteral}, "int_literal": {op: OpLiteral}, "float_literal": {op: OpLiteral},
		"rune_literal": {op: OpLiteral}, "true": {op: OpLiteral}, "false": {op: OpLiteral}, "binary_expression": {op: OpLiteral},
	},
	results: "result",
	special: map[string]func(*outliner, uint32) *Expr{"call_expression": goBuiltin, "unary_expression": goReceive},
	imports: map[string]func(*outliner, uint32){"import_spec": goImported, "package_clause": goPackage},
	visit:   map[string]func(*outliner, uint32){"type_case": goCase, "type_elem": goEmbedded},
	shape:   goShape,
}

// goBuiltin returns the value of new(T), make(T) and append(list, …).
func goBuiltin(o *outliner, i uint32) *Expr {
	f, ok := o.field(i, "function")
	list, ok2 := o.field(i, "arguments")
	if !ok || !ok2 || list+1 >= o.nodes[list].next {
		return nil
	}
	switch string(o.text(f)) {
	case "new", "make":
		if e := o.expr(list + 1); e != nil {
			return &Expr{Op: OpNew, Of: e}
		}
	case "append":
		return o.expr(list + 1)
	}
	return nil
}

// goReceive returns what a channel receives.
func goReceive(o *outliner, i uint32) *Expr {
	if o.src[o.nodes[i].start] != '<' {
		return nil
	}
	if c, ok := o.field(i, "operand"); ok {
		return elemOf(o.expr(c))
	}
	return nil
}

func goImported(o *outliner, i uint32) {
	p, ok := o.field(i, "path")
	if !ok {
		return
	}
	m := Import{Path: string(bytes.Trim(o.text(p), "\"`"))}
	if n, ok := o.field(i, "name"); ok {
		m.Local = o.word(n)
	} else if d, ok := o.typed(i, "dot"); ok && d > 0 {
		m.Local = "*"
	}
	o.out.Imports = append(o.out.Imports, m)
}

func goPackage(o *outliner, i uint32) {
	if n, ok := o.typed(i, "package_identifier"); ok {
		o.out.Package = o.word(n)
	}
}

// goCase binds the variable of a type switch in a case of one type.
func goCase(o *outliner, i uint32) {
	s := o.nodes[i].parent
	list, ok := o.field(s, "alias")
	if !ok || o.typeOf(s) != "type_switch_statement" || list+1 >= o.nodes[list].next {
		return
	}
	var types []uint32
	for c := range o.children(i) {
		if o.nodes[c].field == o.fieldID["type"] {
			types = append(types, c)
		}
	}
	b := Binding{Name: o.word(list + 1), Start: int(o.nodes[i].start), End: int(o.nodes[i].end), From: int(o.nodes[i].start)}
	if len(types) == 1 {
		b.Type = o.expr(types[0])
	} else if v, ok := o.field(s, "value"); ok {
		b.Value = o.expr(v)
	}
	o.out.Bindings = append(o.out.Bindings, b)
}

// goEmbedded adds an interface that another embeds.
func goEmbedded(o *outliner, i uint32) {
	if o.typeOf(o.nodes[i].parent) == "interface_type" && i+1 < o.nodes[i].next && o.nodes[i+1].next == o.nodes[i].next {
		o.inherit(i, i+1)
	}
}

// goShape returns the types of a function's parameters and results without their packages.
func goShape(o *outliner, i uint32) string {
	var b []byte
	for _, field := range []string{"parameters", "result"} {
		b = append(b, '(')
		if list, ok := o.field(i, field); ok {
			b = o.goTypes(list, b)
		}
		b = append(b, ')')
	}
	return string(b)
}

func (o *outliner) goTypes(list uint32, b []byte) []byte {
	if o.typeOf(list) != "parameter_list" {
		return append(o.goType(list, b), ',')
	}
	for c := range o.children(list) {
		t, ok := o.field(c, "type")
		if !ok {
			continue
		}
		for range max(1, len(o.namesOf(c, "name"))) {
			if o.typeOf(c) == "variadic_parameter_declaration" {
				b = append(b, "..."...)
			}
			b = append(o.goType(t, b), ',')
		}
	}
	return b
}

// goType appends a type's marks and the names in it, each without its package.
func (o *outliner) goType(t uint32, b []byte) []byte {
	at := o.nodes[t].start
	for k := t; k < o.nodes[t].next; k++ {
		switch o.typeOf(k) {
		case "package_identifier":
			b = append(b, bytes.Join(bytes.Fields(o.src[at:o.nodes[k].start]), nil)...)
			at = o.nodes[k].end + 1
		case "function_type": // its parameters may have names
			b = append(b, bytes.Join(bytes.Fields(o.src[at:o.nodes[k].start]), nil)...)
			b = append(append(b, "func"...), goShape(o, k)...)
			at = o.nodes[k].end
			k = o.nodes[k].next - 1
		}
	}
	if at < o.nodes[t].end {
		b = append(b, bytes.Join(bytes.Fields(o.src[at:o.nodes[t].end]), nil)...)
	}
	return b
}

// goReceiver makes the receiver's type the container.
func goReceiver(x *extractor, i uint32, s *Symbol) bool {
	r, ok := x.field(i, "receiver")
	if !ok {
		return true
	}
	for k := r; k < x.nodes[r].next; k++ {
		if x.typeOf(k) == "type_identifier" {
			s.Container = x.word(k)
			break
		}
	}
	return true
}

func goType(x *extractor, i uint32, s *Symbol) bool {
	t, ok := x.field(i, "type")
	if !ok {
		return true
	}
	switch x.typeOf(t) {
	case "struct_type":
		s.Kind = "struct"
	case "interface_type":
		s.Kind = "interface"
	}
	return true
}

// goNames adds the second and later names of "const a, b = 1, 2".
func goNames(x *extractor, i uint32, s *Symbol) bool {
	first := true
	for c := range x.children(i) {
		if x.typeOf(c) != "identifier" || x.nodes[c].field != x.fieldID["name"] {
			continue
		}
		name := x.word(c)
		if name == "_" {
			continue
		}
		more := *s
		more.Name = name
		if first {
			first = false
		}
		x.add(i, more, x.nodes[c].end)
	}
	return false
}

func goImport(x *extractor, i uint32) {
	p, ok := x.field(i, "path")
	if !ok {
		return
	}
	text := bytes.Trim(x.text(p), "\"`")
	x.importing(text)
	x.referText(text[bytes.LastIndexByte(text, '/')+1:])
}

// goDoc returns the comment right above the package clause.
func goDoc(x *extractor) Span {
	var doc Span
	for c := range x.children(0) {
		n := &x.nodes[c]
		switch x.typeOf(c) {
		case "comment":
			if doc.End > doc.Start && x.lines.of(int(n.start)) <= x.lines.of(doc.End-1)+1 {
				doc.End = int(n.end)
			} else {
				doc = Span{int(n.start), int(n.end)}
			}
		case "package_clause":
			if doc.End > doc.Start && x.lines.of(doc.End-1)+1 == x.lines.of(int(n.start)) {
				return doc
			}
			return Span{}
		}
	}
	return Span{}
}

// goKnown masks new with a value, as Go 1.26 allows: the grammar takes the argument for a type.
func goKnown(m *masker) {
	const call = "new("
	for at := range occurrences(m.src, call) {
		named := at > 0 && (isWord(m.src[at-1]) || m.src[at-1] == '.')
		if !named && !typeArgument(m.src[at+len(call):]) {
			m.put(at, at+1, "N")
		}
	}
}

// typeArgument reports whether the argument at the beginning of text is a type, as far as its first
// bytes show.
func typeArgument(text []byte) bool {
	text = bytes.TrimLeft(text, "* \t\r\n")
	if len(text) == 0 {
		return true
	}
	if text[0] == '[' {
		return !isCompositeLiteral(text)
	}
	end := 0
	for end < len(text) && (isWord(text[end]) || text[end] == '.' || text[end] >= 0x80) {
		end++
	}
	if end == 0 || isDecimal(text[0]) {
		return false
	}
	if isType, known := argumentWords[string(text[:end])]; known {
		return isType
	}
	rest := bytes.TrimLeft(text[end:], " \t\r\n")
	switch {
	case len(rest) == 0 || rest[0] == ')':
		return true
	case rest[0] == '[': // of a type with parameters, or of an element
		return len(rest) == 1 || !isDecimal(rest[1])
	}
	return false
}

// isCompositeLiteral reports whether text, which begins with a bracket, is a slice or an array with
// elements: it has a brace that does not belong to a struct or an interface.
func isCompositeLiteral(text []byte) bool {
	end := bytes.IndexAny(text, "{)\n")
	if end < 0 || text[end] != '{' {
		return false
	}
	before := text[:end]
	return !bytes.HasSuffix(before, []byte("struct")) && !bytes.HasSuffix(before, []byte("interface"))
}

func isDecimal(b byte) bool { return '0' <= b && b <= '9' }

// argumentWords are the words that determine by themselves whether an argument that begins with
// them is a type.
var argumentWords = map[string]bool{
	"func": true, "struct": true, "interface": true, "map": true, "chan": true,
	"true": false, "false": false, "nil": false,
}
