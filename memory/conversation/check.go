package conversation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// maxIDRunes is the contract's limit of a conversation id.
const maxIDRunes = 200

// checkID refuses a conversation id that is not 1–200 printable characters.
func checkID(field, id string) error {
	switch n := utf8.RuneCountInString(id); {
	case n == 0:
		return &InvalidError{field, "an id has at least one character"}
	case n > maxIDRunes:
		return &InvalidError{field, fmt.Sprintf("an id has at most %d characters, not %d", maxIDRunes, n)}
	case !utf8.ValidString(id):
		return &InvalidError{field, "an id is UTF-8"}
	}
	if at := strings.IndexFunc(id, func(c rune) bool { return !unicode.IsPrint(c) }); at >= 0 {
		return &InvalidError{field, fmt.Sprintf("%q has a character at byte %d that is not printable", id, at)}
	}
	return nil
}

// clean returns a message in its stored form: times in UTC to the nanosecond, valid UTF-8, tools'
// values as compact JSON. A message without a time stays without. at is the message's index in the
// input, for the error.
func clean(m dialogue.Message, at int) (dialogue.Message, error) {
	field := fmt.Sprintf("messages[%d].", at)
	if !known(m.Role) {
		return m, &InvalidError{field + "role", fmt.Sprintf("%q is not one of user, assistant, system, tool", m.Role)}
	}
	if !utf8.ValidString(m.ID) || strings.ContainsFunc(m.ID, unicode.IsControl) {
		return m, &InvalidError{field + "id", fmt.Sprintf("%q has control characters or is not UTF-8", m.ID)}
	}
	if !m.At.IsZero() {
		m.At = m.At.UTC().Round(0)
		if y := m.At.Year(); y < 0 || y > 9999 {
			return m, &InvalidError{field + "at", "the year is not within 0 and 9999"}
		}
	}
	m.Content, m.Author, m.Reasoning = valid(m.Content), valid(m.Author), valid(m.Reasoning)
	m.URIs, m.Symbols = validAll(m.URIs), validAll(m.Symbols)
	calls := make([]dialogue.ToolCall, 0, len(m.ToolCalls))
	for i, c := range m.ToolCalls {
		c.Name = valid(c.Name)
		for _, v := range []struct {
			name string
			json *json.RawMessage
		}{{"arguments", &c.Arguments}, {"result", &c.Result}} {
			compact, err := compactJSON(*v.json)
			if err != nil {
				return m, &InvalidError{fmt.Sprintf("%stoolCalls[%d].%s", field, i, v.name), "not JSON: " + err.Error()}
			}
			*v.json = compact
		}
		calls = append(calls, c)
	}
	m.ToolCalls = nil
	if len(calls) > 0 {
		m.ToolCalls = calls
	}
	return m, nil
}

func known(r dialogue.Role) bool {
	switch r {
	case dialogue.User, dialogue.Assistant, dialogue.System, dialogue.Tool:
		return true
	}
	return false
}

// valid replaces what is not UTF-8, as encoding it as JSON would.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func validAll(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = valid(s)
	}
	return out
}

// compactJSON returns a value without insignificant space; an empty one becomes null.
func compactJSON(v json.RawMessage) (json.RawMessage, error) {
	if len(v) == 0 {
		return json.RawMessage("null"), nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, bytes.ToValidUTF8(v, []byte("\uFFFD"))); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
