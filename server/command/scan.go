package command

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// scanner reads JSON tokens from one value. It is a pull parser: the decoder says which token it expects, so that a
// wrong type is found where it stands and nothing of a huge value is kept that the types do not ask for.
type scanner struct {
	data  []byte
	pos   int
	depth int
}

// kinds of JSON values, as messages name them.
const (
	kindObject  = "an object"
	kindList    = "a list"
	kindString  = "a string"
	kindNumber  = "a number"
	kindBool    = "true or false"
	kindNull    = "null"
	kindInvalid = "no JSON"
)

// peek skips white space and returns the kind of the value that starts there.
func (s *scanner) peek() string {
	s.space()
	if s.pos >= len(s.data) {
		return kindInvalid
	}
	switch c := s.data[s.pos]; {
	case c == '{':
		return kindObject
	case c == '[':
		return kindList
	case c == '"':
		return kindString
	case c == '-' || '0' <= c && c <= '9':
		return kindNumber
	}
	switch {
	case s.at("true"), s.at("false"):
		return kindBool
	case s.at("null"):
		return kindNull
	}
	return kindInvalid
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// take skips white space and consumes c if it is next.
func (s *scanner) take(c byte) bool {
	s.space()
	if s.pos < len(s.data) && s.data[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

// enter consumes the opening delimiter of an object or a list.
func (s *scanner) enter(path string) *Error {
	s.pos++
	s.depth++
	if s.depth > MaxDepth {
		return InvalidParams(pathOr(path, argumentsPath), "is nested deeper than %d", MaxDepth)
	}
	return nil
}

// more says whether another element follows, consuming the comma before it or the closing delimiter. first is whether
// none has been read yet.
func (s *scanner) more(closing byte, first bool, path string) (bool, *Error) {
	if s.take(closing) {
		s.depth--
		return false, nil
	}
	if !first && !s.take(',') {
		return false, s.syntax(path)
	}
	return true, nil
}

// at says whether word is next.
func (s *scanner) at(word string) bool {
	return len(s.data)-s.pos >= len(word) && string(s.data[s.pos:s.pos+len(word)]) == word
}

// literal consumes word, one of true, false, null, if it is next.
func (s *scanner) literal(word string) bool {
	if !s.at(word) {
		return false
	}
	s.pos += len(word)
	return true
}

// number consumes a number and returns it as it is written.
func (s *scanner) number(path string) (string, *Error) {
	start := s.pos
	for s.pos < len(s.data) && strings.IndexByte("+-.0123456789eE", s.data[s.pos]) >= 0 {
		s.pos++
	}
	lit := s.data[start:s.pos]
	if !json.Valid(lit) {
		return "", s.syntax(path)
	}
	return string(lit), nil
}

// str consumes a string. Like encoding/json, invalid UTF-8 and lone surrogates become U+FFFD.
func (s *scanner) str(path string) (string, *Error) {
	start, plain := s.pos, true
	for i := s.pos + 1; i < len(s.data); i++ {
		switch c := s.data[i]; {
		case c == '"':
			s.pos = i + 1
			lit := s.data[start:s.pos]
			if plain && utf8.Valid(lit) {
				return string(lit[1 : len(lit)-1]), nil
			}
			var out string
			if err := json.Unmarshal(lit, &out); err != nil {
				return "", s.syntax(path)
			}
			return out, nil
		case c == '\\':
			plain = false
			i++
		case c < ' ':
			s.pos = i
			return "", s.syntax(path)
		}
	}
	s.pos = len(s.data)
	return "", s.syntax(path)
}

// raw consumes any value and returns it as it is written, with invalid UTF-8 replaced. Only its syntax and depth are
// checked: it is somebody else's data.
func (s *scanner) raw(path string) (json.RawMessage, *Error) {
	s.space()
	start := s.pos
	if err := s.skip(path); err != nil {
		return nil, err
	}
	out := s.data[start:s.pos]
	if !utf8.Valid(out) {
		return json.RawMessage(strings.ToValidUTF8(string(out), "\uFFFD")), nil
	}
	return append(json.RawMessage(nil), out...), nil
}

func (s *scanner) skip(path string) *Error {
	switch s.peek() {
	case kindObject:
		return s.skipMembers(path, '}')
	case kindList:
		return s.skipMembers(path, ']')
	case kindString:
		_, err := s.str(path)
		return err
	case kindNumber:
		_, err := s.number(path)
		return err
	}
	if s.literal("true") || s.literal("false") || s.literal("null") {
		return nil
	}
	return s.syntax(path)
}

func (s *scanner) skipMembers(path string, closing byte) *Error {
	if err := s.enter(path); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := s.more(closing, first, path)
		if err != nil || !more {
			return err
		}
		if closing == '}' {
			if _, err := s.key(path); err != nil {
				return err
			}
		}
		if err := s.skip(path); err != nil {
			return err
		}
	}
}

// key consumes the name of an object's member and the colon after it.
func (s *scanner) key(path string) (string, *Error) {
	if s.peek() != kindString {
		return "", s.syntax(path)
	}
	name, err := s.str(path)
	if err != nil {
		return "", err
	}
	if !s.take(':') {
		return "", s.syntax(path)
	}
	return name, nil
}

func (s *scanner) syntax(path string) *Error {
	return InvalidParams(pathOr(path, argumentsPath), "is not valid JSON at byte %d", s.pos)
}

// parseInt reads a JSON number as an integer. As JSON Schema has it, 12000.0 and 12e3 are integers and 1.5 is not;
// the digits are compared as text, so that nothing is rounded on the way.
func parseInt(lit string) (int64, bool) {
	if n, err := strconv.ParseInt(lit, 10, 64); err == nil {
		return n, true
	}
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(lit), "e")
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if strings.Trim(digits, "0") == "" {
		return 0, true
	}
	point := len(whole)
	if hasExponent {
		e, err := strconv.Atoi(exponent)
		if err != nil || e > 1000 || e < -len(digits) {
			return 0, false
		}
		point += e
	}
	switch {
	case point <= 0:
		return 0, false
	case point > len(digits):
		digits += strings.Repeat("0", point-len(digits))
	case strings.Trim(digits[point:], "0") != "":
		return 0, false
	}
	n, err := strconv.ParseInt(sign+digits[:point], 10, 64)
	return n, err == nil
}
