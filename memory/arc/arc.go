// Package arc tells what a conversation is about, by rules: what was decided and what that ruled out, which questions
// nobody answered, and what it is about now, each with its turn. It is pure: no storage, no clock.
//
// [Note] reads one turn, once; its [Notes] are small and are kept beside the turn. [Fold] makes the arc of the notes of
// a whole conversation: it is there that a later decision replaces an earlier one, that a "yes, do that" finds the
// proposal it means, and that an answer closes a question of an earlier turn. A wrong decision is worse than a missing
// one: what is only possible, asked or supposed is none.
package arc

// Style is how much the text of an arc says.
type Style string

// The styles, from one or two sentences, over a short paragraph with lists, to lists that fill the budget.
const (
	Light Style = "light"
	Rich  Style = "rich"
	Dense Style = "dense"
)

// Decision is what was decided, as it was said, in which turn, and the alternatives that were not taken: those that
// the sentence names and the choices of earlier decisions that this one replaced.
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

// Notes are what Fold needs to know of one turn. Terms are those of extract.Terms.
type Notes struct {
	Turn      int
	Intent    string   // what the person wanted, one sentence
	Names     []string // paths and identifiers, most important first
	Decisions []Stated // in the order they were said
	Proposal  *Stated  // what the assistant proposed last
	Confirms  bool     // the person agrees to the proposal of the turn before
	Refuses   bool     // the person refuses it, or the decision the assistant stated there
	Questions []Asked  // not answered within the turn
	Options   []string // the alternatives that stand at its end, for the person to pick
	Pick      string   // the person's first sentence where it may pick one
	Named     string   // what that sentence names, where it names one thing and asks for it
	Undoes    bool     // the person takes back what they decided in the turn before
	Users     Utterances
	Others    Utterances
}

// Stated is a decision or a proposal with what later ones are compared with.
type Stated struct {
	Text     string
	Chosen   string
	Rejected []string
	Subject  string
	Change   bool
	ByOther  bool // the assistant said it

	read                      bool // the terms below are known
	chosen, rejected, subject []uint32
}

// Asked is a question and who has to answer it.
type Asked struct {
	Text   string
	ToUser bool
	Loose  bool     // its subject is the sentence before it: "what could cause that?"
	Terms  []uint32 // what it is about

	Own       bool // the person has to find it out: nothing closes it but what they say
	Undecided bool // and they have to decide it: nothing but a decision closes it
}

// Utterances are what one party said in a turn, as far as it can answer earlier questions.
type Utterances struct {
	Terms  []uint32 // of its statements, each once, at most mostTerms
	Direct bool     // it begins as an answer does or is short: it answers what was asked just before
	Defers bool     // it says that the answer is not known yet
	Orders bool     // it begins with an order, which answers nothing by one common word
}

// Limits that keep notes small whatever a turn holds.
const (
	mostTerms     = 48
	mostNames     = 8
	mostDecisions = 8
	mostQuestions = 6
	longestText   = 240 // bytes of a sentence in an arc
)
