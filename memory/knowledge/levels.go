package knowledge

// The numbers of this package that were chosen, not computed: probabilities and shares from 0 to 1,
// and factors. A comment that names measurements is the source of its number; the others were
// chosen by hand, and the tests of this package hold what follows from them.

// answeredShare is the share of a question's words, by rarity, that an answer must have.
const answeredShare = .5

// sameProblem is the likeness from which the first lines of two lessons describe the same problem.
const sameProblem = .7

// The probabilities from which a sentence is stored, each chosen on sentences of repositories and
// speakers that the models were not fitted to.
const (
	keptAt      = .4  // that it lasts, which suffices
	keptWithAt  = .3  // that it lasts, where it may be a directive
	keptSureAt  = .2  // that it lasts, where it probably is one
	candidateAt = .3  // that it is a directive
	knownAt     = .6  // that it is one, however much it reads as an order
	outrightAt  = .8  // that it is one, to be active at once
	orderShare  = 1.3 // how many times a directive's probability an order's may be: polite rules read as both
	choiceShare = 1.5 // how many times that of a rule or a fact a decision's may be: the arc holds decisions
)

// The terms that a sentence needs to be understood without the one before it: so many words that
// are not common.
const (
	aloneTerms  = 2
	aloneRarity = .6
)

// reviseAt is the probability of a change or a decision from which a sentence may revise an active
// rule.
const reviseAt = .3

// topicalAt is the rarity from which a word may be a keyword.
const topicalAt = .62

// The probabilities of the same subject from which a directive repeats or replaces an earlier one,
// and the likeness of two that say the same. With a cue of change, lower ones suffice.
const (
	sameAt        = .965
	sameChangedAt = .8
	changedAt     = .35
	sharedAt      = .15 // the smallest share of the weight of one's words that two about the same thing have in common
	alikeAt       = .74
	inOrderAt     = .8
	sameWordsAt   = .75
	revaluedAt    = .02 // the smallest probability of a change with which another value replaces one
)

// The probability of the same subject from which a sentence echoes what somebody else has just
// said: echoedAt with the same identifiers and numbers, echoedWordsAt without any.
const echoedAt, echoedWordsAt = .3, .7

// The probabilities of a problem and of a solution from which a sentence reports one.
const problemAt, fixedAt = .3, .4

// What a sentence's signs add to its likeness to a problem when its cause is sought: how probably
// it reports a solution or a problem, that it names code, and that a person said it.
const causeFixed, causeProblem, causeCode, causePerson = .5, .3, .15, .2

// alikeShare is the share of common terms (Jaccard) from which two lessons are one.
const alikeShare = .6

// questionAt is the probability from which a sentence is a question.
const questionAt = .5

// restWeight is the weight of a text's other content in its overlap with a query.
const restWeight = .15

// taskSure is the weight of how sure a rule is, for a query that orders something.
const taskSure = 1.5

// The probabilities from which a query is an order to change something, or reports a problem to be
// solved.
const taskAt, troubleAt = .28, .4

// Weights of the likeness: of the words that a query and an item share, relative to the common
// characters, and what is a good match on its own.
const (
	wordWeight = .65
	clearly    = .3 // the smallest fit of a rule with a query that orders nothing
	nearly     = .6 // the share of the best rule's fit from which another one answers too
	barely     = .12
)

const (
	// maxCompared bounds the rules that are compared with each other; the newest are.
	maxCompared = 160
	// overtakesAt is the probability of the same subject from which a newer rule with about the
	// same fit ranks above an older one. It is lower than what superseding needs, since both may be
	// shown. overtaken is the factor of the older one's score, and asWell the share of its fit that
	// the newer one needs.
	overtakesAt, overtaken, asWell = .35, .4, .92
	outdatesAt                     = .8 // from which the messages that state the older one are lowered too
)

const (
	contraryAt = .8 // the probability of the same subject from which two differing rules contradict each other
	sameTurns  = .6 // the share of common turns, of all turns of both, from which two topics are one
	ruleSure   = .5 // the probability from which an unconfirmed rule counts
)

// The worth of a passage of a reference: of what happened and of what was proposed, by their
// probabilities, where a decision has its own; what names of code, a person as its author, and each
// word in common with others add; and the share of what surrounds the topic.
const (
	happenedWorth = .7
	proposedWorth = .5
	codeWorth     = .2
	personWorth   = .1
	commonWorth   = .1
	aroundShare   = .6
	orderAt       = .4  // the probability of an order, if nothing is settled, from which a sentence is none
	worthAt       = .15 // the least score of a passage
	changesAt     = .5  // the likeness from which a change replaces an earlier statement
)

// repeatedAt is the smallest probability of a rule that repetition confirms.
const repeatedAt = .5

// teamWeight makes what others wrote stand below what the person did.
const teamWeight = .5
