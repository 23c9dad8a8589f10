package chunk

import (
	"bytes"
	"slices"
)

// elixirSpec: to the grammar everything is a call, including what defines a module or a function,
// and a module attribute is an operator. The hooks distinguish them by the name that is called.
var elixirSpec = spec{
	defs: map[string]definition{
		"call":           {kind: "function", scope: true, refine: elixirDefinition},
		"unary_operator": {kind: "const", refine: elixirAttribute},
	},
	names:  []string{"identifier"},
	toward: map[string]string{"dot": "right"},
	calls:  map[string]string{"call": "target"},
	visit: map[string]func(*extractor, uint32){
		"call": elixirImport, "alias": elixirAlias, "unary_operator": elixirDocstring,
	},
	comments: []string{"comment"},
	lead:     []string{"unary_operator"}, // @doc, @spec and @impl above a function
	strings:  []string{"string", "charlist", "sigil"},
	builtins: "def defp defmodule defmacro defmacrop defguard defguardp defdelegate defprotocol defimpl defstruct defexception " +
		"alias import require use if unless case cond with for quote unquote raise super __MODULE__ " + elixirReserved,
	doc: elixirDoc,
}

// elixirReserved are the attributes with a meaning of their own, which name no value.
const elixirReserved = "moduledoc doc typedoc spec type typep opaque callback macrocallback impl behaviour derive enforce_keys " +
	"optional_callbacks compile deprecated dialyzer external_resource file before_compile after_compile after_verify on_definition on_load " +
	"fallback_to_any tag moduletag describetag vsn"

// elixirKinds are the calls that define what their first argument names.
var elixirKinds = map[string]string{
	"defmodule": "module", "defprotocol": "interface", "defimpl": "",
	"def": "function", "defp": "function", "defdelegate": "function",
	"defmacro": "macro", "defmacrop": "macro", "defguard": "macro", "defguardp": "macro",
}

// called returns the name that a call without a module before it calls.
func (t *tree) called(i uint32) string {
	if target, ok := t.field(i, "target"); ok && t.typeOf(target) == "identifier" {
		return string(t.text(target))
	}
	return ""
}

// argument returns the first argument of a call.
func (t *tree) argument(i uint32) (uint32, bool) {
	args, ok := t.typed(i, "arguments")
	return args + 1, ok && args+1 < t.nodes[args].next
}

func elixirDefinition(x *extractor, i uint32, s *Symbol) bool {
	target, ok := x.field(i, "target")
	if !ok || x.typeOf(target) != "identifier" || !bytes.HasPrefix(x.text(target), []byte("def")) {
		return false
	}
	word := string(x.text(target))
	kind, ok := elixirKinds[word]
	first, ok2 := x.argument(i)
	if !ok || !ok2 {
		return false
	}
	s.Kind = kind
	switch word {
	case "defmodule", "defprotocol":
		elixirModule(x, first, s)
		return s.Name != ""
	case "defimpl":
		x.open = append(x.open, scope{end: x.nodes[i].next, name: x.intern(lastName(x.text(first), ""))})
		return false
	}
	if top := len(x.open) - 1; kind == "function" && top >= 0 && x.open[top].kind == inType {
		s.Kind = "method" // of a protocol
	}
	name := elixirHead(x, first)
	x.nameEnd = x.nodes[name].end
	x.pending = append(x.pending, name)
	s.Name = x.word(name)
	if x.typeOf(name) == "binary_operator" {
		s.Name = elixirOperator(x, name)
	}
	return true
}

// elixirModule names a module by the last part of its name and makes the other parts its container.
func elixirModule(x *extractor, name uint32, s *Symbol) {
	text := x.text(name)
	x.nameEnd = x.nodes[name].end
	x.pending = append(x.pending, name)
	last := lastName(text, "")
	s.Name = x.intern(last)
	if outer := bytes.TrimSuffix(text[:len(text)-len(last)], []byte(".")); len(outer) > 0 {
		s.Container = x.intern(outer)
	}
}

