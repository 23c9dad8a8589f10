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
	doc: goDoc,
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
