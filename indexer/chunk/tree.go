package chunk

import (
	"bytes"
	"strings"
	"unicode"
)

// tree is the syntax of a file: its nodes, in the order of the source, with what the language says
// of them. A node is known by its index. Not safe for concurrent use.
type tree struct {
	*language
	nodes []node
	src   []byte
	lines *lines
	words map[string]string // the names of all files so far: they share their strings
}

// maxName bounds the bytes of a name; longer ones are data.
const maxName = 200

// children yields the indices of i's children.
func (t *tree) children(i uint32) func(func(uint32) bool) {
	return func(yield func(uint32) bool) {
		for c := i + 1; c < t.nodes[i].next; c = t.nodes[c].next {
			if !yield(c) {
				return
			}
		}
	}
}

// child returns the first child of i that matches a step.
func (t *tree) child(i uint32, s step) (uint32, bool) {
	for c := i + 1; c < t.nodes[i].next; c = t.nodes[c].next {
		n := &t.nodes[c]
		if s.field != 0 && n.field == s.field || s.field == 0 && n.symbol != errorSymbol && t.grammar.names[n.symbol] == s.symbol {
			return c, true
		}
	}
	return 0, false
}

// field returns the child of i in a field.
func (t *tree) field(i uint32, name string) (uint32, bool) {
	id := t.fieldID[name]
	if id == 0 {
		return 0, false
	}
	return t.child(i, step{field: id})
}

// typed returns the first child of i of a type.
func (t *tree) typed(i uint32, name string) (uint32, bool) {
	return t.child(i, step{symbol: name})
}

// typeOf returns the type of node i.
func (t *tree) typeOf(i uint32) string {
	if t.nodes[i].symbol == errorSymbol {
		return "ERROR"
	}
	return t.grammar.names[t.nodes[i].symbol]
}

// follow takes one step from i along p and resolves the rest.
func (t *tree) follow(i uint32, p route) (uint32, bool) {
	for _, s := range p {
		if c, ok := t.child(i, s); ok {
			if at, ok := t.resolve(c); ok {
				return at, true
			}
		}
	}
	return 0, false
}

// resolve follows spec.toward from i to a name.
func (t *tree) resolve(i uint32) (uint32, bool) {
	for range 32 {
		n := &t.nodes[i]
		if n.symbol == errorSymbol {
			return 0, false
		}
		if t.role[n.symbol]&roleName != 0 {
			return i, true
		}
		found := false
		for _, s := range t.toward[n.symbol] {
			if c, ok := t.child(i, s); ok {
				i, found = c, true
				break
			}
		}
		if !found {
			return 0, false
		}
	}
	return 0, false
}

// text returns the bytes of node i, without the blanks before it that some grammars include.
func (t *tree) text(i uint32) []byte { return trimBlank(t.src[t.nodes[i].start:t.nodes[i].end]) }

// word returns the text of node i as a string shared between files, "" for what cannot be a name.
func (t *tree) word(i uint32) string { return t.intern(t.text(i)) }

func (t *tree) intern(text []byte) string {
	if w, ok := t.words[string(text)]; ok {
		return w
	}
	if len(text) > maxName || bytes.IndexFunc(text, unicode.IsControl) >= 0 {
		text = text[:0]
	}
	w := strings.ToValidUTF8(string(text), "")
	t.words[w] = w
	return w
}

// scopeName returns the name of a node that contains definitions without being one.
func (t *tree) scopeName(i uint32) string {
	n := &t.nodes[i]
	if n.symbol == errorSymbol || t.role[n.symbol]&roleScope == 0 {
		return ""
	}
	if at, ok := t.follow(i, t.scopes[n.symbol]); ok {
		return t.word(at)
	}
	return ""
}

func (t *tree) isType(i uint32) bool { return t.role[t.nodes[i].symbol]&roleType != 0 }
