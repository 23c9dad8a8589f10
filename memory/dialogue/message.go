// Package dialogue holds the types that all parts of memory share: messages, turns, and the levels
// and names under which turns are shown. It is plain data: no storage, no clock, and only parsing
// can fail.
package dialogue

import (
	"encoding/json"
	"strings"
	"time"
	"unicode"
)

// Role is the role of a message's author.
type Role string

// The roles of the contract.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	System    Role = "system"
	Tool      Role = "tool"
)

// Message is one message of a conversation. Its JSON is the stored and the exported form.
type Message struct {
	Role      Role       `json:"role"`
	Content   string     `json:"content"`
	ID        string     `json:"id"`
	Author    string     `json:"author,omitempty"`
	At        time.Time  `json:"at"`
	ToolCalls []ToolCall `json:"toolCalls,omitempty"`
	Reasoning string     `json:"reasoning,omitempty"`
	URIs      []string   `json:"uris,omitempty"`
	Symbols   []string   `json:"symbols,omitempty"`
}

// ByPerson reports whether the message is in a person's own words: a user's message, or an
// assistant's that carries a person's name.
func (m *Message) ByPerson() bool {
	return m.Role == User || m.Role == Assistant && m.Named()
}

// Named reports whether the message carries its author's name. An author that repeats a role does
// not count as a name, nor does the name of an assistant's program or model.
func (m *Message) Named() bool {
	switch Role(strings.ToLower(strings.TrimSpace(m.Author))) {
	case "", User, Assistant, System, Tool:
		return false
	}
	return m.Role != Assistant || !isModel(m.Author)
}

// makes are the names of assistants and models, without their versions.
var makes = map[string]bool{
	"claude": true, "gpt": true, "chatgpt": true, "openai": true, "anthropic": true, "codex": true, "copilot": true, "cursor": true,
	"gemini": true, "gemma": true, "llama": true, "qwen": true, "mistral": true, "mixtral": true, "devstral": true, "codestral": true,
	"deepseek": true, "grok": true, "kimi": true, "glm": true, "minimax": true, "sonnet": true, "opus": true, "haiku": true,
	"composer": true, "granite": true, "starcoder": true, "agent": true, "ai": true, "bot": true, "model": true, "auto": true, "default": true,
	"cline": true, "aider": true, "droid": true, "windsurf": true, "ollama": true,
}

// isModel reports whether the author of an assistant's message is a model or a program: a known
// one, or a name spelled like an identifier, with a version or an origin. People's names have no
// digits.
func isModel(author string) bool {
	if strings.ContainsAny(author, "0123456789/:<>") {
		return true
	}
	for word := range strings.FieldsFuncSeq(strings.ToLower(author), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if makes[word] {
			return true
		}
	}
	return false
}

// ToolCall is a call of a tool and its outcome; arguments and result are any JSON.
type ToolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"`
	IsError   bool            `json:"isError,omitempty"`
}
