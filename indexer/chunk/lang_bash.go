package chunk

import "bytes"

var bashSpec = spec{
	defs: map[string]definition{
		"function_definition": {kind: "function", name: "name"},
		"variable_assignment": {kind: "var", name: "name", outer: true, refine: bashVariable},
	},
	names:    []string{"word", "variable_name"},
	toward:   map[string]string{"command_name": ".word"},
	calls:    map[string]string{"command": "name"},
	visit:    map[string]func(*extractor, uint32){"command": bashSource},
	comments: []string{"comment"},
	strings:  []string{"raw_string", "heredoc_body"},
	builtins: "echo set cd exit return export local shift test true false source read eval exec trap unset printf if fi do",
}

// bashVariable accepts top-level assignments, except those before a command.
func bashVariable(x *extractor, i uint32, s *Symbol) bool {
	parent := x.nodes[i].parent
	if x.typeOf(parent) == "command" {
		return false
	}
	if bytes.HasPrefix(x.text(parent), []byte("readonly")) || bytes.HasPrefix(x.text(parent), []byte("declare -r")) {
		s.Kind = "const"
	}
	return x.typeOf(parent) == "program" || x.typeOf(parent) == "declaration_command"
}

func bashSource(x *extractor, i uint32) {
	name, ok := x.field(i, "name")
	if !ok {
		return
	}
	if t := string(x.text(name)); t != "source" && t != "." {
		return
	}
	if file, ok := x.field(i, "argument"); ok {
		x.importing(bytes.Trim(x.text(file), `"'`))
	}
}
