package chunk

import "bytes"

var juliaSpec = spec{
	defs: map[string]definition{
		"module_definition":    {kind: "module", name: "name", scope: true},
		"struct_definition":    {kind: "struct", scope: true, refine: juliaNamed},
		"abstract_definition":  {kind: "type", refine: juliaNamed},
		"primitive_definition": {kind: "type", refine: juliaNamed},
		"function_definition":  {kind: "function", member: "method", refine: juliaNamed},
		"macro_definition":     {kind: "macro", refine: juliaNamed},
		"assignment":           {kind: "var", outer: true, refine: juliaAssignment},
		"macrocall_expression": {kind: "enum", refine: juliaEnum},
	},
	names:  []string{"identifier", "operator"},
	toward: map[string]string{"macro_identifier": ".identifier"},
	calls:  map[string]string{"macrocall_expression": ".macro_identifier"},
	visit: map[string]func(*extractor, uint32){
		"call_expression": juliaCall, "broadcast_call_expression": juliaCall, "typed_expression": juliaTyped, "type_head": juliaSuper,
		"using_statement": juliaImport, "import_statement": juliaImport, "string_literal": juliaDocstring,
	},
	comments: []string{"line_comment", "block_comment"},
	lead:     []string{"string_literal"}, // a docstring
	builtins: "Int Float64 String Bool Any Vector Symbol Nothing new println print length push! isa typeof",
	doc:      juliaDoc,
}

// first returns the first child of a node.
func (t *tree) first(i uint32) (uint32, bool) { return i + 1, i+1 < t.nodes[i].next }

// last returns the last child of a node.
func (t *tree) last(i uint32) (uint32, bool) {
	at := i
	for c := range t.children(i) {
		at = c
	}
	return at, at != i
}

// juliaHead returns the name in the head of a definition or a call, which is the first child of i:
// show in Base.show(io::IO, x::T) where T.
func juliaHead(x *extractor, i uint32) (uint32, bool) {
	i, ok := x.first(i)
	if !ok {
		return 0, false
	}
	return juliaName(x, i)
}

func juliaName(x *extractor, i uint32) (uint32, bool) {
	for range 16 {
		next, ok := x.first(i)
		switch x.typeOf(i) {
		case "identifier", "operator":
			return i, true
		case "field_expression", "scoped_identifier":
			next, ok = x.last(i)
		case "parenthesized_expression": // (c::Client)(x), the call of a value
			if !ok || x.typeOf(next) != "typed_expression" {
				return 0, false
			}
			next, ok = x.last(next)
		case "signature", "where_expression", "typed_expression", "call_expression", "broadcast_call_expression", "type_head", "binary_expression",
			"parametrized_type_expression", "curly_expression", "assignment":
		default:
			return 0, false
		}
		if !ok {
			return 0, false
		}
		i = next
	}
	return 0, false
}

// juliaNamed names a definition by its head, the first child.
func juliaNamed(x *extractor, i uint32, s *Symbol) bool {
	at, ok := juliaHead(x, i)
	if !ok {
		return false
	}
	s.Name, x.nameEnd = x.word(at), x.nodes[at].end
	x.pending = append(x.pending, at)
	return true
}

// juliaAssignment accepts functions of one expression, f(x) = x + 1, and the values of modules.
func juliaAssignment(x *extractor, i uint32, s *Symbol) bool {
	up := x.nodes[i].parent
	head, ok := x.first(i)
	for ok && (x.typeOf(head) == "where_expression" || x.typeOf(head) == "typed_expression") {
		head, ok = x.first(head)
	}
	if !ok {
		return false
	}
	isType := func() bool { top := len(x.open); return top > 0 && x.open[top-1].kind == inType }
	switch x.typeOf(head) {
	case "call_expression":
		s.Kind = "function"
		if isType() {
			s.Kind = "method"
		}
		return juliaNamed(x, i, s)
	case "identifier", "parametrized_type_expression":
		switch x.typeOf(up) {
		case "const_statement":
			s.Kind, s.Start = "const", int(x.nodes[up].start)
			return !isType() && juliaNamed(x, i, s)
		case "source_file", "module_definition":
			return juliaNamed(x, i, s)
		}
	}
	return false
}

// juliaEnum accepts the types that @enum defines.
func juliaEnum(x *extractor, i uint32, s *Symbol) bool {
	list, ok := x.typed(i, "macro_argument_list")
	return ok && string(x.text(i+1)) == "@enum" && juliaNamed(x, list, s)
}

func juliaCall(x *extractor, i uint32) {
	at, ok := juliaHead(x, i)
	if !ok || x.isPending(at) {
		return
	}
	x.refer(at)
	if args, ok := x.typed(i, "argument_list"); ok && string(x.text(at)) == "include" {
		x.importing(bytes.Trim(bytes.TrimSpace(x.text(args)), `"()`))
	}
}

// juliaTyped counts the type of x::T.
func juliaTyped(x *extractor, i uint32) {
	if of, ok := x.last(i); ok && of != i+1 {
		if at, ok := juliaName(x, of); ok {
			x.refer(at)
		}
	}
}

// juliaSuper counts the type above, B in A <: B.
func juliaSuper(x *extractor, i uint32) {
	head, ok := x.first(i)
	if !ok || x.typeOf(head) != "binary_expression" {
		return
	}
	if of, ok := x.last(head); ok {
		if at, ok := juliaName(x, of); ok {
			x.refer(at)
		}
	}
}

// juliaImport adds the modules of using A, B.C: d.
func juliaImport(x *extractor, i uint32) {
	for c := range x.children(i) {
		if of, ok := x.first(c); ok && x.typeOf(c) == "selected_import" {
			c = of
		}
		x.importing(x.text(c))
	}
}

// juliaDocstring counts a text right above something as a comment.
func juliaDocstring(x *extractor, i uint32) {
	n := &x.nodes[i]
	if t := x.typeOf(n.parent); t != "source_file" && t != "module_definition" {
		return
	}
	if n.next < x.nodes[n.parent].next && x.lines.of(int(x.nodes[n.next].start)) <= x.lines.of(int(n.end))+1 {
		x.file.Comments = append(x.file.Comments, Span{int(n.start), int(n.end)})
	}
}

// juliaDoc returns the comment at the top of a file, or the docstring of the module that it is.
func juliaDoc(x *extractor) Span {
	if doc := x.topComment(); doc.End > doc.Start {
		return doc
	}
	for c := range x.children(0) {
		if text, ok := x.typed(c, "content"); ok && x.typeOf(c) == "string_literal" {
			return x.unlicensed(Span{int(x.nodes[text].start), int(x.nodes[text].end)})
		}
		if s := x.nodes[c].symbol; s == errorSymbol || x.role[s]&roleComment == 0 {
			break
		}
	}
	return Span{}
}
