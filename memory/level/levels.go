package level

// The numbers of this package that were chosen, not computed: probabilities and shares from 0 to 1,
// and factors. A comment that names measurements is the source of its number; the others were
// chosen by hand, and the tests of this package hold what follows from them.

// settledAt is the probability from which a sentence counts as settling something.
const settledAt = .4

// coveredShare is the weight of a term that is already covered: reduced, so that a level does not
// repeat itself, but not zero, because a subject that a text returns to is what it is about.
const coveredShare = .3

const (
	commonTalk = .4 // the rarity below which a word is not specific to a subject
	stemRunes  = 6  // characters of a word that its inflected forms share
)

// A sentence of the assistant is idle talk if nothing depends on it and it consists of common
// words.
const (
	idleStake = .3
	idleWords = .14
)

// How much depends on a sentence that is certainly of a kind, relative to a directive, a decision
// or a change: of a person's, and of what an assistant reports or proposes.
const (
	orderStake    = .9
	problemStake  = .8
	fixedStake    = .8
	questionStake = .7
	reportStake   = .6
	proposalStake = .2
)

// leastSpecific is the weight of a term that is common, and firstUse that of a term's first use,
// to which the logarithm of its uses is added.
const leastSpecific, firstUse = .1, .6

// tierFactors are the factors of units by where they come from.
var tierFactors = [tiers]float64{own: 1.6, said: 1, code: .5, called: .8, shown: .1}

// Target shares of the raw text's tokens.
const (
	smoothedShare   = .6
	compressedShare = .38
	tinyShare       = .04
)
