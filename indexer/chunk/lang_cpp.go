package chunk

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

var cppSpec = func() spec {
	s := cSpec
	s.defs = maps.Clone(cSpec.defs)
	maps.Copy(s.defs, map[string]definition{
		"function_definition":        {kind: "function", member: "method", name: "declarator", refine: cppFunction},
		"class_specifier":            {kind: "class", name: "name", scope: true, refine: hasBody},
		"struct_specifier":           {kind: "struct", name: "name", scope: true, refine: hasBody},
		"namespace_definition":       {kind: "module", name: "name", scope: true},
		"alias_declaration":          {kind: "type", name: "name"},
		"concept_definition":         {kind: "type", name: "name"},
		"namespace_alias_definition": {kind: "module", name: "name"},
	})
	s.names = append(slices.Clone(cNames), "namespace_identifier", "nested_namespace_specifier", "destructor_name", "operator_name", "operator_cast")
	s.toward = maps.Clone(cToward)
	maps.Copy(s.toward, map[string]string{
		"qualified_identifier": "name", "template_type": "name", "template_function": "name", "template_method": "name",
		"reference_declarator": ".function_declarator .identifier .pointer_declarator .field_identifier",
		"dependent_name":       ".template_method .template_function .template_type", "dependent_type": ".type_identifier .qualified_identifier",
		"parenthesized_declarator": cToward["parenthesized_declarator"] + " .reference_declarator",
	})
	s.calls = map[string]string{"call_expression": "function"}
	s.fields = []string{"scope"}
	s.builtins += " std string vector map"
	s.typing = &cppTyping
	return s
}()

// cppKeywords are C++ keywords that look like functions after a macro.
var cppKeywords = map[string]bool{
	"namespace": true, "class": true, "template": true, "using": true, "public": true, "private": true, "protected": true,
	"virtual": true, "friend": true, "constexpr": true, "noexcept": true, "requires": true,
}

// cppFunction sets the container of a function defined outside of its class to that class, and
// rejects what only looks like a definition.
func cppFunction(x *extractor, i uint32, s *Symbol) bool {
	if cKeywords[s.Name] || cppKeywords[s.Name] {
		return false
	}
	if head, _, ok := strings.Cut(s.Name, "("); ok && strings.HasPrefix(head, "operator ") {
		s.Name = strings.TrimSpace(head) // operator bool() const
	}
	d, ok := x.field(i, "declarator")
	for range 16 {
		if !ok {
			return true
		}
		if x.typeOf(d) == "qualified_identifier" {
			break
		}
		next, found := x.field(d, "declarator")
		if !found {
			next, found = x.typed(d, "function_declarator")
		}
		d, ok = next, found
	}
	for range 16 {
		name, ok := x.field(d, "name")
		scope, ok2 := x.field(d, "scope")
		if !ok || !ok2 {
			return true
		}
		if at, ok := x.resolve(scope); ok {
			s.Container, s.Kind = x.word(at), "method"
		} else {
			text, _, _ := bytes.Cut(x.text(scope), []byte("<"))
			s.Container = x.intern(text)
		}
		d = name
	}
	return true
}
