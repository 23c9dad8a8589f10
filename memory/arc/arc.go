// Package arc finds out what a conversation is about: what was decided and what that ruled out,
// which questions are open, and the current focus, each with its turn. Nothing is reworded: the
// text of a decision or a question is a span of a message, byte for byte. The package is pure: it
// has no storage and no clock.
//
// [Note] reads one turn, once, from the sentences that memory/utterance scored; its [Notes] are
// small and are stored beside the turn. A [Folder] builds the arc of a whole conversation from its
// notes: it matches a short reply to the option it names, replaces a decision by a later one, and
// closes a question of an earlier turn by its answer. A wrong decision is worse than a missing one:
// a sentence that only considers, asks or supposes something is not a decision.
package arc

// Style is the length and form of an arc's text.
type Style string

// The styles, from one or two sentences, through short lists, to lists that fill the budget.
const (
	Light Style = "light"
	Rich  Style = "rich"
	Dense Style = "dense"
)

// Decision is a decision in its original words, the turn that made it, and the alternatives that
// the sentence itself rejects. An option that the person merely agreed to is quoted from its
// proposal; the turn is the one that agreed.
type Decision struct {
	Text     string
	Turn     int
	Rejected []string
}

// Question is an unanswered question and the turn in which it was last asked.
type Question struct {
	Text string
	Turn int
}

// Arc describes what a conversation is about. Decisions and questions are in the order of their
// turns.
type Arc struct {
	Text      string
	Decisions []Decision
	Open      []Question
	Focus     string // "" if nothing was said
}
