package level

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// RawText is level R: every message as "role (author): content", its reasoning marked as such, its
// tool calls with name, arguments and result. Nothing of it is left out; JSON strings stand as the
// text they hold.
func RawText(t dialogue.Turn) string {
	var b strings.Builder
	for i, m := range t.Messages {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(speaker(m))
		b.WriteString(m.Content)
		if m.Reasoning != "" {
			b.WriteString("\n[reasoning: ")
			b.WriteString(m.Reasoning)
			b.WriteByte(']')
		}
		for _, c := range m.ToolCalls {
			b.WriteString("\n{tool ")
			b.WriteString(c.Name)
			b.WriteString(" called with ")
			b.WriteString(rawJSON(c.Arguments))
			b.WriteString(verdict(c))
			b.WriteString(rawJSON(c.Result))
			b.WriteByte('}')
		}
	}
	return b.String()
}

// speaker is what stands before a message's content.
func speaker(m dialogue.Message) string {
	if m.Author == "" || m.Author == string(m.Role) {
		return string(m.Role) + ": "
	}
	return string(m.Role) + " (" + m.Author + "): "
}

func verdict(c dialogue.ToolCall) string {
	if c.IsError {
		return ", error: "
	}
	return ", result: "
}

// rawJSON shows a JSON value: a string as its text, anything else compact, what is no JSON as it
// is.
func rawJSON(v json.RawMessage) string {
	v = bytes.TrimSpace(v)
	if len(v) == 0 {
		return "null"
	}
	if v[0] == '"' {
		var s string
		if json.Unmarshal(v, &s) == nil {
			return s
		}
	}
	var b bytes.Buffer
	if json.Compact(&b, v) == nil {
		return b.String()
	}
	return string(v)
}
