// Package recall answers a question from memory within a budget of tokens: the messages of past
// conversations that contain the answer, each under its conversation and date, and what was learned
// from them.
//
// [Build] does everything for a request: search, rank, cut, pack. [Pack] alone chooses among
// candidates and renders the text; the bundle uses it for the turns that it retrieves.
package recall

import (
	"context"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/recall"
)

// Line is one message as it may be shown, or one of several short texts in one element.
type Line struct {
	Index int    // in the conversation
	Part  int    // of the message's passages
	Turn  int    // its turn's number, from 1; 0 unless it is a message
	ID    string // of the message
	// Messages are the ids of those that the line covers; nil means only ID.
	Messages []string
	Author   string
	Text     string // what is shown of it
	Score    float64
	Share    float64 // the share of the query that it contains, see recall.Hit
	// Prompt is the line of the prompt that it answers, nil for none. It is shown once above all
	// that answer it.
	Prompt *Line
	tokens int // of the line with its author and end; 0 when not counted yet
}

// messages returns the ids of the messages that the line covers.
func (l Line) messages() []string {
	if l.Messages != nil || l.ID == "" {
		return l.Messages
	}
	return []string{l.ID}
}

// Candidate is something that may be shown: messages of one session of a conversation, or one thing
// learned. It becomes an item.Item when Pack has chosen which of its lines to show.
type Candidate struct {
	ID, Title      string
	Kind           item.Kind
	ConversationID string
	TurnID         string // unless it is made of messages: the turn that it comes from
	Date           string // YYYY-MM-DD, or ""
	Score          float64
	// Fit is how well it matches the query, 0 to 1; unless it is made of messages.
	Fit   float64
	Lines []Line // messages, ascending by index; nil for what has a Body
	Body  string // shown whole or not at all
	// MessageIDs are the messages that Body covers.
	MessageIDs []string
	// Outdated lists messages whose statement this candidate replaces.
	Outdated []string
	// Derived means that it was made from what was said, and nobody confirmed it.
	Derived bool
	Reason  string
}

// Item is one element of the text with its sources. Its TurnID is that of its best message. Its
// score is the rank's measure in what Pack returns, and the probability that the item helps in an
// answer of Build.
type Item struct {
	item.Item
	// Signs are the features from which Build computes that probability.
	Signs Signs
	// Turns are the turns of its messages, ascending.
	Turns []int
}

// Request is one question to memory.
type Request struct {
	Query      string
	Budget     int    // tokens of the text, exact
	MemoryType string // of the contract; "" = any
	Recency    float64
	// LeastShare is the share of the best message's score, 0 to 1, below which a message is left
	// out.
	LeastShare float64
	// Always asks for the best there is even if the evidence for it is weak: cmd/train fits the
	// floor to it.
	Always bool
}

// Said is a message with its location in a conversation.
type Said struct {
	Conversation         uint32 // the number under which it is stored
	Index, Turn, Session int
	Message              dialogue.Message
}

// Sources are what Build reads. They must answer from one state of the store.
type Sources interface {
	// Search returns the best messages in scope, in order.
	Search(ctx context.Context, text string, recency float64, limit int) ([]recall.Hit, error)
	// Messages returns the messages of a conversation from index from up to, but not including, to;
	// messages that no longer exist are left out.
	Messages(ctx context.Context, conv uint32, from, to int) ([]Said, error)
	// Latest returns the last messages, at most so many, the newest first: those of the
	// conversation in scope, which is the query's own, or else of the one continued last.
	Latest(ctx context.Context, most int) (messages []Said, own bool, err error)
	// Opening returns the first message of a turn, which is its prompt, and the index after the
	// turn's last message.
	Opening(ctx context.Context, conv uint32, turn int) (prompt Said, end int, err error)
	// Conversation returns the contract's id of a conversation.
	Conversation(ctx context.Context, conv uint32) (id string, err error)
	// Knowledge returns the lessons, references, rules and tasks that match the query, scored like
	// hits: the best match about 1, and above 1 what must come first.
	Knowledge(ctx context.Context, query, memoryType string) ([]Candidate, error)
	// Decisions returns the decisions in the arc of a conversation, in the words of its messages,
	// by turn.
	Decisions(ctx context.Context, conv uint32) (map[int][]string, error)
	// Frequency returns the number of messages and how many of them contain each of some terms.
	Frequency(ctx context.Context, terms []string) (messages float64, counts []float64, err error)
	// Terms splits text into terms.
	Terms(text string, yield func(term string))
	// Count returns the exact number of tokens.
	Count(text string) int
}

// Result is the answer.
type Result struct {
	Items  []Item
	Text   string
	Tokens int
	// Evidence is that of what was said, zero if the request wants none of it.
	Evidence Evidence
}
