package extract

import (
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Weight is what must be known of a message that is not read again: how much it matters and what a summary of a run
// counts. It is numbers alone, so that it can be kept for all messages of a long conversation.
type Weight struct {
	Importance float32 // [Importance] but for what its place in the conversation adds
	Decides    bool    // it has words of a decision
	Fails      bool    // or of a failure
	User       bool    // it is the person's
	Calls      int     // of tools
	Bytes      int     // what a summary would read of it
}

// unplaced is a number of messages that makes the importance of a place vanish.
const unplaced = 1 << 30

// Weigh reads a message once.
func Weigh(m dialogue.Message) Weight {
	w := Weight{
		Importance: float32(Importance(m, 1, unplaced)), User: m.Role == dialogue.User, Calls: len(m.ToolCalls),
		Bytes: min(len(m.Content), mostOfMessage) + min(100*len(m.ToolCalls), mostOfMessage),
	}
	w.Decides, w.Fails = tells(m.Content)
	return w
}

// At is the importance of the message at an index of total ones, as [Importance] has it.
func (w Weight) At(index, total int) float64 { return float64(w.Importance) + placed(index, total) }

// told is what a summary counts a message more for words that decide or report a failure.
func (w Weight) told() (score float64) {
	if w.Decides {
		score += 40
	}
	if w.Fails {
		score += 30
	}
	return score
}

// tells reports whether a text has words that decide or report a failure, of which importance knows a few.
func tells(text string) (decides, fails bool) {
	if len(text) > mostOfMessage {
		text = text[:mostOfMessage]
	}
	for i := 0; i+1 < len(text) && !(decides && fails); i++ {
		hint, failure := "", false
		switch uint16(text[i])<<8 | uint16(text[i+1]) {
		case 'e'<<8 | 't':
			hint = "et's "
		case 'e'<<8 | 'c':
			if hint = "ecided "; strings.HasPrefix(text[i:], "ecis") {
				hint = "ecision:"
			}
		case 'n'<<8 | 's':
			hint = "nstead of "
		case 'o'<<8 | 'i':
			hint = "oing with "
		case 'g'<<8 | 'r':
			hint = "greed "
		case 'h'<<8 | 'o':
			hint = "hose "
		case 'i'<<8 | 'n':
			hint = "inal:"
		case 'c'<<8 | 't':
			hint = "ctually, "
		case '\''<<8 | 'd':
			hint = "'d rather "
		case 'r'<<8 | 'r':
			hint, failure = "rror: ", true
		case 'a'<<8 | 'n':
			hint, failure = "anic: ", true
		case 'F'<<8 | 'A':
			hint, failure = "FAIL", true
		case 'x'<<8 | 'c':
			hint, failure = "xception", true
		case 'a'<<8 | 't':
			hint, failure = "atal: ", true
		default:
			continue
		}
		switch {
		case !strings.HasPrefix(text[i:], hint):
		case failure:
			fails = true
		default:
			decides = true
		}
	}
	return decides, fails
}
