// Package recall answers a question from memory within a budget of tokens: the messages of past
// conversations that hold the answer, each under its conversation and date, and what was learned
// from them.
//
// [Build] does the whole for a request: search, load, shorten, pack. [Pack] alone chooses among
// candidates and writes the text; the bundle uses it for the turns it retrieves.
package recall

import (
	"context"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/recall"
)

// Line is one message as it may be shown, or one of several short things that stand in one element.
type Line struct {
	Index int    // in the conversation
	Turn  int    // its turn's number, from 1; 0 for what is no message
	ID    string // of the message
	// Messages are those that the line tells; nil is the one of ID.
	Messages []string
	Author   string
	Text     string // what is shown of it
	Score    float64
	Share    float64 // how much of the query it says, see recall.Hit
	Reason   string  // why it is there, "" for the reason of its candidate
	tokens   int     // of the line with its author and end; 0 where they are not counted yet
}

// messages are the ids of the messages whose substance the line tells.
func (l Line) messages() []string {
	if l.Messages != nil || l.ID == "" {
		return l.Messages
	}
	return []string{l.ID}
}

// Candidate is something that may be shown: messages of one session of a conversation, or one thing
// learned. It becomes an item.Item when Pack has chosen which of its lines are shown.
type Candidate struct {
	ID, Title      string
	Kind           item.Kind
	ConversationID string
	TurnID         string // for what is not made of messages: the turn it comes from
	Date           string // YYYY-MM-DD, or ""
	Score          float64
	// Fit is how much of the query it speaks of, 0 to 1; for what is not made of messages.
	Fit   float64
	Lines []Line // messages, ascending by index; nil for what has a Body
	Body  string // shown whole or not at all
	// MessageIDs are the messages whose substance Body tells.
	MessageIDs []string
	// Outdated are messages that say what something here has replaced.
	Outdated []string
	Reason   string
}

// Item is one element of the text with what it was made from. Its TurnID is that of its best
// message; its score is the rank's measure in what Pack returns, and in an answer of Build the
// probability that the item helps.
type Item struct {
	item.Item
	// Signs are what Build takes that probability from.
	Signs Signs
	// Body and Attrs are what its element is written from; Turns are those that its messages are
	// of, ascending.
	Body  string
	Attrs []render.Attr
	Turns []int
}

// Request is one question to memory.
type Request struct {
	Query      string
	Budget     int    // tokens of the text, exact
	MemoryType string // of the contract; "" is any
	Recency    float64
	// LeastShare is the share of the best message's score below which a message is left
	// out, from 0 to 1.
	LeastShare float64
}

// Said is a message with its place in a conversation.
type Said struct {
	Conversation         uint32 // the number under which it is stored
	Index, Turn, Session int
	Message              dialogue.Message
}

// Sources are what Build reads. They answer from one state of the store.
type Sources interface {
	// Search ranks the messages in scope, the best first.
	Search(ctx context.Context, text string, recency float64, limit int) ([]recall.Hit, error)
	// Messages gives the messages of a conversation from one index up to another, which is not
	// included; those that are no more are left out.
	Messages(ctx context.Context, conv uint32, from, to int) ([]Said, error)
	// Latest gives the last messages, at most so many, the newest first: those of the conversation
	// in scope, which is the query's own, or else of the one that was gone on with last.
	Latest(ctx context.Context, most int) (messages []Said, own bool, err error)
	// Conversation gives the contract's id of a conversation.
	Conversation(ctx context.Context, conv uint32) (id string, err error)
	// Knowledge gives the lessons, references, rules and tasks that concern the query, scored like
	// hits: the best match about 1, and above 1 what must come first.
	Knowledge(ctx context.Context, query, memoryType string) ([]Candidate, error)
	// Decisions gives what the arc of a conversation says was decided, in the words of its
	// messages, by turn.
	Decisions(ctx context.Context, conv uint32) (map[int][]string, error)
	// Frequency gives how many messages there are and how many hold each of some terms.
	Frequency(ctx context.Context, terms []string) (messages float64, counts []float64, err error)
	// Terms cuts text into terms.
	Terms(text string, yield func(term string))
	// Count gives the exact number of tokens.
	Count(text string) int
}

// Result is the answer.
type Result struct {
	Items  []Item
	Text   string
	Tokens int
}
