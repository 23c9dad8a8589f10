// Package item defines the parts of an answer, the same from retrieval to the wire: its items, what
// was left out of it, its layers, its stages, and what it lacks.
//
// The names in it are those of the contract. The package is pure and imports no other package of
// the module.
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
	Layer  Layer // whose budget it uses
	Kind   Kind
	Title  string
	Tokens int     // in the text, delimiters included
	Score  float64 // the probability that it helps
	Format string  // full, lines, pointer, summary or tickler
	Reason string  // for a person
	// Path is relative to the root; "" unless it is a place in the workspace.
	Path string
	URI  string // if it is outside the root
	// StartLine and EndLine are those of a place, from 0, inclusive; LastLine is the text of the
	// last one.
	StartLine, EndLine     int
	LastLine               string
	Anchor                 int       // of the formats lines and pointer: that of what the item is about most
	Passages               []Passage // of the formats lines and pointer: what is shown or pointed at
	Symbols                []string  // that a place defines
	ConversationID, TurnID string
	MessageIDs             []string
	Span                   Span // in the answer's text, delimiters included
}

// Passage is a range of a place's lines, from 0, inclusive.
type Passage struct {
	StartLine, EndLine int
	Matched            []int // the lines among them that have words of the question
}
