package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// scanner reads the tokens of one JSON value for a decoder that names the expected kind of each
// token: a wrong type is found at its position, and of a huge value only what the types ask for is
// kept in memory.
type scanner struct{ tokens *jsontext.Decoder }

// The decoder refuses repeated names, with their path.
func newScanner(data []byte) *scanner {
	return &scanner{jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

// The kinds of JSON values, as messages name them.
const (
	kindObject  = "an object"
	kindList    = "a list"
	kindString  = "a string"
	kindNumber  = "a number"
	kindBool    = "true or false"
	kindNull    = "null"
	kindInvalid = "no JSON"
)

// peek returns the kind of the next value, kindInvalid when none starts.
func (s *scanner) peek() string {
	switch s.tokens.PeekKind() {
	case '{':
		return kindObject
	case '[':
		return kindList
	case '"':
		return kindString
	case '0':
		return kindNumber
	case 't', 'f':
		return kindBool
	case 'n':
		return kindNull
	}
	return kindInvalid
}

// enter consumes the opening delimiter of an object or a list.
func (s *scanner) enter(path string) *Error {
	if _, err := s.tokens.ReadToken(); err != nil {
		return s.syntax(path, err)
	}
	if s.tokens.StackDepth() > MaxDepth {
		return tooDeep(path)
	}
	return nil
}

func tooDeep(path string) *Error {
	return InvalidParams(pathOr(path, argumentsPath), "is nested deeper than %d", MaxDepth)
}

// more reports whether another element follows, and consumes the closing delimiter when none does.
func (s *scanner) more(path string) (bool, *Error) {
	switch s.tokens.PeekKind() {
	case '}', ']':
		if _, err := s.tokens.ReadToken(); err != nil {
			return false, s.syntax(path, err)
		}
		return false, nil
	case 0:
		return false, s.invalid(path)
	}
	return true, nil
}

// text consumes a string, a number as written, or the name of an object's member. Invalid UTF-8 and
// lone surrogates become U+FFFD.
func (s *scanner) text(path string) (string, *Error) {
	token, err := s.tokens.ReadToken()
	if err != nil {
		return "", s.syntax(path, err)
	}
	return token.String(), nil
}

// boolean consumes true or false.
func (s *scanner) boolean(path string) (bool, *Error) {
	token, err := s.tokens.ReadToken()
	if err != nil {
		return false, s.syntax(path, err)
	}
	return token.Bool(), nil
}

// null reports whether null is next, and consumes it.
func (s *scanner) null() bool {
	if s.tokens.PeekKind() != 'n' {
		return false
	}
	_, err := s.tokens.ReadToken()
	return err == nil
}

// raw consumes any value and returns it as written, with invalid UTF-8 replaced. Only its syntax
// and depth are checked, since its content is not part of the contract.
func (s *scanner) raw(path string) (json.RawMessage, *Error) {
	above := s.tokens.StackDepth()
	value, err := s.tokens.ReadValue()
	if err != nil {
		return nil, s.syntax(path, err)
	}
	if above+depthOf(value) > MaxDepth {
		return nil, tooDeep(path)
	}
	if !utf8.Valid(value) {
		return json.RawMessage(strings.ToValidUTF8(string(value), "\uFFFD")), nil
	}
	return json.RawMessage(value.Clone()), nil
}

// depthOf returns how deeply objects and lists are nested in a valid value.
func depthOf(value jsontext.Value) (deepest int) {
	within := newScanner(value).tokens
	for {
		if _, err := within.ReadToken(); err != nil {
			return deepest
		}
		deepest = max(deepest, within.StackDepth())
	}
}

// end returns an error when anything follows the value.
func (s *scanner) end(path string) *Error {
	switch _, err := s.tokens.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return s.syntax(path, err)
	}
	return s.invalid(path)
}

// invalid returns the error for a missing or malformed value.
func (s *scanner) invalid(path string) *Error {
	_, err := s.tokens.ReadToken()
	return s.syntax(path, err)
}

func (s *scanner) syntax(path string, err error) *Error {
	at := s.tokens.InputOffset()
	if wrong, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at = wrong.ByteOffset
	}
	return InvalidParams(pathOr(path, argumentsPath), "is not valid JSON at byte %d", at)
}

// parseInt parses a JSON number as an integer. As in JSON Schema, 12000.0 and 12e3 are integers and
// 1.5 is not; the digits are compared as text, so that nothing is rounded.
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
