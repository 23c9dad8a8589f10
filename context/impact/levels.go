package impact

// The numbers of this package that were chosen, not computed: probabilities and shares from 0 to 1,
// and factors. A comment that names measurements is the source of its number; the others were
// chosen by hand, and the tests of this package hold what follows from them.

// A test has evidence if its name is so like that of a changed file, or of a user of what changed,
// or if it matches the changed words so well.
const leastLike, leastWords = .3, .5

// Tests are named that a change concerns with a probability of at least LeastTest, at most
// MostTests of them. Measured by go run ./cmd/train impact.
const (
	LeastTest = .02
	MostTests = 20
)

// distinctName is the likeness from which on a test counts as named like a file.
const distinctName = .5

const (
	fading   = .9 // weight of a commit of a file relative to the next newer one
	doubt    = .5 // weight of the doubt about a file with few commits
	agingOld = 1e4
)

// mostDistinct is the share of the files above which a name distinguishes nothing.
const mostDistinct = .2

// saturated and shortened are the k1 and b of BM25 for the words of changed lines.
const saturated, shortened = 1.2, .5
