package hosts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// fields is a JSON object whose members keep their order. A list is []any; any other value has its
// type in encoding/json.
type fields []field

type field struct {
	key   string
	value any
}

// layout is the layout of a JSON text, which insertions follow.
type layout struct {
	unit    string // of indentation
	newline string
}

// layoutOf derives the layout from the first indented line; two spaces if there is none.
func layoutOf(data []byte) layout {
	l := layout{"  ", "\n"}
	if n := bytes.IndexByte(data, '\n'); n > 0 && data[n-1] == '\r' {
		l.newline = "\r\n"
	}
	for line := range bytes.Lines(data) {
		rest := bytes.TrimLeft(line, " \t")
		if n := len(line) - len(rest); n > 0 && len(rest) > 0 && rest[0] == '"' {
			l.unit = string(line[:n])
			break
		}
	}
	return l
}

// write formats a value on a line that is indented by indent.
func (l layout) write(value any, indent string) string {
	switch v := value.(type) {
	case fields:
		if len(v) == 0 {
			return "{}"
		}
		lines := make([]string, len(v))
		for i, f := range v {
			lines[i] = indent + l.unit + l.write(f.key, "") + ": " + l.write(f.value, indent+l.unit)
		}
		return "{" + l.newline + strings.Join(lines, ","+l.newline) + l.newline + indent + "}"
	case []any:
		return l.list(v, indent)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil { // cannot happen: there are only strings, numbers and booleans
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// list formats a list: on one line if it contains no objects.
func (l layout) list(v []any, indent string) string {
	flat := true
	parts := make([]string, len(v))
	for i, e := range v {
		if _, is := e.(fields); is {
			flat = false
		}
		parts[i] = l.write(e, indent+l.unit)
	}
	if flat {
		return "[" + strings.Join(parts, ", ") + "]"
	}
	between := l.newline + indent + l.unit
	return "[" + between + strings.Join(parts, ","+between) + l.newline + indent + "]"
}

// setMember sets a member of the object at a path and creates missing objects. An existing member
// is replaced in place; all other bytes are preserved.
func setMember(data []byte, path []string, key string, value any) ([]byte, error) {
	root, err := rootObject(data)
	if err != nil {
		return nil, err
	}
	l := layoutOf(data)
	if root == nil {
		return freshObject(data, l, nested(append(path[:len(path):len(path)], key), value)), nil
	}
	in := root
	for i, name := range path {
		child := in.member(name)
		if child == nil {
			return insertInto(data, in, l, name, nested(append(path[i+1:len(path):len(path)], key), value)), nil
		}
		if child.kind != jsonObject {
			return nil, fmt.Errorf("%s is not an object", strings.Join(path[:i+1], "."))
		}
		in = child
	}
	if old := in.member(key); old != nil {
		return splice(data, old.start, old.end, l.write(value, lineIndent(data, old.start))), nil
	}
	return insertInto(data, in, l, key, value), nil
}

// addElement appends an element to the list at a path, which is created if it is missing.
func addElement(data []byte, path []string, value any) ([]byte, error) {
	root, err := rootObject(data)
	if err != nil {
		return nil, err
	}
	list := root.at(path...)
	if list == nil {
		last := len(path) - 1
		return setMember(data, path[:last], path[last], []any{value})
	}
	if list.kind != jsonArray {
		return nil, fmt.Errorf("%s is not a list", strings.Join(path, "."))
	}
	return insertInto(data, list, layoutOf(data), "", value), nil
}

// rootObject parses a text whose value must be an object; nil for a text without a value.
func rootObject(data []byte) (*jsonNode, error) {
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	if root != nil && root.kind != jsonObject {
		return nil, fmt.Errorf("is not a JSON object")
	}
	return root, nil
}

// nested wraps a value in objects, one per key.
func nested(path []string, value any) any {
	for i := len(path) - 1; i > 0; i-- {
		value = fields{{path[i], value}}
	}
	return fields{{path[0], value}}
}

// freshObject appends an object to the contents of a text without a value: a byte order mark,
// comments.
func freshObject(data []byte, l layout, value any) []byte {
	out := bytes.TrimRight(data, " \t\r\n")
	out = out[:len(out):len(out)]
	if len(out) > 0 && !bytes.Equal(out, byteOrderMark) {
		out = append(out, l.newline...)
	}
	out = append(out, l.write(value, "")...)
	return append(out, l.newline...)
}

// insertInto adds a member, or an element if key is empty, at the end of an object or list.
func insertInto(data []byte, in *jsonNode, l layout, key string, value any) []byte {
	indent := lineIndent(data, in.start)
	if in.kind == jsonObject || key != "" {
		value = fields{{key, value}}
	}
	text := func(indent string) string {
		if f, is := value.(fields); is && in.kind == jsonObject {
			return l.write(f[0].key, "") + ": " + l.write(f[0].value, indent)
		}
		return l.write(value, indent)
	}
	ends := in.ends()
	last := len(ends) - 1
	if last < 0 {
		inner := strings.TrimRight(string(data[in.start+1:in.end-1]), " \t\r\n") // comments are kept
		return splice(data, in.start+1, in.end-1, inner+l.newline+indent+l.unit+text(indent+l.unit)+l.newline+indent)
	}
	end, comma := ends[last], in.commas[last]
	first := in.begins()[0]
	if !bytes.ContainsRune(data[in.start:first], '\n') { // everything is on one line
		flat := layout{"", ""}.oneLine(value, in.kind == jsonObject)
		if comma >= 0 {
			return splice(data, comma+1, comma+1, " "+flat+",")
		}
		return splice(data, end, end, ", "+flat)
	}
	indent = lineIndent(data, first)
	if comma >= 0 {
		at := lineEnd(data, comma+1, in.end-1)
		return splice(data, at, at, l.newline+indent+text(indent)+",")
	}
	at := lineEnd(data, end, in.end-1)
	out := splice(data, at, at, l.newline+indent+text(indent))
	return splice(out, end, end, ",")
}

// oneLine formats a value without line breaks.
func (layout) oneLine(value any, member bool) string {
	var write func(v any) string
	write = func(v any) string {
		switch v := v.(type) {
		case fields:
			parts := make([]string, len(v))
			for i, f := range v {
				parts[i] = write(f.key) + ": " + write(f.value)
			}
			return "{" + strings.Join(parts, ", ") + "}"
		case []any:
			parts := make([]string, len(v))
			for i, e := range v {
				parts[i] = write(e)
			}
			return "[" + strings.Join(parts, ", ") + "]"
		}
		return layout{}.write(v, "")
	}
	text := write(value)
	if member {
		return text[1 : len(text)-1]
	}
	return text
}

// begins and ends return where the members or elements of a node begin and end.
func (n *jsonNode) begins() (out []int) {
	for _, m := range n.members {
		out = append(out, m.start)
	}
	for _, e := range n.elements {
		out = append(out, e.start)
	}
	return out
}

func (n *jsonNode) ends() (out []int) {
	for _, m := range n.members {
		out = append(out, m.value.end)
	}
	for _, e := range n.elements {
		out = append(out, e.end)
	}
	return out
}

// removeAt removes the i-th member or element of a node, with its comma and its line.
func removeAt(data []byte, in *jsonNode, i int) []byte {
	begin, end := in.begins()[i], in.ends()[i]
	closing := in.end - 1
	before := in.start + 1 // after what precedes it: the bracket or the previous one
	if i > 0 {
		before = in.ends()[i-1]
	}
	if comma := in.commas[i]; comma >= 0 {
		end = comma + 1
	} else if i > 0 { // the last one, without a trailing comma: the comma before it is removed too
		comma := in.commas[i-1]
		data = splice(data, comma, comma+1, "")
		begin, end, closing = begin-1, end-1, closing-1
	}
	if len(in.begins()) == 1 && len(bytes.TrimSpace(data[before:begin])) == 0 && len(bytes.TrimSpace(data[end:closing])) == 0 {
		return splice(data, before, closing, "") // nothing is left inside
	}
	return splice(data, blankBefore(data, begin, before), end, "")
}

// blankBefore returns the beginning of the blanks before at, including the preceding line break,
// but not before least.
func blankBefore(data []byte, at, least int) int {
	i := at
	for i > least && (data[i-1] == ' ' || data[i-1] == '\t') {
		i--
	}
	if i > least && data[i-1] == '\n' {
		i--
		if i > least && data[i-1] == '\r' {
			i--
		}
		return i
	}
	return i
}

// lineEnd returns the end of the line of at if only blanks and one comment follow on it, else at,
// but not beyond limit.
func lineEnd(data []byte, at, limit int) int {
	rest := data[at:limit]
	n := bytes.IndexByte(rest, '\n')
	if n < 0 {
		return at
	}
	line := bytes.TrimRight(rest[:n], " \t\r")
	text := bytes.TrimLeft(line, " \t")
	isLine := bytes.HasPrefix(text, []byte("//"))
	isBlock := bytes.HasPrefix(text, []byte("/*")) && bytes.Index(text, []byte("*/")) == len(text)-2
	if isLine || isBlock {
		return at + len(line)
	}
	return at
}

// lineIndent returns the indentation of the line of at.
func lineIndent(data []byte, at int) string {
	line := data[bytes.LastIndexByte(data[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// splice replaces the bytes [from, to).
func splice(data []byte, from, to int, text string) []byte {
	out := make([]byte, 0, len(data)-(to-from)+len(text))
	out = append(out, data[:from]...)
	out = append(out, text...)
	return append(out, data[to:]...)
}
