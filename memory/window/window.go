// Package window chooses the messages of a conversation to send under a token budget: which ones
// whole, which runs of them as a summary, which not at all. It is pure but for the Compactor, which
// makes the summaries.
//
// A conversation is cut into zones that share no message; the newest is shown whole as far as its
// share reaches, the others by what their strategy says. Borders between zones lie at multiples of
// chunk messages and summaries are asked for in sizes that follow from the budget alone, so that
// the same ranges come back while a conversation grows and the owner's cache of summaries hits.
//
// Invariants: what is shown never costs more than the budget; pieces are in order and share no
// message; a message is whole, or in one summary, or dropped, and Coverage counts which.
package window

import "fmt"

// Strategy is how much has to be left out.
type Strategy string

// The strategies of the contract, by how many times the conversation is larger than the budget.
const (
	Full       Strategy = "full"        // not larger: all messages
	Windowed   Strategy = "windowed"    // to 2.5 times: recent ones whole, one summary of the older
	Compacted  Strategy = "compacted"   // to 8 times: a summary, key messages, recent ones whole
	MultiLevel Strategy = "multi_level" // more: summaries, the shorter the older
)

// Choose is the strategy for all messages' tokens and the budget left for messages.
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

// Message is what the layout must know of one: its index in the conversation, its cost as it is
// sent, separators included, and how much it matters (memory/level.Importance; only compared).
type Message struct {
	Index      int
	Tokens     int
	Importance float64
}

// The levels of summaries, by the zone they stand for: the older, the shorter for what it covers.
const (
	LevelRecent  = "recent"  // messages of the recent zone that did not fit
	LevelMiddle  = "middle"  // just before, or those between key messages
	LevelOlder   = "older"   // before the middle
	LevelAncient = "ancient" // the first messages of a very long conversation
)

// Compactor makes summaries. The owner keeps them by exact range, level and content.
type Compactor interface {
	// Compact sums up the messages with indices from … to, both included, in at most tokens tokens,
	// separators included. n is the summary's cost. An empty text, or one above tokens, is not
	// shown, and its messages count as dropped. cached says that the text had been made before.
	Compact(from, to int, level string, tokens int) (text string, n int, cached bool, err error)
}

// Piece is a message (From = To, no Summary) or the summary of a run of messages, both ends
// included.
type Piece struct {
	From, To int
	Summary  string
	Tokens   int
	Level    string // of the summary
	Cached   bool   // the summary had been made before
}

// Coverage counts what happened to the messages; Full, Summarized and Dropped add up to Total.
type Coverage struct{ Total, Full, Summarized, Dropped int }

// Window is what is to be sent.
type Window struct {
	Strategy Strategy
	Pieces   []Piece // oldest first
	Tokens   int
	Coverage Coverage
}

// Build lays out the messages, oldest first and with consecutive indices, under a budget in tokens.
// The only error is the compactor's, which is called from Build's goroutine, oldest range first but
// for what did not fit.
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
