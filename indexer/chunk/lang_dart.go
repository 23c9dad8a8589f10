package chunk

import "bytes"

// dartSpec: to the grammar, the body of a function follows its signature; tails puts it below.
var dartSpec = spec{
	defs: map[string]definition{
		"class_definition":                          {kind: "class", name: "name", scope: true},
		"mixin_declaration":                         {kind: "class", name: ".identifier", scope: true},
		"extension_declaration":                     {kind: "class", name: "name", scope: true, refine: dartExtension},
		"extension_type_declaration":                {kind: "class", name: "name", scope: true},
		"enum_declaration":                          {kind: "enum", name: "name", scope: true},
		"enum_constant":                             {kind: "const", name: "name"},
		"type_alias":                                {kind: "type", refine: dartAlias},
		"method_signature":                          {kind: "method", refine: dartSignature},
		"function_signature":                        {kind: "function", member: "method", refine: dartSignature},
		"getter_signature":                          {kind: "function", member: "method", refine: dartSignature},
		"setter_signature":                          {kind: "function", member: "method", refine: dartSignature},
		"operator_signature":                        {kind: "method", refine: dartSignature},
		"constructor_signature":                     {kind: "method", refine: dartSignature},
		"constant_constructor_signature":            {kind: "method", refine: dartSignature},
		"factory_constructor_signature":             {kind: "method", refine: dartSignature},
		"redirecting_factory_constructor_signature": {kind: "method", refine: dartSignature},
		"local_function_declaration":                {kind: "function", name: ".lambda_expression"},
		"initialized_identifier":                    {kind: "var", name: ".identifier", outer: true, refine: dartVariable},
		"static_final_declaration":                  {kind: "const", name: ".identifier", outer: true},
	},
	names:  []string{"identifier", "type_identifier"},
	toward: map[string]string{"lambda_expression": "parameters", "function_signature": "name"},
	types:  []string{"type_identifier"},
	uses:   []string{"annotation"},
	visit: map[string]func(*extractor, uint32){
		"uri": func(x *extractor, i uint32) { x.importing(bytes.Trim(x.text(i), `"'`)) }, "argument_part": dartCall,
	},
	tails: map[string]string{
		"method_signature": "function_body", "function_signature": "function_body",
		"getter_signature": "function_body", "setter_signature": "function_body",
	},
	comments: []string{"comment", "documentation_comment"},
	lead:     []string{"annotation"},
	builtins: "int double num bool String Object List Map Set Future Stream Iterable print",
}

// dartSignature names a function by its signature: a named constructor by the second of its names,
// an operator by its sign.
func dartSignature(x *extractor, i uint32, s *Symbol) bool {
	if x.typeOf(x.nodes[i].parent) == "lambda_expression" {
		return false // a function inside another, which is named by its declaration
	}
	at := i
	if x.typeOf(i) == "method_signature" {
		var ok bool
		if at, ok = x.first(i); !ok {
			return false
		}
	} else if x.typeOf(x.nodes[i].parent) == "method_signature" {
		return false
	}
	if x.typeOf(at) == "operator_signature" {
		_, text, _ := bytes.Cut(x.text(at), []byte("operator"))
		sign, _, ok := bytes.Cut(text, []byte("("))
		s.Name = x.intern(trimBlank(sign))
		x.nameEnd = x.nodes[at].start
		return ok
	}
	for c := range x.children(at) {
		if x.typeOf(c) == "identifier" {
			s.Name, x.nameEnd = x.word(c), x.nodes[c].end
		}
	}
	return true
}

// dartExtension lets the members of an extension without a name belong to the type that it extends.
func dartExtension(x *extractor, i uint32, s *Symbol) bool {
	if of, ok := x.field(i, "class"); ok && s.Name == "" {
		x.open = append(x.open, scope{end: x.nodes[i].next, name: x.word(of)})
	}
	return true
}

// dartAlias names a type by the word before its parameters or the equals sign.
func dartAlias(x *extractor, i uint32, s *Symbol) bool {
	for c := range x.children(i) {
		if x.typeOf(c) != "type_identifier" {
			if s.Name != "" && x.typeOf(c) != "type_arguments" {
				break
			}
			continue
		}
		s.Name, x.nameEnd = x.word(c), x.nodes[c].end
		x.pending = append(x.pending, c)
		if bytes.HasPrefix(trimBlank(x.src[x.nodes[c].end:x.nodes[i].end]), []byte("=")) {
			break
		}
	}
	return true
}

// dartCall counts what arguments are for: the name right before them.
func dartCall(x *extractor, i uint32) {
	at := i
	if x.typeOf(x.nodes[i].parent) == "selector" {
		at = x.nodes[i].parent
	}
	if x.typeOf(at-1) == "identifier" && !x.isPending(at-1) && x.nodes[at-1].end == x.nodes[at].start {
		x.refer(at - 1)
	}
}

// dartVariable accepts variables outside of classes.
func dartVariable(x *extractor, i uint32, _ *Symbol) bool {
	list := x.nodes[i].parent
	return x.nodes[x.nodes[list].parent].parent == 0
}

// dartKnown masks the dot of a value whose type is left out, as in "color: .red", and the question
// mark of an element that is left out if it is null, as in "[?icon]".
func dartKnown(m *masker) {
	for _, sign := range []string{".", "?"} {
		for i := range occurrences(m.src, sign) {
			if i > 0 && i+1 < len(m.src) && 'a' <= m.src[i+1]|0x20 && m.src[i+1]|0x20 <= 'z' && dartBegins(m.src[max(0, i-reach):i], sign) {
				m.put(i, i+1, " ")
			}
		}
	}
}

// dartBegins reports whether a value begins after text.
func dartBegins(text []byte, sign string) bool {
	last := text[len(text)-1]
	text = bytes.TrimRight(text, " \t\r\n")
	if len(text) == 0 || !isBlank(last) && bytes.IndexByte([]byte("([{"), last) < 0 {
		return false
	}
	end := text[len(text)-1]
	if sign == "?" {
		return bytes.IndexByte([]byte(",[{:"), end) >= 0
	}
	word := text
	for len(word) > 0 && isWord(word[len(word)-1]) {
		word = word[:len(word)-1]
	}
	switch string(text[len(word):]) {
	case "const", "return", "case":
		return true
	case "":
		return bytes.IndexByte([]byte(",:=?&|([{"), end) >= 0 || bytes.HasSuffix(text, []byte("=>"))
	}
	return false
}
