package chunk

import (
	"path/filepath"
	"strings"
)

// ocamlInterface is the name of the grammar of files that declare what a module of OCaml offers.
const ocamlInterface = "ocaml interface"

// grammarFor returns the name of the grammar that parses a file of a language, "" if none does.
func grammarFor(language, path string) string {
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case language == "ocaml" && ext == ".mli":
		return ocamlInterface
	case language == "haskell" && ext == ".lhs": // prose with code in it
		return ""
	}
	return language
}

var ocamlSpec = spec{
	defs: map[string]definition{
		"let_binding":             {kind: "const", name: "pattern", outer: true, refine: ocamlValue},
		"external":                {kind: "function", member: "method", name: ".value_name"},
		"value_specification":     {kind: "const", name: ".value_name .parenthesized_operator", refine: ocamlDeclared},
		"type_binding":            {kind: "type", name: "name", scope: true, refine: ocamlType},
		"constructor_declaration": {kind: "const", name: ".constructor_name", refine: ocamlConstructor},
		"module_binding":          {kind: "module", name: ".module_name", scope: true, refine: ocamlWhole},
		"module_type_definition":  {kind: "interface", name: ".module_type_name", scope: true},
		"class_binding":           {kind: "class", name: ".class_name", scope: true, refine: ocamlWhole},
		"class_type_binding":      {kind: "interface", name: ".class_type_name", scope: true, refine: ocamlWhole},
		"method_definition":       {kind: "method", name: ".method_name"},
		"method_specification":    {kind: "method", name: ".method_name"},
	},
	names: []string{
		"value_name", "module_name", "module_type_name", "type_constructor", "constructor_name",
		"class_name", "class_type_name", "method_name", "parenthesized_operator",
	},
	toward: map[string]string{"value_path": ".value_name", "type_constructor_path": ".type_constructor"},
	calls:  map[string]string{"application_expression": "function"},
	types:  []string{"module_name", "module_type_name", "type_constructor", "constructor_name", "class_name", "class_type_name"},
	visit: map[string]func(*extractor, uint32){
		"open_module": ocamlImport, "include_module": ocamlImport, "infix_expression": ocamlPipe,
	},
	comments: []string{"comment"},
	strings:  []string{"string", "quoted_string"},
	builtins: "unit int string bool char float list option array ref exn Some None Ok Error ignore not fst snd raise",
}

// ocamlWhole lets the first of several definitions that are joined by "and" begin at their keyword.
func ocamlWhole(x *extractor, i uint32, s *Symbol) bool {
	if up := x.nodes[i].parent; i == up+1 {
		s.Start = int(x.nodes[up].start)
	}
	return true
}

// ocamlValue accepts values of modules. Those with a parameter are functions.
func ocamlValue(x *extractor, i uint32, s *Symbol) bool {
	if up := x.nodes[x.nodes[i].parent].parent; x.typeOf(up) == "let_expression" || x.typeOf(up) == "class_body" {
		return false
	}
	body, _ := x.field(i, "body")
	_, parameters := x.typed(i, "parameter")
	if t := x.typeOf(body); parameters || t == "fun_expression" || t == "function_expression" {
		s.Kind = "function"
	}
	s.Name = ocamlOperator(s.Name)
	return ocamlWhole(x, i, s)
}

// ocamlDeclared distinguishes the functions of a signature.
func ocamlDeclared(x *extractor, i uint32, s *Symbol) bool {
	if of, ok := x.field(i, "type"); ok && x.typeOf(of) == "function_type" {
		s.Kind = "function"
		if top := len(x.open); top > 0 && x.open[top-1].kind == inType {
			s.Kind = "method"
		}
	}
	s.Name = ocamlOperator(s.Name)
	return true
}

// ocamlOperator returns an operator without the parentheses that make it a name.
func ocamlOperator(name string) string {
	if n := len(name); n > 2 && name[0] == '(' && name[n-1] == ')' {
		return string(trimBlank([]byte(name[1 : n-1])))
	}
	return name
}

// ocamlType accepts a type by its form; what is added to an open type is none of its own.
func ocamlType(x *extractor, i uint32, s *Symbol) bool {
	if body, ok := x.field(i, "body"); ok {
		switch x.typeOf(body) {
		case "record_declaration":
			s.Kind = "struct"
		case "variant_declaration":
			s.Kind = "enum"
		}
	}
	name, ok := x.field(i, "name")
	return ok && x.typeOf(name) == "type_constructor" && ocamlWhole(x, i, s)
}

// ocamlConstructor accepts the constructors of types, and exceptions as types of their own.
func ocamlConstructor(x *extractor, i uint32, s *Symbol) bool {
	if x.typeOf(x.nodes[i].parent) == "exception_definition" {
		s.Kind = "type"
		return ocamlWhole(x, i, s)
	}
	return true
}

func ocamlImport(x *extractor, i uint32) {
	if of, ok := x.field(i, "module"); ok && x.typeOf(of) == "module_path" {
		x.importing(x.text(of))
	}
}

// ocamlPipe counts the function that a value is handed to: x |> f, f @@ x.
func ocamlPipe(x *extractor, i uint32) {
	operator, ok := x.field(i, "operator")
	side := map[string]string{"|>": "right", "@@": "left"}[string(x.text(operator))]
	if !ok || side == "" {
		return
	}
	if to, ok := x.field(i, side); ok && x.typeOf(to) == "value_path" {
		if at, ok := x.resolve(to); ok {
			x.refer(at)
		}
	}
}
