// Package arc tells what a conversation is about: what was decided and what that ruled out, which
// questions are open, and what it is about now, each with its turn. Nothing is reworded: the text
// of a decision or a question is a span of a message, byte for byte. It is pure: no storage, no
// clock.
//
// [Note] reads one turn, once, by what memory/utterance says of its sentences; its [Notes] are
// small and are kept beside the turn. A [Folder] makes the arc of the notes of a whole
// conversation: it is there that a short reply finds the option it names, that a later decision
// replaces an earlier one, and that an answer closes a question of an earlier turn. A wrong
// decision is worse than a missing one: what is only possible, asked or supposed is none.
package arc

// Style is how much the text of an arc says.
type Style string

// The styles, from one or two sentences, over short lists, to lists that fill the budget.
const (
	Light Style = "light"
	Rich  Style = "rich"
	Dense Style = "dense"
)

// Decision is what was decided, as it was said, in which turn, and the alternatives that the
// sentence itself names as not taken. An option that the person merely agreed to is quoted from
// where it was proposed; the turn is the one that agreed.
type Decision struct {
	Text     string
	Turn     int
	Rejected []string
}

// Question is a question that nobody answered, and the turn in which it was last asked.
type Question struct {
	Text string
	Turn int
}

// Arc is what a conversation is about. Decisions and questions are in the order of their turns.
type Arc struct {
	Text      string
	Decisions []Decision
	Open      []Question
	Focus     string // "" when nothing was said
}
