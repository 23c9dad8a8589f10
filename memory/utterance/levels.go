package utterance

// The numbers of this package that were chosen, not computed: probabilities and shares from 0 to 1,
// and factors. A comment that names measurements is the source of its number; the others were
// chosen by hand, and the tests of this package hold what follows from them.

const (
	// nameRarity is the rarity from which a word may be the name of one particular thing.
	nameRarity = .85
	// longestName bounds a name in scripts without spaces, where each character is a word.
	longestName = 8
	// sameStem is the share of a word, from its beginning, that two forms of it have in common.
	sameStem = .6
)

// foreignAt is the probability from which a sentence is not the person's own: what stays is wrong
// less often than a pasted review is taken for the person's.
const foreignAt = .6

// OrdinaryBelow is the rarity below which a word counts as common.
const OrdinaryBelow = .55

// mostLogit bounds the log odds of a sign, scaled, and faint keeps them finite for a probability of
// 0 or 1. The model of statements was fitted with both.
const mostLogit, faint = 1.5, .001
