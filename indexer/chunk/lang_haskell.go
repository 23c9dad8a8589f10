package chunk

import "slices"

// haskellSpec: a function's signature and its equations are siblings, which haskellEquations brings
// together.
var haskellSpec = spec{
	defs: map[string]definition{
		"signature":           {kind: "function", member: "method", name: "name names", outer: true},
		"function":            {kind: "function", member: "method", name: "name .infix .function_head_parens", outer: true, refine: haskellEquation},
		"bind":                {kind: "function", member: "method", name: "name", outer: true, refine: haskellEquation},
		"data_type":           {kind: "type", name: "name", scope: true},
		"newtype":             {kind: "type", name: "name", scope: true},
		"type_synomym":        {kind: "type", name: "name"},
		"type_family":         {kind: "type", name: "name"},
		"type_instance":       {kind: "type", name: "name"},
		"data_family":         {kind: "type", name: "name"},
		"class":               {kind: "interface", name: "name", scope: true},
		"data_constructor":    {kind: "const", name: "constructor"},
		"newtype_constructor": {kind: "const", name: "name"},
		"gadt_constructor":    {kind: "const", name: "name names"},
		"pattern_synonym":     {kind: "function", name: ".equation", refine: haskellPattern},
	},
	scopes: map[string]string{"instance": "patterns name"},
	names:  []string{"variable", "name", "constructor", "operator", "constructor_operator"},
	toward: map[string]string{
		"prefix_id": ".operator .constructor_operator", "infix_id": ".variable .constructor", "infix": "operator",
		"binding_list": "name", "record": "name", "prefix": "name", "special": "name", "equation": "synonym",
		"apply": "constructor", "qualified": "id", "parens": "type expression pattern", "function_head_parens": ".infix",
		"list": "element", "tuple": "element",
		"type_patterns": ".parens .list .tuple .name .qualified",
	},
	calls: map[string]string{"apply": "function"},
	types: []string{"name", "constructor"},
	visit: map[string]func(*extractor, uint32){
		"import": haskellImport, "infix": haskellOperands, "qualified": haskellQualified,
		"signature": haskellNames, "gadt_constructor": haskellNames,
	},
	comments: []string{"comment", "haddock"},
	lead:     []string{"pragma"},
	strings:  []string{"string", "char", "quasiquote"},
	builtins: "Int Integer Bool String Char Double Maybe Either Just Nothing Left Right True False IO",
	arrange:  haskellEquations,
}

// haskellEquations puts the equations of a function below its signature, or below the first of
// them, with what is between: to a reader they are one definition. It also puts what the grammar
// keeps in two lists, of imports and of declarations, directly below the file: a comment at the end
// of the first belongs to the definition that begins the second.
func haskellEquations(t *tree) {
	for i := range uint32(len(t.nodes)) {
		switch name := t.equated(i); {
		case name != "" && t.equated(t.nodes[i].parent) == "": // else an earlier one has taken it
			t.takeEquations(i, name)
		case t.nodes[i].parent == 0 && slices.Contains([]string{"imports", "declarations"}, t.typeOf(i)):
			for c := range t.children(i) {
				t.nodes[c].parent = 0
			}
			t.nodes[i].end, t.nodes[i].next = t.nodes[i].start, i+1
		}
	}
}

// takeEquations puts the equations for a name that follow node i below it.
func (t *tree) takeEquations(i uint32, name string) {
	head := &t.nodes[i]
	for k := head.next; k < t.nodes[head.parent].next; k = t.nodes[k].next {
		if n := t.nodes[k].symbol; n != errorSymbol && t.role[n]&roleLead != 0 {
			continue
		}
		if t.typeOf(k) == "signature" || t.equated(k) != name {
			return
		}
		for c := head.next; c <= k; c = t.nodes[c].next {
			t.nodes[c].parent = i
		}
		head.end, head.next = t.nodes[k].end, t.nodes[k].next
	}
}

// equated returns the name that a signature, of several the first, or an equation is for.
func (t *tree) equated(i uint32) string {
	switch t.typeOf(i) {
	case "signature", "function", "bind":
		if at, ok := t.follow(i, t.defName[t.nodes[i].symbol]); ok {
			return t.word(at)
		}
	}
	return ""
}

// haskellNames adds the second and later names of "a, b :: T".
func haskellNames(x *extractor, i uint32) {
	list, ok := x.field(i, "names")
	last := len(x.defNodes) - 1
	if !ok || last < 0 || x.defNodes[last] != i {
		return
	}
	first := x.file.Symbols[last]
	for c := range x.children(list) {
		if at, ok := x.resolve(c); ok && x.word(at) != first.Name {
			more := first
			more.Name = x.word(at)
			x.pending = append(x.pending, at)
			x.add(i, more, x.nodes[at].end)
		}
	}
}

// haskellPattern names the pattern of "pattern P a b = …".
func haskellPattern(x *extractor, i uint32, s *Symbol) bool {
	equation, ok := x.typed(i, "equation")
	at, found := x.field(equation, "synonym")
	for ok && found && x.typeOf(at) == "apply" {
		at, found = x.field(at, "function")
	}
	if !ok || !found || x.typeOf(at) != "constructor" {
		return s.Name != ""
	}
	s.Name, x.nameEnd = x.word(at), x.nodes[at].end
	x.pending = append(x.pending, at)
	return true
}

// haskellEquation accepts an equation that does not belong to an earlier one.
func haskellEquation(x *extractor, i uint32, s *Symbol) bool {
	return x.equated(x.nodes[i].parent) == ""
}

func haskellImport(x *extractor, i uint32) {
	if module, ok := x.field(i, "module"); ok {
		x.importing(x.text(module))
	}
}

// haskellOperands counts the functions that an operator applies, composes or maps.
func haskellOperands(x *extractor, i uint32) {
	operator, ok := x.field(i, "operator")
	if !ok || !slices.Contains([]string{"$", "$!", ".", "<$>", "<&>", "&", ">>=", "=<<", ">=>", "<=<"}, string(x.text(operator))) {
		return
	}
	for _, side := range []string{"left_operand", "right_operand"} {
		if at, ok := x.field(i, side); ok && x.typeOf(at) == "variable" {
			x.refer(at)
		}
	}
}

// haskellQualified counts a name of another module that is not called.
func haskellQualified(x *extractor, i uint32) {
	if at, ok := x.field(i, "id"); ok && x.typeOf(at) == "variable" && x.nodes[i].field != x.fieldID["function"] {
		x.refer(at)
	}
}
