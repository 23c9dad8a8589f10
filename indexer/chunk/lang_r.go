package chunk

import "bytes"

var rSpec = spec{
	defs: map[string]definition{
		"binary_operator": {kind: "var", outer: true, refine: rAssignment},
		"argument":        {kind: "method", name: "name", outer: true, refine: rMember},
		"call":            {kind: "class", outer: true, refine: rDeclaration},
	},
	names:    []string{"identifier", "string"},
	toward:   map[string]string{"namespace_operator": "rhs", "extract_operator": "rhs"},
	calls:    map[string]string{"call": "function"},
	visit:    map[string]func(*extractor, uint32){"call": rImport, "namespace_operator": rPackage},
	comments: []string{"comment"},
	builtins: "c list length names paste paste0 stop library require return is.null function",
}

// rName returns a name without its quotes.
func (t *tree) rName(i uint32) string { return t.intern(bytes.Trim(t.text(i), "`\"'")) }

// rAssignment accepts functions, and values of the file itself, by what they are assigned to.
func rAssignment(x *extractor, i uint32, s *Symbol) bool {
	target, ok := x.field(i, "lhs")
	value, ok2 := x.field(i, "rhs")
	if !ok || !ok2 {
		return false
	}
	switch string(trimBlank(x.src[x.nodes[target].end:x.nodes[value].start])) {
	case "<-", "=", "<<-", ":=":
	case "->", "->>":
		target, value = value, target
	default:
		return false
	}
	switch x.typeOf(target) {
	case "identifier", "string":
	case "extract_operator":
		if owner, ok := x.field(target, "lhs"); ok {
			s.Container = x.rName(owner)
		}
		if target, ok = x.field(target, "rhs"); !ok {
			return false
		}
	default:
		return false
	}
	s.Name, x.nameEnd = x.rName(target), x.nodes[target].end
	switch {
	case x.typeOf(value) == "function_definition":
		s.Kind = "function"
	case rClasses[x.rCalled(value)]:
		s.Kind = "class"
		x.open = append(x.open, scope{end: x.nodes[i].next, name: s.Name})
	default:
		return x.nodes[i].parent == 0
	}
	return true
}

// rClasses are the functions that make a class.
var rClasses = map[string]bool{"R6Class": true, "setRefClass": true, "setClass": true, "new_class": true}

// rCalled returns the name of the function that a node calls.
func (t *tree) rCalled(i uint32) string {
	if at, ok := t.field(i, "function"); ok && t.typeOf(i) == "call" {
		if at, ok = t.resolve(at); ok {
			return string(t.text(at))
		}
	}
	return ""
}

// rMember accepts functions that are given to a class by their name.
func rMember(x *extractor, i uint32, s *Symbol) bool {
	value, ok := x.field(i, "value")
	top := len(x.open)
	s.Name = x.intern(bytes.Trim([]byte(s.Name), "`\"'"))
	return ok && x.typeOf(value) == "function_definition" && top > 0 && x.open[top-1].kind == inType
}

// rDeclaration accepts what S4 defines by a call: setClass("Client", …).
func rDeclaration(x *extractor, i uint32, s *Symbol) bool {
	called := x.rCalled(i)
	if x.nodes[i].parent != 0 || !rClasses[called] && called != "setGeneric" && called != "setMethod" {
		return false
	}
	args, ok := x.field(i, "arguments")
	if !ok {
		return false
	}
	n := 0
	for c := range x.children(args) {
		value, ok := x.field(c, "value")
		if !ok || x.typeOf(value) != "string" {
			continue
		}
		if n++; n == 1 {
			s.Name, x.nameEnd = x.rName(value), x.nodes[value].end
		} else if called == "setMethod" {
			s.Container = x.rName(value)
			break
		}
	}
	switch called {
	case "setGeneric":
		s.Kind = "function"
	case "setMethod":
		s.Kind = "method"
	default:
		x.open = append(x.open, scope{end: x.nodes[i].next, name: s.Name})
	}
	return true
}

// rImport adds the package or file that a call loads.
func rImport(x *extractor, i uint32) {
	switch x.rCalled(i) {
	case "library", "require", "requireNamespace", "loadNamespace", "source":
	default:
		return
	}
	if args, ok := x.field(i, "arguments"); ok && args+1 < x.nodes[args].next {
		if value, ok := x.field(args+1, "value"); ok {
			x.importing(bytes.Trim(x.text(value), `"'`))
		}
	}
}

// rPackage adds the package of dplyr::mutate.
func rPackage(x *extractor, i uint32) {
	if of, ok := x.field(i, "lhs"); ok {
		x.importing(x.text(of))
	}
}
