package command

import (
	"fmt"
	"time"
)

// Scope holds the arguments that every command accepts besides its own.
type Scope struct {
	// Workspace is the URI of the root that the command concerns. With one root it may be left out;
	// with several it is required if the command concerns one. An unknown root answers notFound.
	Workspace string `json:"workspace,omitempty" check:"format=uri"`
}

// TextDocument names a document, as LSP's TextDocumentIdentifier.
type TextDocument struct {
	// URI of the document: `file:` or `untitled:`.
	URI string `json:"uri" check:"required,format=uri"`
}

// Position is a location in a document, as in LSP; characters are counted in the session's position
// encoding.
type Position struct {
	// Line, from 0.
	Line int `json:"line" check:"required,min=0,max=2147483647"`
	// Character in the line, from 0.
	Character int `json:"character" check:"required,min=0,max=2147483647"`
}

// Range is a part of a document, as in LSP: the end is exclusive and not before the start.
type Range struct {
	// Start of the range.
	Start Position `json:"start" check:"required"`
	// End of the range, exclusive.
	End Position `json:"end" check:"required"`
}

// Time is a point in time, written as RFC 3339 in UTC with milliseconds. The zero Time is left out
// of results. Arguments may have any offset.
type Time struct{ time.Time }

// At returns t as a Time.
func At(t time.Time) Time { return Time{t} }

// TimeOf returns t as a Time, clamped to the years that the wire format can express, since imported
// messages may have any time. The zero time stays zero.
func TimeOf(t time.Time) Time {
	switch y := t.UTC().Year(); {
	case t.IsZero():
		return Time{}
	case y < 0:
		return At(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC))
	case y > 9999:
		return At(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC))
	}
	return At(t)
}

// Milliseconds returns a duration in milliseconds, with microseconds as decimals.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// timeLayout has a fixed number of digits, so that times compare and sort as text.
const timeLayout = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes RFC 3339 in UTC. It fails for years outside 0–9999, which RFC 3339 cannot
// express.
func (t Time) MarshalJSON() ([]byte, error) {
	u := t.UTC()
	if y := u.Year(); y < 0 || y > 9999 {
		return nil, fmt.Errorf("marshal time: year %d is outside 0–9999", y)
	}
	return u.AppendFormat(nil, `"`+timeLayout+`"`), nil
}

// Degradation is something that an answer lacks.
type Degradation struct {
	// Stage of the work that was not done, or not completely: a stage's name, or `index`, `memory`,
	// `model`.
	Stage string `json:"stage"`
	// Reason for callers to act on.
	Reason string `json:"reason" check:"enum=timeout|unreachable|modelMissing|badAnswer|overloaded|indexing|stale|error"`
	// Detail for a person.
	Detail string `json:"detail,omitempty"`
}

// Stage is one completed step of retrieval.
type Stage struct {
	// Name of the step.
	Name string `json:"name" check:"enum=classify|keyword|vector|filter|judge|dedup|negotiate|assemble"`
	// MS is its duration in milliseconds.
	MS float64 `json:"ms"`
	// Outcome of the step.
	Outcome string `json:"outcome" check:"enum=ok|partial|timeout|error|skipped|fallback"`
	// Count of candidates or items after the step.
	Count int `json:"count"`
}

// Versions are the versions of the data that an answer was built from. Neither ever decreases.
type Versions struct {
	// Index is the version of the workspace's index; 0 when there is none.
	Index uint64 `json:"index"`
	// Knowledge is the version of the knowledge in memory; 0 when there is none.
	Knowledge uint64 `json:"knowledge"`
}

// Item is one piece of context in an answer.
type Item struct {
	// ID of the item: `expand` of `contexture.recall` accepts it, and feedback refers to it.
	ID string `json:"id"`
	// Layer whose budget the item uses.
	Layer string `json:"layer" check:"enum=L0_identity|L1_global_prefs|L2_topic|L3_entity|L4_conversation|L5_jit|L6_message_history|L7_user_message"`
	// Kind of the item.
	Kind string `json:"kind" check:"enum=code|doc|lesson|reference|turn|tickler|arc|message|summary|task|blocker|rule|identity|preference|topic|entity|notice|prompt"`
	// Title for a list of items.
	Title string `json:"title"`
	// Tokens of the item in the text, delimiters included.
	Tokens int `json:"tokens"`
	// Score is the probability that the item helps, from 0 to 1, comparable between kinds; 1 for
	// what is in every answer of its kind: the prompt, identity, preferences, active rules, tasks,
	// the board and the conversation's own history.
	Score float64 `json:"score"`
	// Format in which it is shown: `full`; `lines` of a place, with others folded; a `pointer` to a
	// place, which is one line; or the `summary` or `tickler` of something remembered.
	Format string `json:"format" check:"enum=full|lines|pointer|summary|tickler"`
	// Reason that it is included, for a person.
	Reason string `json:"reason"`
	// URI of the document it comes from.
	URI string `json:"uri,omitempty"`
	// Range in that document.
	Range *Range `json:"range,omitempty"`
	// Anchor is the line, from 0, of the definition that the item is about most, for the formats
	// lines and pointer.
	Anchor *int `json:"anchor,omitempty" check:"min=0"`
	// Passages are what is shown of the document, or pointed at, for the formats lines and pointer.
	Passages []Passage `json:"passages,omitempty"`
	// ConversationID of the conversation it comes from.
	ConversationID string `json:"conversationId,omitempty"`
	// TurnID of the turn it comes from.
	TurnID string `json:"turnId,omitempty"`
	// MessageIDs of the messages that it was made from; empty for an item not made from messages.
	MessageIDs []string `json:"messageIds"`
	// Symbols are the names that a code item defines.
	Symbols []string `json:"symbols,omitempty"`
	// Derived means that memory made it by itself, nobody confirmed it, and the prompt does not
	// report the failure that it is about.
	Derived bool `json:"derived,omitempty"`
	// Span is the position of the item in the answer's text.
	Span *Span `json:"span,omitempty"`
}

// Passage is a part of a document that is shown or pointed at.
type Passage struct {
	// Range in the document.
	Range Range `json:"range"`
	// Matched are the lines in it, from 0, that have words of the prompt.
	Matched []int `json:"matched"`
	// Score is the probability that its most probable line settles the prompt, from 0 to 1; absent
	// where lines were not judged.
	Score float64 `json:"score,omitempty"`
	// Price is the probability that its tokens had to bring; absent with the score.
	Price float64 `json:"price,omitempty"`
}

// Span is a range of bytes in an answer's text, delimiters included; the end is exclusive.
type Span struct {
	// Start is the offset of the first byte.
	Start int `json:"start"`
	// End is the offset after the last byte.
	End int `json:"end"`
}

// Empty is the argument of a command that takes only the workspace.
type Empty struct {
	Scope
}

// Deleted is the answer of a command that removed something.
type Deleted struct {
	// Deleted is always true: a missing item answers notFound.
	Deleted bool `json:"deleted"`
}
