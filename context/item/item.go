// Package item holds the shapes of what an answer consists of, the same from retrieval to the wire:
// its items, what was left out of it, its layers, the stages that it went through, and what it
// lacks.
//
// The names in it are those of the contract. The package is pure and imports nothing of ours.
package item

// Kind is the kind of thing that an item shows.
type Kind string

// The kinds of the contract.
const (
	Code       Kind = "code"
	Doc        Kind = "doc"
	Lesson     Kind = "lesson"
	Reference  Kind = "reference"
	Turn       Kind = "turn"
	Tickler    Kind = "tickler"
	Arc        Kind = "arc"
	Message    Kind = "message"
	Summary    Kind = "summary"
	Task       Kind = "task"
	Blocker    Kind = "blocker"
	Rule       Kind = "rule"
	Identity   Kind = "identity"
	Preference Kind = "preference"
	Topic      Kind = "topic"
	Entity     Kind = "entity"
	Notice     Kind = "notice"
	Prompt     Kind = "prompt"
)

// Span is a range of bytes in an answer's text; End is exclusive.
type Span struct{ Start, End int }

// Item is one thing in an answer.
type Item struct {
	ID     string
	Layer  Layer // that it is charged to
	Kind   Kind
	Title  string
	Tokens int     // that it takes in the text, delimiters included
	Score  float64 // the probability that it helps
	Format string  // full, summary or tickler
	Reason string  // for a person
	// Path is relative to the root; "" for what is no place in the workspace.
	Path string
	URI  string // of what lies outside the root
	// StartLine and EndLine are those of a place, from 0, inclusive; LastLine is the text of the
	// last one.
	StartLine, EndLine     int
	LastLine               string
	Symbols                []string // that a place defines
	ConversationID, TurnID string
	MessageIDs             []string
	Span                   Span // in the answer's text, delimiters included
}
