package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// jsonKind is the kind of a JSON value.
type jsonKind byte

const (
	jsonObject jsonKind = iota
	jsonArray
	jsonString
	jsonOther // a number, true, false or null
)

// jsonNode is a value of a JSON text, at the bytes [start, end).
type jsonNode struct {
	kind       jsonKind
	start, end int
	text       string // of a string, decoded
	members    []jsonMember
	elements   []*jsonNode
	commas     []int // where the comma behind each member or element is; -1 without one
}

// jsonMember is a member of an object. Its text begins at start, with the key's quotation mark.
type jsonMember struct {
	key   string
	start int
	value *jsonNode
}

// member returns the value of a key; nil if the node is not an object or lacks the key. If a key
// occurs twice, the last one counts, as for most parsers.
func (n *jsonNode) member(key string) *jsonNode {
	if n == nil {
		return nil
	}
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].key == key {
			return n.members[i].value
		}
	}
	return nil
}

// at follows keys through nested objects; nil if one is missing.
func (n *jsonNode) at(path ...string) *jsonNode {
	for _, key := range path {
		n = n.member(key)
	}
	return n
}

// maxJSONDepth limits the nesting of a text, as the contract does for messages.
const maxJSONDepth = 100

var byteOrderMark = []byte("\xef\xbb\xbf")

// parseJSON parses JSON with the extensions that editors accept: comments, trailing commas and a
// byte order mark. A text of only blanks and comments has no value: the node is nil.
func parseJSON(data []byte) (*jsonNode, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("is not UTF-8 text")
	}
	if isDeep(data) {
		return nil, fmt.Errorf("values are nested deeper than %d", maxJSONDepth)
	}
	text := bytes.TrimPrefix(data, byteOrderMark)
	v, err := hujson.Parse(text)
	if err == nil {
		return nodeOf(&v, len(data)-len(text)), nil
	}
	if blank, failed := hujson.Parse(slices.Concat(text, []byte("\nnull"))); failed == nil && blank.StartOffset > len(text) {
		return nil, nil
	}
	return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
}

// isDeep reports whether a text is nested so deeply that a parser should not follow it.
func isDeep(data []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"' || c == '\n':
			inString = c == '"' && !inString
		case inString && c == '\\':
			i++
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxJSONDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// nodeOf returns the node of a value of a text that begins at byte at.
func nodeOf(v *hujson.Value, at int) *jsonNode {
	n := &jsonNode{kind: jsonOther, start: at + v.StartOffset, end: at + v.EndOffset}
	var last *hujson.Value
	comma := func(v *hujson.Value) {
		n.commas = append(n.commas, at+v.EndOffset+len(v.AfterExtra))
		last = v
	}
	switch value := v.Value.(type) {
	case *hujson.Object:
		n.kind = jsonObject
		for i := range value.Members {
			m := &value.Members[i]
			n.members = append(n.members, jsonMember{m.Name.Value.(hujson.Literal).String(), at + m.Name.StartOffset, nodeOf(&m.Value, at)})
			comma(&m.Value)
		}
	case *hujson.Array:
		n.kind = jsonArray
		for i := range value.Elements {
			n.elements = append(n.elements, nodeOf(&value.Elements[i], at))
			comma(&value.Elements[i])
		}
	case hujson.Literal:
		if value.Kind() == '"' {
			n.kind, n.text = jsonString, value.String()
		}
	}
	if last != nil && last.AfterExtra == nil { // how hujson says that there is no comma behind the last
		n.commas[len(n.commas)-1] = -1
	}
	return n
}

// sameTokens reports whether two texts differ only in blanks outside strings. Texts that cannot be
// parsed do.
func sameTokens(a, b []byte) bool {
	x, err := squeeze(a)
	y, err2 := squeeze(b)
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

// squeeze returns a text without the blanks outside strings.
func squeeze(data []byte) ([]byte, error) {
	v, err := hujson.Parse(bytes.TrimPrefix(data, byteOrderMark))
	if err != nil {
		return nil, err
	}
	for part := range v.All() {
		part.BeforeExtra, part.AfterExtra = withoutBlanks(part.BeforeExtra), withoutBlanks(part.AfterExtra)
		switch value := part.Value.(type) {
		case *hujson.Object:
			value.AfterExtra = withoutBlanks(value.AfterExtra)
		case *hujson.Array:
			value.AfterExtra = withoutBlanks(value.AfterExtra)
		}
	}
	return v.Pack(), nil
}

// withoutBlanks returns blanks and comments without the blanks; not nil if they are not.
func withoutBlanks(e hujson.Extra) hujson.Extra {
	if e == nil {
		return nil
	}
	return append(hujson.Extra{}, bytes.Join(bytes.Fields(e), nil)...)
}
