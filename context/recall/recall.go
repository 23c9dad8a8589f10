// Package recall answers a question from memory within a budget of tokens: the messages of past
// conversations that contain the answer, each under its conversation and date, and what was learned
// from them.
//
// [Build] does everything for a request: search, rank, cut, pack. [Pack] alone chooses among
// candidates by package budget, and renders the text.
package recall

import (
	"context"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/recall"
)

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

// LocatedMessage is a message with its location in a conversation.
type LocatedMessage struct {
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
	Messages(ctx context.Context, conv uint32, from, to int) ([]LocatedMessage, error)
	// Latest returns the last messages, at most so many, the newest first: those of the
	// conversation in scope, which is the query's own, or else of the one continued last.
	Latest(ctx context.Context, most int) (messages []LocatedMessage, own bool, err error)
	// Opening returns the first message of a turn, which is its prompt, and the index after the
	// turn's last message.
	Opening(ctx context.Context, conv uint32, turn int) (prompt LocatedMessage, end int, err error)
	// Conversation returns the contract's id of a conversation.
	Conversation(ctx context.Context, conv uint32) (id string, err error)
	// Knowledge returns the lessons, references, rules and tasks that match the query, scored like
	// hits: the best match about 1, and above 1 what must come first.
	Knowledge(ctx context.Context, query, memoryType string) ([]item.Item, error)
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
	Items  []item.Item // with the probability that each helps as its score
	Signs  []Signs     // of each item: the features from which that is computed
	Text   string
	Tokens int
	// Evidence is that of what was said, zero if the request wants none of it.
	Evidence Evidence
}
