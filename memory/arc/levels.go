package arc

// All values were chosen by hand, not fitted. The dialogues in this package's tests hold what they
// must lead to.

// Probabilities of the model of sentences from which a line counts as what it says.
const (
	surest    = .9
	clearly   = .6
	likely    = .5
	rather    = .4
	possibly  = .3
	hinted    = .25
	slightly  = .2
	barely    = .1
	traceable = .04
)

// The evidence that a decision needs, and what each sign adds to the model's log odds. The signs
// are those of a choice in a dialogue: it names an offered option, at the start or as the only one;
// it contrasts the option with another; it changes an earlier decision; the reply takes it up. What
// the sentence may be instead takes away.
const (
	enough    = .4
	outright  = 10.0
	named     = 2.0
	inContext = 1.0
	first     = 1.0
	echoes    = 1.5
	opposed   = 1.5
	settled   = 2.0
	revised   = 1.5
	takenUp   = 1.0
	confirmed = 2.0
	besides   = 1.5 // it continues with a question and does not name the question's options
	agreed    = .7
	ordered   = 2.0 // it orders something else
	proposes  = 1.5 // it proposes something; for each unit of probability above slightly
	reports   = 2.0 // it reports a problem; for each unit above rather

	leastSure, mostSure = .02, .98 // bounds of the model's probability
)

// Weights of keys, and shares of them that two texts have in common.
const (
	telling     = .35 // weight from which common keys are no coincidence
	substantial = 1.5 // weight of the keys of a statement that counts as a question, or needs no more of its turn
	intended    = .3  // weight of the keys of a sentence that states what a turn is for
	someOf      = .3  // share of keys that two have in common where one may replace or answer the other
	mostOf      = .7  // the same where they are about one thing

	spellings      = .7 // weight of a short run with digits, and of a word of two scripts
	leastRarity    = .4 // rarity of a word without weight; from there to 1 it grows to 1
	leastKeyWeight = .2
)

const (
	recent      = 8  // turns for which an open question counts as recent
	shortReply  = 8  // words of a reply that only agrees or picks
	shortEcho   = 6  // words of a reply that only repeats
	shortAnswer = 10 // words of a reply with little besides the answer
	shortPick   = 14 // words of a sentence that names an option
)
