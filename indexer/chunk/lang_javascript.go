package chunk

import (
	"bytes"
	"cmp"
	"maps"
	"regexp"
	"slices"
)

var javascriptSpec = spec{
	defs: map[string]definition{
		"function_declaration":           {kind: "function", name: "name"},
		"generator_function_declaration": {kind: "function", name: "name"},
		"class_declaration":              {kind: "class", name: "name", scope: true},
		"method_definition":              {kind: "method", name: "name"},
		"variable_declarator":            {kind: "var", name: "name", refine: jsVariable},
		"assignment_expression":          {kind: "var", refine: jsAssignment},
		"pair":                           {kind: "method", name: "key", refine: jsPair},
		"field_definition":               {kind: "method", name: "property name", refine: jsPair},
	},
	names: []string{
		"identifier", "property_identifier", "private_property_identifier",
		"shorthand_property_identifier", "statement_identifier", "string_fragment",
	},
	toward: map[string]string{
		"member_expression": "property", "parenthesized_expression": ".identifier .member_expression",
		"call_expression": "function", "string": ".string_fragment",
		"await_expression": ".call_expression .identifier .member_expression",
		"export_specifier": "name", "import_specifier": "name",
	},
	calls: map[string]string{
		"call_expression": "function", "new_expression": "constructor",
		"jsx_opening_element": "name", "jsx_self_closing_element": "name",
	},
	uses: []string{"class_heritage", "decorator", "import_clause", "named_imports"},
	visit: map[string]func(*extractor, uint32){
		"import_statement": jsImport, "export_statement": jsImport, "call_expression": jsRequire,
	},
	comments: []string{"comment"},
	lead:     []string{"decorator"},
	builtins: "require console undefined Object Array String Number Boolean",
	typing:   &jsTyping,
}

var typescriptSpec = func() spec {
	s := javascriptSpec
	s.defs = maps.Clone(s.defs)
	maps.Copy(s.defs, map[string]definition{
		"public_field_definition":    {kind: "method", name: "name", refine: jsPair},
		"abstract_class_declaration": {kind: "class", name: "name", scope: true},
		"interface_declaration":      {kind: "interface", name: "name", scope: true},
		"type_alias_declaration":     {kind: "type", name: "name"},
		"enum_declaration":           {kind: "enum", name: "name", scope: true},
		"enum_assignment":            {kind: "const", name: "name"},
		"property_identifier":        {kind: "const", in: "enum_body", refine: jsItself},
		"internal_module":            {kind: "module", name: "name", scope: true},
		"module":                     {kind: "module", name: "name", scope: true},
		"function_signature":         {kind: "function", name: "name"},
		"abstract_method_signature":  {kind: "method", name: "name"},
		"method_signature":           {kind: "method", name: "name"},
	})
	s.names = append(slices.Clone(s.names), "type_identifier")
	s.toward = maps.Clone(s.toward)
	maps.Copy(s.toward, map[string]string{
		"generic_type": "name", "nested_type_identifier": "name", "nested_identifier": "property", "extends_clause": "value",
		"non_null_expression": ".identifier .member_expression", "instantiation_expression": "function",
	})
	s.types = []string{"type_identifier"}
	s.uses = append(slices.Clone(s.uses), "extends_clause", "implements_clause", "extends_type_clause")
	return s
}()

// jsVariable names functions and classes by the variable that holds them. Other variables count
// only outside of functions, except names destructured from a module.
func jsVariable(x *extractor, i uint32, s *Symbol) bool {
	name, ok := x.field(i, "name")
	if !ok || x.typeOf(name) != "identifier" {
		return false
	}
	value, ok := x.field(i, "value")
	if !ok {
		return !x.insideFunction()
	}
	switch kind := jsValue(x, value); kind {
	case "":
		if x.insideFunction() || bytes.HasPrefix(x.text(value), []byte("require(")) {
			return false
		}
		parent := x.nodes[i].parent
		if bytes.HasPrefix(x.text(parent), []byte("const ")) {
			s.Kind = "const"
		}
		if x.typeOf(value) == "object" {
			x.open = append(x.open, scope{end: x.nodes[i].next, name: s.Name})
		}
	default:
		s.Kind = kind
	}
	if s.Kind == "class" {
		x.open = append(x.open, scope{end: x.nodes[i].next, name: s.Name})
	}
	s.Start, s.End = jsStatement(x, i)
	return true
}

