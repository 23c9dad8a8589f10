// Package window chooses which messages of a conversation to send under a token budget: which ones
// whole, which runs of them as a summary, and which not at all. It is pure except for the
// Compactor, which makes the summaries.
//
// A conversation is divided into zones that share no message. The newest zone is shown whole as far
// as its share allows, the others according to their strategy. Borders between zones are at
// multiples of chunk messages, and the sizes of summaries depend only on the budget, so that the
// same ranges recur while a conversation grows and the caller's cache of summaries hits.
//
// Invariants: what is shown never costs more than the budget; pieces are in order and share no
// message; a message is whole, or in one summary, or dropped, and Coverage counts which.
package window

import "fmt"

// Strategy is a method of fitting a conversation into the budget.
type Strategy string

// The strategies of the contract, by the ratio of the conversation's size to the budget.
const (
	Full       Strategy = "full"        // up to 1: all messages
	Windowed   Strategy = "windowed"    // up to 2.5: recent ones whole, one summary of the older
	Compacted  Strategy = "compacted"   // up to 8: a summary, key messages, recent ones whole
	MultiLevel Strategy = "multi_level" // above: summaries, shorter for older messages
)

// Choose returns the strategy for the tokens of all messages and the budget left for messages.
func Choose(totalTokens, budget int) Strategy {
	switch {
	case totalTokens <= budget:
		return Full
	case budget > 0 && totalTokens*2 <= budget*5:
		return Windowed
	case budget > 0 && totalTokens <= budget*8:
		return Compacted
	default:
		return MultiLevel
	}
}

// Message describes a message to the layout: its index in the conversation, its cost as sent,
// separators included, and its importance (memory/level.Importance; only compared).
type Message struct {
	Index      int
	Tokens     int
	Importance float64
}

// The levels of summaries, by the zone they cover: the older the zone, the shorter its summary in
// proportion.
const (
	LevelRecent  = "recent"  // messages of the recent zone that did not fit
	LevelMiddle  = "middle"  // just before, or those between key messages
	LevelOlder   = "older"   // before the middle
	LevelAncient = "ancient" // the first messages of a very long conversation
)

// Compactor makes summaries. Its owner caches them by exact range, level and content.
type Compactor interface {
	// Compact summarises the messages with indices from … to, both included, in at most tokens
	// tokens, separators included. n is the summary's cost. A text that is empty or exceeds tokens
	// is not shown, and its messages count as dropped. cached reports that the text already
	// existed.
	Compact(from, to int, level string, tokens int) (text string, n int, cached bool, err error)
}

// Piece is a message (From = To, no Summary) or the summary of a run of messages, both ends
// included.
type Piece struct {
	From, To int
	Summary  string
	Tokens   int
	Level    string // of the summary
	Cached   bool   // the summary came from the cache
}

// Coverage counts the messages by how they are shown; Full, Summarized and Dropped add up to Total.
type Coverage struct{ Total, Full, Summarized, Dropped int }

// Window is the content to be sent.
type Window struct {
	Strategy Strategy
	Pieces   []Piece // oldest first
	Tokens   int
	Coverage Coverage
}

// Build lays out the messages, oldest first and with consecutive indices, under a budget in tokens.
// The only error is the compactor's. Compactor is called from Build's goroutine, oldest range
// first, except for messages that did not fit.
func Build(msgs []Message, budget int, c Compactor) (Window, error) {
	total := 0
	for _, m := range msgs {
		total += m.Tokens
	}
	b := &builder{msgs: msgs, budget: budget, total: total, compactor: c, whole: make([]bool, len(msgs))}
	strategy := Choose(total, budget)
	var err error
	switch strategy {
	case Full:
		b.recent(0, len(msgs), budget)
	case Windowed:
		err = b.windowed()
	case Compacted:
		err = b.compacted()
	default:
		err = b.multiLevel()
	}
	if err != nil {
		return Window{}, fmt.Errorf("lay out the window: %w", err)
	}
	return b.window(strategy), nil
}
