package level

import (
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// Weight is what must be known of a message that is not read again: how much it matters and what a
// summary of a run counts. It is numbers alone, so that it can be kept for all messages of a long
// conversation.
type Weight struct {
	Importance float32 // [Importance] but for what its place in the conversation adds
	Decides    bool    // a sentence of it settles something
	Fails      bool    // or reports a failure
	User       bool    // it is the person's
	Calls      int     // of tools
	Bytes      int     // what a summary would read of it
}

const (
	unplaced     = 1 << 30 // a number of messages that makes the importance of a place vanish
	weighedBytes = 1 << 10 // of a message that is read for what it settles
)

// Weigh reads a message once.
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

// At is the importance of the message at an index of total ones, as [Importance] has it.
func (w Weight) At(index, total int) float64 { return float64(w.Importance) + placed(index, total) }

// told is what a summary counts a message more for words that settle something or report a failure.
func (w Weight) told() (score float64) {
	if w.Decides {
		score += 40
	}
	if w.Fails {
		score += 30
	}
	return score
}