// jsItself names nodes by their own text.
func jsItself(x *extractor, i uint32, s *Symbol) bool {
	s.Name = x.word(i)
	return true
}

// jsValue returns the kind of definition of a name with an expression as its value.
func jsValue(x *extractor, i uint32) string {
	for range 4 {
		switch x.typeOf(i) {
		case "arrow_function", "function", "function_expression", "generator_function":
			return "function"
		case "class":
			return "class"
		case "parenthesized_expression", "as_expression", "satisfies_expression":
			if i+1 >= x.nodes[i].next {
				return ""
			}
			i++
		case "call_expression":
			// A function passed to a wrapper: memo(() => …), forwardRef(function …).
			args, ok := x.field(i, "arguments")
			if !ok || args+1 >= x.nodes[args].next {
				return ""
			}
			switch x.typeOf(args + 1) {
			case "arrow_function", "function", "function_expression":
				return "function"
			}
			return ""
		default:
			return ""
		}
	}
	return ""
}

// jsStatement returns the span of the declaration around a single declarator.
func jsStatement(x *extractor, i uint32) (int, int) {
	parent := x.nodes[i].parent
	if t := x.typeOf(parent); (t == "lexical_declaration" || t == "variable_declaration") && x.nodes[parent].next == x.nodes[i].next && parent+1 == i {
		i = parent
	}
	return int(x.nodes[i].start), int(x.nodes[i].end)
}

// jsAssignment accepts "exports.x = …", "module.exports = …" and functions that become a member:
// "app.handle = function", "Foo.prototype.bar = function".
func jsAssignment(x *extractor, i uint32, s *Symbol) bool {
	if x.typeOf(x.nodes[i].parent) != "expression_statement" {
		return false
	}
	left, ok := x.field(i, "left")
	right, ok2 := x.field(i, "right")
	if !ok || !ok2 || x.nodes[left].end-x.nodes[left].start > maxName {
		return false
	}
	value := jsValue(x, right)
	switch x.typeOf(left) {
	case "identifier":
		if value != "" {
			s.Name, s.Kind = x.word(left), value
		}
		return value != ""
	case "member_expression":
		return jsMember(x, i, jsAssignee{left, right, value}, s)
	}
	return false
}

// jsAssignee holds the sides of an assignment, and the kind of definition on the right, "" for
// none.
type jsAssignee struct {
	left, right uint32
	value       string
}

// jsMember accepts the assignment i to a member of an object.
func jsMember(x *extractor, i uint32, a jsAssignee, s *Symbol) bool {
	property, ok := x.field(a.left, "property")
	object, ok2 := x.field(a.left, "object")
	if !ok || !ok2 {
		return false
	}
	owner := string(x.text(object))
	exported := owner == "exports" || owner == "module.exports"
	switch {
	case owner == "module" && string(x.text(property)) == "exports":
		jsModule(x, i, a, s)
		return true
	case exported && !x.insideFunction():
		s.Name, s.Kind = x.word(property), cmp.Or(a.value, "const")
	case a.value == "":
		return false
	default:
		s.Name, s.Kind = x.word(property), "method"
		s.Container = jsOwner(x, object, owner)
	}
	if a.value == "class" {
		x.open = append(x.open, scope{end: x.nodes[i].next, name: s.Name})
	}
	return true
}

// jsModule accepts "module.exports = …".
func jsModule(x *extractor, i uint32, a jsAssignee, s *Symbol) {
	s.Name, s.Kind = jsExported(x, a.right), cmp.Or(a.value, "var")
	if x.typeOf(a.right) == "object" {
		x.open = append(x.open, scope{end: x.nodes[i].next, name: "exports"})
	}
}

