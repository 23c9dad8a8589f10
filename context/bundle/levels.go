package bundle

// The numbers of this package that were chosen, not computed: probabilities and shares from 0 to 1,
// and factors. A comment that names measurements is the source of its number; the others were
// chosen by hand, and the tests of this package and of context/eval hold what follows from them.

// Feedback from use decides which of several things is shortened when not all of them fit in full,
// and how long something that the conversation shows in part is still shown whole: what the model
// used stays longer, what it ignored is shortened first.
const (
	// ignoredMost is the largest factor of use at which something counts as ignored: it was shown
	// several times and used in at most one of five cases. usedLeast is the smallest factor at
	// which it counts as used.
	ignoredMost, usedLeast = .7, 1.3
	// ignoredShort is the worth of the short form of an ignored piece, relative to its full form.
	ignoredShort = .8
	// usedElided is the share of a used piece that must be missing from the conversation for the
	// piece to be shown whole.
	usedElided = .5
)

// The measures of pointers to users.
const (
	mostCallers, mostTesters = 2, 1
	// userChance is the probability that a user is wanted: of 27 that were pointed at for 40
	// questions, 3 were in the answer, and 14 in a file of it.
	userChance = .1
	// companionChance is the probability that a test or a page which has a name of what a task is
	// about is wanted: of 17 for 33 tasks, 6 were in the answer, and 10 in a file of it; of 32 for
	// questions that are no tasks none.
	companionChance = .35
)

// shortWorth is the worth of a summary, relative to the whole text.
const shortWorth = .6

const (
	// fullCandidates is the number of places requested from the retrieval to fill a budget, and
	// relevantCandidates the one for the lines that settle a question and for pointers; oversupply
	// is how much more text than the budget is read, so that the packing has a choice.
	fullCandidates, relevantCandidates = 300, 40
	oversupply                         = 1.3
	// wrapping is roughly the number of tokens that the delimiters of one place take; it only
	// affects the choice of what to read.
	wrapping = 32
	// ownPower and filePower are the exponents of a place's score and of its file's best score
	// before packing, so that a clearly better place is not given up for several small worse ones,
	// and the files that matter are shown in depth. fileDecay is the factor for each further piece
	// of a file: with .7, .75 and .8 budgets of 8,000 tokens held 90.7, 90.0 and 89.5 % of the
	// files that commits changed, and 73.9, 74.7 and 75.1 % of the places in them.
	ownPower  = 1.4
	filePower = .4
	fileDecay = .75
	// nearShort is the worth of the short form of a piece near the person's location, relative to
	// its full form.
	nearShort = .4
	// entityShare is the share of the budget that definitions of what the prompt names may take in
	// the layer of entities.
	entityShare = .12
)

// The numbers that decide between lines, a pointer and nothing.
const (
	// firstOfFew is the least probability of the best place of a workspace of few pieces.
	firstOfFew = .5
	// saidShare is what a word of the last turns is worth as evidence, relative to one of the
	// prompt.
	saidShare = .3
)

// A question is about what code does. Code that has the question's words only in string literals
// merely mentions them: the texts of tests, lists of words, examples of questions.
const (
	literalFactor = .04 // factor of the odds of such code
	literalLooks  = 10  // how many of the best places are checked: a bundle begins with them
)

// typoShare is the share of a name's letters that may be mistyped; minTypoLength is the length from
// which one letter may be.
const typoShare, minTypoLength = .25, 4

// The shares of the deadline that a chat model may take, and the part of it that each stage must
// leave for the stages after it.
const (
	filterShare, filterRest = .5, .25
	judgeShare, judgeRest   = .2, .05
)

// Shares of the budget that memory may take besides history and arc: those of the memory layer and
// of the board (8,000 and 5,000 of 100,000 tokens), of tasks and blockers, and the share of L1 that
// standing rules may take.
const (
	knowledgeShare = .08
	reminderShare  = .08
	passageShare   = .2 // of what was said about the prompt's subject, beside code and history
	freeShare      = .6 // the same where a new conversation has neither code nor history to show
	boardShare     = .05
	workShare      = .07
	rulesShare     = .04
)

// Caps of the two layers, in tokens and as shares of the budget.
const (
	identityMost, identityShare       = 400, .02
	preferencesMost, preferencesShare = 600, .03
)

// duplicateShare is the share of a text that must be elsewhere for the text to be a near-duplicate;
// the rest allows for pieces cut at other boundaries. newWords is the share of a memory's words
// that may be new in one.
const duplicateShare, newWords = .85, .05

// ruleLeast is the probability from which a sentence is more probably a rule than not.
const ruleLeast = .5
