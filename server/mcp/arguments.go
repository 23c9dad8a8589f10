package mcp

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// coercion converts arguments to the types of a tool's schema. Models and hosts send numbers,
// booleans, lists and objects as strings, whole numbers as 3.0, one string for a list, and null or
// "" for what they leave out. A value is converted only if it has a single meaning in the schema;
// any other stays as it is, for the checks that name the argument.
type coercion struct {
	defs map[string]any // of the schema, to which its references lead
	// blank makes "" stand for any absent argument, not only where the schema excludes it.
	blank bool
}

// coerce converts the arguments of a call; blank as in [coercion].
func coerce(schema map[string]any, blank bool, raw json.RawMessage) json.RawMessage {
	defs, _ := schema["$defs"].(map[string]any) // nil if it has none
	return coercion{defs, blank}.value(schema, raw)
}

// value converts one value.
func (c coercion) value(schema map[string]any, raw json.RawMessage) json.RawMessage {
	if ref, ok := schema["$ref"].(string); ok {
		schema, _ = c.defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	switch raw = bytes.TrimSpace(raw); kindOf(schema) {
	case "object":
		return c.object(schema, parsed(raw, '{'))
	case "array":
		return c.list(schema, parsed(raw, '['))
	case "integer", "number":
		return numeric(raw)
	case "boolean":
		if word := strings.ToLower(unquoted(raw)); word == "true" || word == "false" {
			return json.RawMessage(word)
		}
	case "string":
		return textual(schema, raw)
	case "":
		return c.either(schema, raw)
	}
	return raw
}

// either converts a value for which a schema has several types, such as a turn's id or its number:
// to the first that is no string, if it can be converted to one.
func (c coercion) either(schema map[string]any, raw json.RawMessage) json.RawMessage {
	options, _ := schema["anyOf"].([]any)
	for _, o := range options {
		option, _ := o.(map[string]any)
		if kindOf(option) == "string" {
			continue
		}
		if out := c.value(option, raw); !bytes.Equal(out, raw) {
			return out
		}
	}
	return raw
}

// object converts the members of an object and removes the optional ones that stand for nothing.
func (c coercion) object(schema map[string]any, raw json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if !opens(raw, '{') || json.Unmarshal(raw, &members) != nil {
		return raw
	}
	properties, _ := schema["properties"].(map[string]any)
	others, _ := schema["additionalProperties"].(map[string]any)
	before := maps.Clone(members)
	for name, value := range before {
		member, known := properties[name].(map[string]any)
		if !known {
			if member = others; member == nil {
				continue
			}
		}
		if known && !requires(schema, name) && c.isNothing(member, value) {
			delete(members, name)
			continue
		}
		members[name] = c.value(member, value)
	}
	if maps.EqualFunc(before, members, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		return raw // as it was, with names that are given twice
	}
	return marshalled(members, raw)
}

// isNothing reports whether an optional argument counts as absent: null, or an empty string where
// no string is expected or not an empty one.
func (c coercion) isNothing(schema map[string]any, raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "null":
		return true
	case `""`:
	default:
		return false
	}
	if c.blank || kindOf(schema) != "string" {
		return true
	}
	for _, limit := range []string{"enum", "format", "pattern"} {
		if schema[limit] != nil {
			return true
		}
	}
	least, _ := schema["minLength"].(json.Number)
	return least != "" && least != "0"
}

// list converts the elements of a list. A string that is no list holds elements that are separated
// by commas, and any other value is the only element.
func (c coercion) list(schema map[string]any, raw json.RawMessage) json.RawMessage {
	items, _ := schema["items"].(map[string]any)
	var elements []json.RawMessage
	switch {
	case opens(raw, '['):
		if json.Unmarshal(raw, &elements) != nil {
			return raw
		}
	case opens(raw, '"'):
		for _, part := range apart(unquoted(raw)) {
			elements = append(elements, marshalled(part, raw))
		}
	case len(raw) == 0 || raw[0] == 'n': // null
		return raw
	default:
		elements = []json.RawMessage{raw}
	}
	for i := range elements {
		elements[i] = c.value(items, elements[i])
	}
	return marshalled(elements, raw)
}

// apart splits a text at its commas, except those within the brackets and braces of a glob.
func apart(text string) []string {
	depth := 0
	parts := strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		}
		return r == ',' && depth <= 0
	})
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// numeric converts a number or a string with one; whole numbers lose a fraction of 0.
func numeric(raw json.RawMessage) json.RawMessage {
	literal := raw
	if opens(raw, '"') {
		literal = json.RawMessage(unquoted(raw))
	}
	if len(literal) == 0 || literal[0] != '-' && (literal[0] < '0' || literal[0] > '9') || !json.Valid(literal) {
		return raw
	}
	const exact = 1 << 53
	n, err := strconv.ParseFloat(string(literal), 64)
	if err == nil && n == math.Trunc(n) && math.Abs(n) <= exact {
		return strconv.AppendInt(nil, int64(n), 10)
	}
	return literal
}

// textual converts a string: a number or a truth value to its text, and one of the schema's values
// in another case to that value.
func textual(schema map[string]any, raw json.RawMessage) json.RawMessage {
	if len(raw) > 0 && strings.IndexByte(`"{[n`, raw[0]) < 0 && json.Valid(raw) {
		raw = marshalled(string(raw), raw)
	}
	values := valuesOf(schema)
	if values == nil {
		return raw
	}
	var text string
	if json.Unmarshal(raw, &text) != nil || slices.Contains(values, text) {
		return raw
	}
	for _, v := range values {
		if strings.EqualFold(v, strings.TrimSpace(text)) {
			return marshalled(v, raw)
		}
	}
	return raw
}

// valuesOf returns the strings that a schema allows; nil for any.
func valuesOf(schema map[string]any) []string {
	switch list := schema["enum"].(type) {
	case []string:
		return list
	case []any:
		var out []string
		for _, v := range list {
			if text, ok := v.(string); ok {
				out = append(out, text)
			}
		}
		return out
	}
	return nil
}

// kindOf returns the type of a schema, the first if it has several; "" if it has none.
func kindOf(schema map[string]any) string {
	switch kind := schema["type"].(type) {
	case string:
		return kind
	case []any:
		if len(kind) > 0 {
			first, _ := kind[0].(string)
			return first
		}
	}
	return ""
}

// requires reports whether a schema requires a member.
func requires(schema map[string]any, name string) bool {
	switch list := schema["required"].(type) {
	case []string:
		return slices.Contains(list, name)
	case []any:
		return slices.Contains(list, any(name))
	}
	return false
}

// unquoted returns the content of a JSON string without white space around it; "" for other JSON.
func unquoted(raw json.RawMessage) string {
	var text string
	if opens(raw, '"') {
		_ = json.Unmarshal(raw, &text) // the call's arguments were valid JSON
	}
	return strings.TrimSpace(text)
}

// parsed returns the JSON that a string contains, if it begins with a character; else raw.
func parsed(raw json.RawMessage, first byte) json.RawMessage {
	if inner := json.RawMessage(unquoted(raw)); opens(inner, first) && json.Valid(inner) {
		return inner
	}
	return raw
}

// opens reports whether JSON begins with a character.
func opens(raw json.RawMessage, first byte) bool { return len(raw) > 0 && raw[0] == first }

// marshalled returns a value as JSON, or what it was made of if it cannot be.
func marshalled(v any, otherwise json.RawMessage) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		return otherwise
	}
	return out
}