// jsOwner returns the container of a member of an object: the class whose prototype or instance it
// is.
func jsOwner(x *extractor, object uint32, owner string) string {
	if owner != "this" && owner != "self" {
		return x.intern(lastName(x.text(object), ".prototype"))
	}
	if n := len(x.open); n > 0 {
		return x.open[n-1].name
	}
	return ""
}

// jsExported returns the name that "module.exports = …" exports.
func jsExported(x *extractor, right uint32) string {
	if n, ok := x.field(right, "name"); ok {
		return x.word(n)
	}
	return "exports"
}

// lastName returns the last identifier of a dotted path, without a suffix.
func lastName(text []byte, suffix string) []byte {
	text = bytes.TrimSuffix(text, []byte(suffix))
	return trimBlank(text[bytes.LastIndexByte(text, '.')+1:])
}

// jsPair accepts members of objects and classes whose value is a function.
func jsPair(x *extractor, i uint32, s *Symbol) bool {
	value, ok := x.field(i, "value")
	if !ok || len(x.open) == 0 || x.open[len(x.open)-1].kind == inFunction {
		return false
	}
	switch x.typeOf(value) {
	case "arrow_function", "function", "function_expression", "generator_function":
		return true
	}
	return false
}

func jsImport(x *extractor, i uint32) {
	if source, ok := x.field(i, "source"); ok {
		x.importing(bytes.Trim(x.text(source), "\"'`"))
	}
}

func jsRequire(x *extractor, i uint32) {
	f, ok := x.field(i, "function")
	if !ok {
		return
	}
	if t := string(x.text(f)[:min(8, len(x.text(f)))]); t != "require" && t != "import" {
		return
	}
	if args, ok := x.field(i, "arguments"); ok {
		if s, ok := x.typed(args, "string"); ok {
			x.importing(bytes.Trim(x.text(s), "\"'`"))
		}
	}
}

var (
	// tsSignature matches the beginning of a generic call signature, tsxSignature one that is not
	// an element.
	tsSignature  = regexp.MustCompile(`^<(?:[ \t\r]*\n|\w+(?: extends\b|[,=>]| =))`)
	tsxSignature = regexp.MustCompile(`^<(?:[ \t\r]*\n|\w+ extends\b)`)
	// tsOperator matches a property whose name begins like an operator.
	tsOperator = regexp.MustCompile(`^in(?:\d\w*|stanceof)?\??:`)
)

// tsKnown adds a semicolon before a generic call signature on a line of its own, since to the
// grammar the previous member would continue there like a comparison. It also masks what begins a
// line and would be parsed as an operator.
func tsKnown(m *masker, elements bool) {
	signature := tsSignature
	if elements {
		signature = tsxSignature
	}
	last := byte(0) // of the code before the line
	for at := 0; at < len(m.src); {
		end := at + bytes.IndexByte(m.src[at:], '\n')
		if end < at {
			return
		}
		line := bytes.TrimLeft(m.src[at:end], " \t")
		start := end - len(line)
		if start > at && len(line) > 0 && line[0] == '<' && endsType(last) && signature.Match(m.src[start:]) {
			m.put(start-1, start, ";")
		}
		if bytes.HasPrefix(line, []byte("in")) && tsOperator.Match(line) {
			m.put(start, start+1, "_")
		}
		if i := bytes.Index(line, []byte("//")); i >= 0 {
			line = line[:i]
		}
		if line = bytes.TrimRight(line, " \t\r"); len(line) > 0 && line[0] != '*' && !bytes.HasPrefix(line, []byte("/*")) {
			last = line[len(line)-1]
		}
		at = end + 1
	}
}

// endsType reports whether a type may end with a byte.
func endsType(b byte) bool { return isWord(b) || bytes.IndexByte([]byte(">)]'\"`"), b) >= 0 }