// elixirHead returns the node with a function's name: of "name(a) when guard", "name" or "a + b".
func elixirHead(x *extractor, i uint32) uint32 {
	for range 4 {
		switch x.typeOf(i) {
		case "call":
			target, ok := x.field(i, "target")
			if !ok {
				return i
			}
			i = target
		case "binary_operator":
			left, ok := x.field(i, "left")
			if op := elixirOperator(x, i); !ok || op != "when" && op != "::" {
				return i
			}
			i = left
		default:
			return i
		}
	}
	return i
}

// elixirOperator returns the text between the two sides of an operator.
func elixirOperator(x *extractor, i uint32) string {
	left, ok := x.field(i, "left")
	right, ok2 := x.field(i, "right")
	if !ok || !ok2 || x.nodes[right].start < x.nodes[left].end {
		return ""
	}
	return x.intern(trimBlank(x.src[x.nodes[left].end:x.nodes[right].start]))
}

// elixirAttribute accepts the types, callbacks and values that a module defines by @name.
func elixirAttribute(x *extractor, i uint32, s *Symbol) bool {
	call, ok := x.field(i, "operand")
	if !ok || x.src[x.nodes[i].start] != '@' || x.typeOf(call) != "call" || x.insideFunction() {
		return false
	}
	word := x.called(call)
	first, ok := x.argument(call)
	if word == "" || !ok {
		return false
	}
	var name uint32
	switch word {
	case "type", "typep", "opaque":
		s.Kind, name = "type", elixirHead(x, first)
	case "callback", "macrocallback":
		s.Kind, name = "method", elixirHead(x, first)
	case "spec":
		x.pending = append(x.pending, elixirHead(x, first))
		return false
	default:
		if x.builtin[word] {
			return false
		}
		name, _ = x.field(call, "target")
	}
	x.nameEnd = x.nodes[name].end
	x.pending = append(x.pending, name)
	s.Name = x.word(name)
	return x.typeOf(name) == "identifier"
}

func elixirImport(x *extractor, i uint32) {
	switch x.called(i) {
	case "alias", "import", "require", "use":
	default:
		return
	}
	first, ok := x.argument(i)
	if !ok {
		return
	}
	head, list, several := bytes.Cut(x.text(first), []byte("{"))
	if !several {
		if x.typeOf(first) == "alias" {
			x.importing(head)
		}
		return
	}
	for name := range bytes.SplitSeq(bytes.TrimSuffix(trimBlank(list), []byte("}")), []byte(",")) {
		if name = trimBlank(name); len(name) > 0 {
			x.importing(slices.Concat(head, name))
		}
	}
}

// elixirAlias counts the last part of a module's name.
func elixirAlias(x *extractor, i uint32) {
	if !x.isPending(i) {
		x.referText(lastName(x.text(i), ""))
	}
}

// elixirText returns the string of an attribute such as @doc.
func elixirText(x *extractor, i uint32, words ...string) (Span, bool) {
	call, ok := x.field(i, "operand")
	if !ok || x.typeOf(call) != "call" || !slices.Contains(words, x.called(call)) {
		return Span{}, false
	}
	first, ok := x.argument(call)
	if !ok || x.typeOf(first) != "string" && x.typeOf(first) != "sigil" {
		return Span{}, false
	}
	return Span{int(x.nodes[first].start), int(x.nodes[first].end)}, true
}

func elixirDocstring(x *extractor, i uint32) {
	if text, ok := elixirText(x, i, "moduledoc", "doc", "typedoc"); ok {
		x.file.Comments = append(x.file.Comments, text)
	}
}

// elixirDoc returns the documentation of the first module, else the comment at the top.
func elixirDoc(x *extractor) Span {
	for i := range uint32(len(x.nodes)) {
		if x.typeOf(i) == "unary_operator" {
			if text, ok := elixirText(x, i, "moduledoc"); ok {
				return text
			}
		}
	}
	return x.topComment()
}
