// Package tickle makes short reminders of earlier turns, and chooses which of them are worth a
// person's attention. A tickler contains nothing that depends on the clock: the same turn always
// makes the same tickler. The package is pure: it depends on neither the store nor the wire.
package tickle

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Command is the command that fetches a tickler's turn.
const Command = "contexture.conversation.turn"

const (
	// maxTitleSummary bounds the summary in a title, and maxSummary the summary itself and the
	// text, in runes.
	maxTitleSummary, maxSummary = 80, 300
)

// Tickler is a reminder of a turn.
type Tickler struct {
	ID             string // tickler:shop/T-87
	Title          string // for a list or a code lens
	Date           string // of the turn, 2026-10-31 in UTC; "" when unknown
	Summary        string // of the turn, one line
	Text           string // as in a bundle, one line, not escaped
	ConversationID string
	Turn           int
	Score          float64  // comparable within one answer only
	Paths, Symbols []string // that the turn mentions
}

// Turn is the input of a tickler.
type Turn struct {
	ConversationID string
	// ConversationTitle is set unless the turn belongs to the current conversation, whose turns
	// need no other name.
	ConversationTitle string
	Number            int
	At                time.Time // zero when unknown
	Tiny              string    // the turn in one sentence (level T), without tags
	Score             float64
	Paths, Symbols    []string
}

// Call returns the arguments of Command that fetch the turn: a JSON object.
func Call(conversationID string, turn int) json.RawMessage {
	raw, err := json.Marshal(struct {
		ConversationID string `json:"conversationId"`
		TurnID         string `json:"turnId"`
	}{conversationID, dialogue.TurnID(turn)})
	if err != nil { // cannot fail for two strings
		panic(err)
	}
	return raw
}

// ID returns the id of a turn's tickler.
func ID(conversationID string, turn int) string {
	return "tickler:" + conversationID + "/" + dialogue.TurnID(turn)
}

// Make returns the tickler of a turn: "This reminds you of turn 87 (2026-10-31): …", and the call
// that fetches it.
func Make(t Turn) Tickler {
	out := Tickler{
		ID: ID(t.ConversationID, t.Number), Summary: line(t.Tiny, maxSummary), ConversationID: t.ConversationID, Turn: t.Number,
		Score: t.Score, Paths: t.Paths, Symbols: t.Symbols,
	}
	place := fmt.Sprintf("turn %d", t.Number)
	if title := line(t.ConversationTitle, maxTitleSummary); title != "" {
		place += " of “" + title + "”"
	}
	if !t.At.IsZero() {
		out.Date = t.At.UTC().Format(time.DateOnly)
		place += " (" + out.Date + ")"
	}
	out.Title = strings.ToUpper(place[:1]) + place[1:]
	out.Text = "This reminds you of " + place
	if out.Summary != "" {
		out.Title += ": " + line(out.Summary, maxTitleSummary)
		out.Text += ": " + out.Summary
	}
	if end := strings.TrimRight(out.Text, "”)\"'"); !strings.HasSuffix(end, ".") && !strings.HasSuffix(end, "!") &&
		!strings.HasSuffix(end, "?") && !strings.HasSuffix(end, "…") || out.Summary == "" {
		out.Text += "."
	}
	out.Text += fmt.Sprintf(" Fetch it with %s %s", Command, Call(t.ConversationID, t.Number))
	return out
}

// line returns a text as one line of at most limit runes, cut between words if that costs little.
func line(s string, limit int) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	cut := limit - 1
	for i := cut; i > cut*3/4; i-- {
		if runes[i] == ' ' {
			cut = i
			break
		}
	}
	return strings.TrimRight(string(runes[:cut]), " ,;:") + "…"
}
