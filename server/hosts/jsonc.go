package hosts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
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

// parseJSON parses JSON with the extensions that editors accept: comments, trailing commas and a
// byte order mark. A text of only blanks and comments has no value: the node is nil.
func parseJSON(data []byte) (*jsonNode, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("is not UTF-8 text")
	}
	p := &jsonParser{data: data}
	if bytes.HasPrefix(data, byteOrderMark) {
		p.pos = len(byteOrderMark)
	}
	if err := p.skip(); err != nil {
		return nil, err
	}
	if p.pos == len(data) {
		return nil, nil
	}
	n, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if err := p.skip(); err != nil {
		return nil, err
	}
	if p.pos < len(data) {
		return nil, p.errorf("unexpected %s after the value", p.seen())
	}
	return n, nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

type jsonParser struct {
	data []byte
	pos  int
}

// errorf returns an error with the line, from 1, of the current position.
func (p *jsonParser) errorf(format string, args ...any) error {
	line := 1 + bytes.Count(p.data[:min(p.pos, len(p.data))], []byte("\n"))
	return fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
}

// seen quotes the text at the current position.
func (p *jsonParser) seen() string {
	if p.pos >= len(p.data) {
		return "end of the file"
	}
	r, _ := utf8.DecodeRune(p.data[p.pos:])
	return fmt.Sprintf("%q", r)
}

// skip skips blanks and comments.
func (p *jsonParser) skip() error {
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.pos++
		case bytes.HasPrefix(p.data[p.pos:], []byte("//")):
			if n := bytes.IndexByte(p.data[p.pos:], '\n'); n >= 0 {
				p.pos += n
			} else {
				p.pos = len(p.data)
			}
		case bytes.HasPrefix(p.data[p.pos:], []byte("/*")):
			n := bytes.Index(p.data[p.pos+2:], []byte("*/"))
			if n < 0 {
				return p.errorf("a comment does not end")
			}
			p.pos += n + 4
		default:
			return nil
		}
	}
	return nil
}

// next skips blanks and comments and returns the byte at the current position, 0 at the end.
func (p *jsonParser) next() (byte, error) {
	if err := p.skip(); err != nil {
		return 0, err
	}
	if p.pos == len(p.data) {
		return 0, nil
	}
	return p.data[p.pos], nil
}

func (p *jsonParser) value(depth int) (*jsonNode, error) {
	if depth > maxJSONDepth {
		return nil, p.errorf("values are nested deeper than %d", maxJSONDepth)
	}
	c, err := p.next()
	if err != nil {
		return nil, err
	}
	switch c {
	case '{':
		return p.object(depth)
	case '[':
		return p.array(depth)
	case '"':
		return p.text()
	}
	return p.literal()
}

func (p *jsonParser) object(depth int) (*jsonNode, error) {
	n := &jsonNode{kind: jsonObject, start: p.pos}
	p.pos++
	for {
		c, err := p.next()
		if err != nil {
			return nil, err
		}
		if c == '}' {
			p.pos++
			n.end = p.pos
			return n, nil
		}
		if c != '"' {
			return nil, p.errorf("%s where a quoted key is expected", p.seen())
		}
		key, err := p.text()
		if err != nil {
			return nil, err
		}
		if c, err = p.next(); err != nil {
			return nil, err
		}
		if c != ':' {
			return nil, p.errorf("%s where a colon is expected", p.seen())
		}
		p.pos++
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.members = append(n.members, jsonMember{key.text, key.start, value})
		if err := p.separator('}'); err != nil {
			return nil, err
		}
	}
}

func (p *jsonParser) array(depth int) (*jsonNode, error) {
	n := &jsonNode{kind: jsonArray, start: p.pos}
	p.pos++
	for {
		c, err := p.next()
		if err != nil {
			return nil, err
		}
		if c == ']' {
			p.pos++
			n.end = p.pos
			return n, nil
		}
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		n.elements = append(n.elements, value)
		if err := p.separator(']'); err != nil {
			return nil, err
		}
	}
}

// separator skips the comma after a member or element. The comma may be missing only before the
// closing bracket.
func (p *jsonParser) separator(closing byte) error {
	c, err := p.next()
	switch {
	case err != nil:
		return err
	case c == ',':
		p.pos++
	case c != closing:
		return p.errorf("%s where a comma or %q is expected", p.seen(), closing)
	}
	return nil
}

func (p *jsonParser) text() (*jsonNode, error) {
	start := p.pos
	for p.pos++; p.pos < len(p.data); p.pos++ {
		switch p.data[p.pos] {
		case '\\':
			p.pos++
		case '\n':
			return nil, p.errorf("a string does not end on its line")
		case '"':
			p.pos++
			n := &jsonNode{kind: jsonString, start: start, end: p.pos}
			if err := json.Unmarshal(p.data[start:p.pos], &n.text); err != nil {
				return nil, p.errorf("a string cannot be read")
			}
			return n, nil
		}
	}
	p.pos = len(p.data)
	return nil, p.errorf("a string does not end")
}

func (p *jsonParser) literal() (*jsonNode, error) {
	start := p.pos
	for p.pos < len(p.data) && !strings.ContainsRune(" \t\r\n,:]}[{\"/", rune(p.data[p.pos])) {
		p.pos++
	}
	if word := p.data[start:p.pos]; len(word) == 0 || !json.Valid(word) {
		p.pos = start
		return nil, p.errorf("%s where a value is expected", p.seen())
	}
	return &jsonNode{kind: jsonOther, start: start, end: p.pos}, nil
}

// sameTokens reports whether two valid texts differ only in blanks outside strings and comments.
func sameTokens(a, b []byte) bool {
	p, q := &jsonParser{data: a}, &jsonParser{data: b}
	for {
		x, y := p.token(), q.token()
		if !bytes.Equal(x, y) {
			return false
		}
		if len(x) == 0 {
			return true
		}
	}
}

// token skips blanks and returns the next token: a string, a comment or one byte; nothing at the
// end.
func (p *jsonParser) token() []byte {
	p.pos = len(p.data) - len(bytes.TrimLeft(p.data[p.pos:], " \t\r\n"))
	start := p.pos
	if p.pos == len(p.data) {
		return nil
	}
	switch c := p.data[p.pos]; {
	case c == '"':
		if _, err := p.text(); err == nil {
			return p.data[start:p.pos]
		}
	case c == '/':
		if err := p.skip(); err == nil && p.pos > start {
			return bytes.TrimRight(p.data[start:p.pos], " \t\r\n")
		}
	}
	p.pos = start + 1
	return p.data[start:p.pos]
}
