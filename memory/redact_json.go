package memory

import (
	"bytes"
	"encoding/json"
	"strings"
)

// mapStrings returns a valid JSON value with every string in it, names of fields too, as f gives
// it; what f leaves as it is keeps its bytes. field is the name that came last, "" before the
// first: that of the field which a string is the value of, or in the list of.
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

// stringEnd returns where a string that begins at an index ends, its quotes included.
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

// unquoted reads a string of JSON.
func unquoted(s string) string {
	if inner := s[1 : len(s)-1]; !strings.Contains(inner, `\`) {
		return inner
	}
	var read string
	if json.Unmarshal([]byte(s), &read) != nil {
		return s[1 : len(s)-1] // no JSON
	}
	return read
}

// quoted writes a string of JSON, as export does: without escapes for HTML.
func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil { // a string: cannot fail
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
