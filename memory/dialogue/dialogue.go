// Package dialogue holds what all parts of memory speak of: messages, turns and their names. It is plain data: no
// storage, no clock, nothing that fails but parsing.
package dialogue

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Role is who a message is from.
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

// ByPerson reports whether the message is in a person's own words: a user's, or an assistant's with a person's name on it.
func (m *Message) ByPerson() bool {
	return m.Role == User || m.Role == Assistant && m.Named()
}

// Named reports whether the message has its author's name. An author that repeats a role is no name.
func (m *Message) Named() bool {
	switch Role(strings.ToLower(strings.TrimSpace(m.Author))) {
	case "", User, Assistant, System, Tool:
		return false
	}
	return true
}

// ToolCall is a call of a tool and what came of it; arguments and result are any JSON.
type ToolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"`
	IsError   bool            `json:"isError,omitempty"`
}

// Turn is a user message and all that follows until the next one. Messages before the first user message are a turn
// of their own.
type Turn struct {
	Number   int // from 1
	First    int // index of its first message in the conversation, from 0
	Messages []Message
}

// Level is how much of a turn a text shows.
type Level byte

// The four levels, from everything to one sentence.
const (
	Raw        Level = 'R'
	Smoothed   Level = 'S'
	Compressed Level = 'C'
	Tiny       Level = 'T'
)

// String gives the level as it stands in tags.
func (l Level) String() string { return string(rune(l)) }

// Source says who made a version of a text.
type Source string

// The sources of the contract.
const (
	FromRaw        Source = "raw"
	FromModel      Source = "model"
	FromExtraction Source = "extractive"
)

// TurnID names a turn: T-7.
func TurnID(number int) string { return "T-" + strconv.Itoa(number) }

// ParseTurn reads a turn's number from T-7 or 7. It is an error when it is no whole number from 1.
func ParseTurn(id string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "T-"))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is no turn: turns are T-1, T-2, …", id)
	}
	return n, nil
}

// Tag is the name of a turn's element at a level: T-7-S.
func Tag(number int, level Level) string { return TurnID(number) + "-" + level.String() }

// ParseTag takes the tag of one turn apart; ok is false for those of several turns and for all else.
func ParseTag(tag string) (number int, level Level, ok bool) {
	at := len(tag) - len("-S")
	if at < 0 || tag[at] != '-' || strings.IndexByte(richest, tag[at+1]) < 0 || !strings.HasPrefix(tag, "T-") {
		return 0, 0, false
	}
	number, err := ParseTurn(tag[:at])
	return number, Level(tag[at+1]), err == nil
}

// richest are the levels, those that tell more first.
const richest = "RSCT"

// Tells reports whether a level tells all that another does.
func (l Level) Tells(other Level) bool {
	return strings.IndexByte(richest, byte(l)) <= strings.IndexByte(richest, byte(other))
}

// RangeTag is the name of the element that holds several turns, both ends included: T-50-through-100-C. Of one turn
// it is Tag.
func RangeTag(from, to int, level Level) string {
	if from == to {
		return Tag(from, level)
	}
	return fmt.Sprintf("%s-through-%d-%s", TurnID(from), to, level)
}
