// Package item defines the parts of an answer, the same from retrieval to the wire: its items, what
// was left out of it, its layers, its stages, and what it lacks.
//
// The names in it are those of the contract. The package is pure and imports no other package of
// the module.
package item

import "strings"

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

// Attr is one attribute of an element's opening tag. Name consists of a-z, 0-9 and '-', and starts
// with a letter; an attribute with another name is left out. Value is any text.
type Attr struct {
	Name  string
	Value string
}

// Item is one thing in an answer, from the moment it is found: a candidate has a body and forms in
// which it may be shown; what is in an answer is in one of them.
type Item struct {
	ID     string
	Layer  Layer // whose budget it uses
	Kind   Kind
	Title  string
	Name   string  // for a list of items, when Title, which the text may show, is empty
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
	Anchor                 int               // of the formats lines and pointer: that of what the item is about most
	Passages               []Passage         // of the formats lines and pointer: what is shown or pointed at
	Symbols                []string          // that a place defines
	Chunk                  int               // of a place that was found, in the snapshot of the index
	Pointed                []int             // the lines of its file, from 0, at which the prompt points or that answer it
	Reasons                []string          // why it was found, for a person, best first
	Signals                map[string]Signal // the rankers' verdicts on it, by their names
	ConversationID, TurnID string
	MessageIDs             []string
	Turns                  []int  // of the messages that are shown, ascending
	Date                   string // of what was said or done, YYYY-MM-DD; "" when unknown
	Span                   Span   // in the answer's text, delimiters included

	// Tag names its element, as "T-12-R" that of a turn; "" = named by its kind.
	Tag   string
	Attrs []Attr
	Body  string
	Short string   // a shorter body; "" = none
	Says  []string // the quotation in each line of Body; nil for a Body without quotations
	// Lines are what a candidate may show of talk, from which its Body is made: passages of
	// messages, ascending. It is nil for what has a Body.
	Lines []Line
	Share float64 // of the query that it contains, 0 to 1
	// Derived means that it was made from what was said or written, and nobody confirmed it.
	Derived bool
	// Outdates lists the messages whose statement it replaces.
	Outdates []string

	Forms []Form // of a candidate: the ways to show it, from the best to the shortest
	// Value is what a candidate is worth in the packing, ≥ 0; candidates are weighed against each
	// other within a layer only.
	Value float64
	// Required means that a candidate is packed first, in the best form that fits.
	Required bool
	// Named means that the prompt names it: no model removes it.
	Named bool
	// Near means that the person is at it, or that it is related to their location.
	Near bool
	// Stable means that its element will have the same bytes in the conversation's next bundle, so
	// that a prefix cache can serve it; Volatile that its text may change.
	Stable, Volatile bool
	// Ignored means that it was shown several times and hardly used.
	Ignored bool
	// Covers lists the ids of candidates that say less about the same.
	Covers []string
	// Dropped is the reason that a candidate is not shown; "" shows it.
	Dropped DropReason
	// LeftOut means that it summarises what the history has no room for; Untold that there is no
	// room for that summary either.
	LeftOut, Untold bool
	// Pointers are the items that a block of pointers shows instead of itself.
	Pointers []Item
}

// Signal is one ranker's verdict on a place.
type Signal struct {
	Rank  int // from 1
	Score float64
}

// Form is one way to show an item.
type Form struct {
	Format   string // full, lines, pointer, summary or tickler
	Tag      string
	Attrs    []Attr
	Body     string
	Passages []Passage // of the format lines: what is shown of the place
	// StartLine and EndLine are those of a place that it shows.
	StartLine, EndLine int
	Tokens             int     // in the text, delimiters included; sizes of chosen forms add up exactly
	Worth              float64 // the share of the item's value that this form keeps, 0–1
}

// In returns the item as it is shown in a form.
func (it Item) In(f Form) Item {
	it.Format, it.Tag, it.Attrs, it.Body, it.Tokens = f.Format, f.Tag, f.Attrs, f.Body, f.Tokens
	if it.Path != "" {
		it.StartLine, it.EndLine, it.Passages = f.StartLine, f.EndLine, f.Passages
		it.LastLine = f.Body[strings.LastIndexByte(f.Body, '\n')+1:]
	}
	return it
}

// Passage is a range of a place's lines, from 0, inclusive.
type Passage struct {
	StartLine, EndLine int
	Matched            []int // the lines among them that have words of the question
	// Score is the probability that its best line settles the question, and Price what it had to
	// exceed: the price of its tokens. Both are 0 for what was not chosen by lines.
	Score, Price float64
}
