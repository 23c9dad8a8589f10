package level

import (
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// Weight is what is stored about a message so that it need not be read again: its importance and
// what a summary of a run counts. It consists of numbers only, so that it can be kept for all
// messages of a long conversation.
type Weight struct {
	Importance float32 // [Importance] without the part that depends on its position
	Decides    bool    // a sentence of it settles something
	Fails      bool    // it reports a failure
	User       bool    // it is the person's message
	Calls      int     // number of tool calls
	Bytes      int     // of it that a summary would read
}

const (
	unplaced     = 1 << 30 // a message count that makes the importance of a position vanish
	weighedBytes = 1 << 10 // of a message that are read for what it settles
)

// Weigh returns the weight of a message.
func Weigh(m dialogue.Message) Weight {
	w := Weight{
		Importance: float32(Importance(m, 1, unplaced)), User: m.Role == dialogue.User, Calls: len(m.ToolCalls),
		Bytes: min(len(m.Content), mostOfMessage) + min(100*len(m.ToolCalls), mostOfMessage),
	}
	text := m.Content[:runeStart(m.Content, min(len(m.Content), mostOfMessage))]
	for i := 0; text != "" && i < 200 && !w.Fails; i++ {
		var line string
		line, text = cutLine(text)
		w.Fails = Failure(line)
	}
	if m.Role == dialogue.Tool {
		return w
	}
	head := m.Content[:runeStart(m.Content, min(len(m.Content), weighedBytes))]
	for _, s := range utterance.Read(head, RoleOf(m), "") {
		w.Decides = w.Decides || settles(s.Scores)
	}
	return w
}

// At returns the importance of the message at an index of total messages, like [Importance].
func (w Weight) At(index, total int) float64 { return float64(w.Importance) + placed(index, total) }

// told returns the extra score in a summary for words that settle something or report a failure.
func (w Weight) told() (score float64) {
	if w.Decides {
		score += 40
	}
	if w.Fails {
		score += 30
	}
	return score
}
