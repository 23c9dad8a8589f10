package memory

import (
	"bytes"
	"encoding/json"
	"strings"
)

// mapStrings returns a valid JSON value with f applied to every string in it, names of fields
// included; a string that f does not change keeps its bytes. field is the last field name before
// the string, "" before the first: the field whose value is the string or the list with it.
func mapStrings(value string, f func(field, s string) string) string {
	var out strings.Builder
	field, done := "", 0
	for i := 0; i < len(value); i++ {
		if value[i] != '"' {
			continue
		}
		end := stringEnd(value, i)
		read := unquoted(value[i:end])
		if made := f(field, read); made != read {
			out.WriteString(value[done:i])
			out.WriteString(quoted(made))
			done = end
		}
		if rest := strings.TrimLeft(value[end:], " \t\r\n"); strings.HasPrefix(rest, ":") {
			field = read
		}
		i = end - 1
	}
	if done == 0 {
		return value
	}
	out.WriteString(value[done:])
	return out.String()
}

// stringEnd returns the end of a string that begins at an index, including its quotes.
func stringEnd(value string, begin int) int {
	for i := begin + 1; i < len(value); i++ {
		switch value[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(value)
}

// unquoted decodes a JSON string.
func unquoted(s string) string {
	if inner := s[1 : len(s)-1]; !strings.Contains(inner, `\`) {
		return inner
	}
	var read string
	if json.Unmarshal([]byte(s), &read) != nil {
		return s[1 : len(s)-1] // not JSON
	}
	return read
}

// quoted encodes a string as JSON, as export does: without escapes for HTML.
func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // cannot fail for a string
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
