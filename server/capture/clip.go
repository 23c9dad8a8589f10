package capture

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// maxMessageBytes is the contract's limit on a message: content, reasoning and tool calls together,
// less room for the notices of truncation and for what redaction adds.
const maxMessageBytes = 4<<20 - 64<<10

// Clip returns a message within the contract's limit. It truncates the longest parts first, with a
// notice.
func Clip(m dialogue.Message) dialogue.Message {
	if sizeOf(m) <= maxMessageBytes {
		return m
	}
	for limit := maxMessageBytes / 2; limit > 1<<10; limit /= 2 {
		m.Content, m.Reasoning = clipText(m.Content, limit), clipText(m.Reasoning, limit)
		calls := make([]dialogue.ToolCall, len(m.ToolCalls))
		for i, c := range m.ToolCalls {
			c.Arguments, c.Result = clipJSON(c.Arguments, limit), clipJSON(c.Result, limit)
			calls[i] = c
		}
		m.ToolCalls = calls
		if sizeOf(m) <= maxMessageBytes {
			return m
		}
	}
	cut := len(m.ToolCalls)
	m.ToolCalls = nil
	m.Content = fmt.Sprintf("%s\n[%d tool calls cut: a message holds at most 4 MiB]", m.Content, cut)
	return m
}

func sizeOf(m dialogue.Message) int {
	n := len(m.Content) + len(m.Reasoning)
	for _, c := range m.ToolCalls {
		n += len(c.Name) + len(c.Arguments) + len(c.Result)
	}
	return n
}

// clipText truncates a text.
func clipText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	at := limit
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return fmt.Sprintf("%s\n[%d bytes cut: a message holds at most 4 MiB]", text[:at], len(text)-at)
}

// clipJSON truncates a value, which then becomes a string.
func clipJSON(raw json.RawMessage, limit int) json.RawMessage {
	if len(raw) <= limit {
		return raw
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	return jsonText(clipText(text, limit/2)) // escapes make it longer
}
