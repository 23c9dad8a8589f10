package intent

// The numbers of this package that were chosen, not computed: probabilities and shares from 0 to 1,
// and factors. A comment that names measurements is the source of its number; the others were
// chosen by hand, and the tests of this package hold what follows from them.

// The weights of a prompt's shape, added to those of its phrases.
const (
	fixWeight       = 1.5  // starts with a verb of repairVerbs, which suits a task as well as a search for a fault
	exceptionWeight = 1.5  // an exception's name without a message
	statementWeight = 0.75 // no question, and longer than fewWords: a weak hint does not change it
)

// maxHint bounds a hint: three phrases are as certain as it gets.
const maxHint = 1.5
