package level

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// RawText returns level R: every message as "role (author): content", its reasoning marked as such,
// its tool calls with name, arguments and result. It omits nothing; JSON strings appear as the text
// they contain.
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

// speaker returns the text before a message's content.
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

// rawJSON formats a JSON value: a string as its text, anything else compact, and invalid JSON
// unchanged.
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
