package recall

// The numbers of this package that were chosen, not computed: probabilities and shares from 0 to 1,
// and factors. A comment that names measurements is the source of its number; the others were
// chosen by hand, and the tests of this package hold what follows from them.

// leastOpen is how far a query must leave its subject open for the newest messages to answer it
// though none contains its words.
const leastOpen = .5

// surest is the probability of anything having been said above which odds say nothing more.
const surest = .99

// derivedBy is the factor of the score of what was derived from conversations beside what was said
// in them.
const derivedBy = .3

// outdatedShare is the factor of the score of a message whose statement was replaced: it may be
// shown, after what is current.
const outdatedShare = .4

// nearTie is the share of the best score by which two items may differ and still count as equally
// good.
const nearTie = .05

// A question such as "and the second one?" refers to what was said last, which has none of its
// words. How much a query leaves open follows from its words alone, in any language: they are
// common words, and no message contains most of them.
//
// openAt, perRarity and perShare are a logistic regression on two features: the mean rarity of the
// query's words, and the share of the query in the best message. It was fitted on real sessions,
// where prompts continue what was said, against questions about long dialogues, both sets with
// equal weight.
const openAt, perRarity, perShare = 19.84, 23.53, 4.85

// answers is the fit from which something known answers a query completely, so that nothing is left
// open.
const answers = .4

const (
	// latest is how many of the newest messages are examined.
	latest = 64
	// freshHalf is the age, in messages of substance, at which a message's weight as the subject of
	// an open query halves; freshWeight is the weight of the newest message for a fully open query,
	// where the best match has 1.
	freshHalf, freshWeight = 3.5, 2
	// substance is the length in bytes from which a message is one that people refer back to; a
	// shorter one has less weight, down to leastWorth, or ownWorth where it is a person's or the
	// last of its turn. Each message ages those before it by at least leastAge: an assistant at
	// work writes much that nobody refers back to.
	substance                      = 1000
	leastWorth, ownWorth, leastAge = .2, .6, .3
	// elsewhere is the weight of another conversation's newest messages relative to those of the
	// query's own.
	elsewhere = .6
	// speaksOf is the share of a query from which a message of any conversation counts as being
	// about it.
	speaksOf = .35
)

// pointing is the mean rarity of a query's words below which it refers to something without naming
// it.
const pointing = .6

const (
	// asksAt and ordersAt are the probabilities of a question and of an order from which a sentence
	// is not a statement; decidesAt is the probability from which it is a decision.
	asksAt, ordersAt, decidesAt = .5, .6, .5
	// steps is how many list items make a procedure.
	steps = 2
)

// strong is the share of the best message's score from which a message counts as a strong match of
// its session.
const strong = .3

const (
	// gathered is how much is loaded, as a multiple of the budget: enough to choose the best fit
	// from, since a passage ranked below so many others is taken only if it is far shorter.
	gathered = 2
	// maxGap is how many messages may be between two that are read together.
	maxGap = 16
	// inOrder is the score of the next passage of a message that matches only as a whole, relative
	// to the one before.
	inOrder = .97
	// leastPart is the share of its message's score that a passage has at least.
	leastPart = .5
)

const (
	// followed is how many of the best messages are followed, provided that they reach followShare
	// of the best score; followers is for how many messages each. In an episode the messages before
	// count too.
	followed, followers = 12, 6
	followShare         = .5
	// followBy is the score of a following message relative to the one that it follows, less for
	// each step.
	followBy, followDecay = .35, .85
)

const (
	// wholeShare is the share of the budget that the best passage may take, and others in
	// proportion to their score; it is openShare more for a query that leaves its subject open,
	// which asks for all of what was said last.
	wholeShare, openShare = .12, .1
	// tokenBytes is the approximate length of a token.
	tokenBytes = 4
)

// codeRecency is how much a query about code wants what is recent, where the largest wish is 1.
const codeRecency = .5

const (
	// maxCompared is the number of lines, the best first, that are compared with each other, and
	// comparedScore the share of the best score that they have at least.
	maxCompared   = 12
	comparedScore = .3
	// sameSubject is the probability of the same subject from which the later of two statements
	// ranks above the earlier. It is lower than what replacing needs, since both are shown.
	sameSubject = .35
	// asWell is the share of the query's words in the earlier statement that the later one needs.
	asWell = .99
	// changes is the probability from which a statement says that something has changed.
	changes = .35
)

// distinct is the rarity in everyday talk from which a word of a query names its subject.
const distinct = .75

// Bounds of a subject: the share of the query's weight that its words carry, how many there are,
// and the bytes of each that are shown.
const subjectWeight, maxSubjectWords, maxSubjectWord = .8, 6, 60

// saturated and shortened are the k1 and b of BM25 for passages, which differ little in length.
const saturated, shortened = 1.2, .5

// refutedAt is the probability of a problem from which the first sentence of a person's reply says
// that the answer before it is wrong or did not work. Of 720 replies in recorded sessions of four
// repositories, to which nothing was fitted, 118 say so: from .2 it finds 19 % of them, and of what
// it finds 81 % do; from .3 11 and 81 %, from .5 7 and 89 %.
const refutedAt = .2

// belowOutcome is the factor of the best score of what refuted an answer that the answer has at
// most. Lower ones, and adding what refuted it where the query did not find it, lost more of what
// recorded sessions were asked for than they gained.
const belowOutcome = .97

const (
	// sharpness turns the model's logarithms into scores, with about the same spread as the scores
	// of words.
	sharpness = .5
	// named is the weight of links relative to the search, for a query that names a speaker.
	named = .8
	// faintest keeps the logarithm of a score finite.
	faintest = 1e-6
)

// The weights of the order of passages, chosen on questions about recorded sessions, each set of a
// repository left out in turn; the neighbours of each value were about as good.
const (
	promptShare  = .3  // of a term that only the prompt of a passage contains
	besideShare  = .15 // of the score of the passages before and after
	turnShare    = .5  // of the score of the whole turn
	talkShare    = .2  // of the best score in the conversation
	narrated     = .5  // factor of what an assistant says while it works
	pasted       = .7  // factor of a long prompt, most of which is usually pasted
	pastedFrom   = 1500
	maxOpenings  = 80 // messages whose turns are looked up, the best first
	promptRead   = 700
	promptShown  = 80 // bytes of a prompt above the answer
	maxPieces    = 32 // of one message
	newerShare   = .5 // of the logarithm of the search's score, where newness counts most
	settledAfter = 2  // messages after which a text is not the last of its turn
)
