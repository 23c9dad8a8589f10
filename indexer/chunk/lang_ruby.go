package chunk

import "bytes"

var rubySpec = spec{
	defs: map[string]definition{
		"module":           {kind: "module", name: "name", scope: true},
		"class":            {kind: "class", name: "name", scope: true},
		"method":           {kind: "function", name: "name", refine: rubyMethod},
		"singleton_method": {kind: "method", name: "name"},
		"assignment":       {kind: "const", name: "left", outer: true, refine: rubyConstant},
	},
	names: []string{"identifier", "constant", "operator", "setter"},
	toward: map[string]string{
		"scope_resolution": "name", "superclass": ".constant .scope_resolution",
	},
	calls:    map[string]string{"call": "method"},
	types:    []string{"constant"},
	visit:    map[string]func(*extractor, uint32){"call": rubyRequire},
	comments: []string{"comment"},
	strings:  []string{"heredoc_body", "regex"},
	builtins: "require require_relative include extend attr_reader attr_writer attr_accessor private public protected puts raise",
}

func rubyMethod(x *extractor, _ uint32, s *Symbol) bool {
	if len(x.open) > 0 && x.open[len(x.open)-1].kind != inFunction {
		s.Kind = "method"
	}
	return true
}

// rubyConstant accepts constants, and as classes those made by Struct.new and the like.
func rubyConstant(x *extractor, i uint32, s *Symbol) bool {
	left, ok := x.field(i, "left")
	if !ok || x.typeOf(left) != "constant" {
		return false
	}
	if right, ok := x.field(i, "right"); ok {
		for _, maker := range []string{"Struct.new", "Class.new", "Data.define", "Module.new"} {
			if bytes.HasPrefix(x.text(right), []byte(maker)) {
				s.Kind = "class"
				x.open = append(x.open, scope{end: x.nodes[i].next, name: s.Name})
			}
		}
	}
	return true
}

func rubyRequire(x *extractor, i uint32) {
	m, ok := x.field(i, "method")
	if !ok {
		return
	}
	switch string(x.text(m)) {
	case "require", "require_relative", "load", "autoload":
		if args, ok := x.field(i, "arguments"); ok {
			if s, ok := x.typed(args, "string"); ok {
				x.importing(bytes.Trim(x.text(s), `"'`))
			}
		}
	}
}
