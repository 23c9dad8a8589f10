package chunk

import (
	"bytes"
	"regexp"
	"slices"
)

var luaSpec = spec{
	defs: map[string]definition{
		"function_statement":   {kind: "function", refine: luaFunction},
		"variable_declaration": {kind: "var", refine: luaVariable},
		"field":                {kind: "method", name: "name", refine: luaField},
	},
	names:    []string{"identifier"},
	visit:    map[string]func(*extractor, uint32){"function_call": luaCall},
	comments: []string{"comment"},
	strings:  []string{"string"},
	builtins: "print pairs ipairs require type tostring tonumber self",
}

// luaLabel matches a label (::continue::), a jump to one, or an attribute (<const>).
var luaLabel = regexp.MustCompile(`::[ \t]*\w+[ \t]*::|\bgoto[ \t]+\w+|<(?:const|close)>`)

// luaLabelParts are in every match of luaLabel, and are found faster.
var luaLabelParts = [][]byte{[]byte("::"), []byte("goto"), []byte("<const>"), []byte("<close>")}

// luaKnown masks what the grammar fails on: annotations (---@param), of which it supports few and
// splits them up, and labels.
func luaKnown(src []byte) []byte {
	out := bytes.ReplaceAll(src, []byte("---"), []byte("-- "))
	if !slices.ContainsFunc(luaLabelParts, func(part []byte) bool { return bytes.Contains(out, part) }) {
		return out
	}
	for _, at := range luaLabel.FindAllIndex(out, -1) {
		for i := at[0]; i < at[1]; i++ {
			out[i] = ' '
		}
	}
	return out
}

// dotted returns the last identifier below i and the one before it.
func (t *tree) dotted(i uint32) (name, owner uint32) {
	if t.typeOf(i) == "identifier" {
		return i, 0
	}
	for c := range t.children(i) {
		if t.typeOf(c) == "identifier" {
			name, owner = c, name
		}
	}
	return name, owner
}

func luaFunction(x *extractor, i uint32, s *Symbol) bool {
	at, ok := x.field(i, "name")
	if !ok {
		return false
	}
	return luaName(x, at, "method", s)
}

func luaName(x *extractor, at uint32, member string, s *Symbol) bool {
	name, owner := x.dotted(at)
	if name == 0 {
		return false
	}
	s.Name = x.word(name)
	if owner != 0 {
		s.Container, s.Kind = x.word(owner), member
	}
	return true
}

// luaVariable accepts functions and tables by the variable that holds them, and variables outside
// of functions.
func luaVariable(x *extractor, i uint32, s *Symbol) bool {
	at, ok := x.field(i, "name")
	value, ok2 := x.field(i, "value")
	if !ok || !ok2 {
		return false
	}
	if x.src[x.nodes[at].end-1] == ']' {
		return false // of a table's value by a key that need not be a name
	}
	switch x.typeOf(value) {
	case "function":
		s.Kind = "function"
		return luaName(x, at, "method", s)
	case "tableconstructor":
		if x.insideFunction() || !luaName(x, at, "var", s) {
			return false
		}
		x.open = append(x.open, scope{end: x.nodes[i].next, name: s.Name})
		return true
	case "function_call":
		if bytes.HasPrefix(x.text(value), []byte("require")) {
			return false
		}
	}
	return !x.insideFunction() && luaName(x, at, "var", s) && s.Container == ""
}

func luaField(x *extractor, i uint32, _ *Symbol) bool {
	value, ok := x.field(i, "value")
	return ok && x.typeOf(value) == "function" && !x.insideFunction()
}

// luaCall counts the last name of a.b.c() and adds require "x" as an import.
func luaCall(x *extractor, i uint32) {
	name, _ := x.dotted(i)
	if name == 0 {
		return
	}
	x.refer(name)
	if args, ok := x.field(i, "args"); ok && string(x.text(name)) == "require" {
		x.importing(bytes.Trim(bytes.TrimSpace(x.text(args)), "\"'()[]"))
	}
}
