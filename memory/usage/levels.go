package usage

// The numbers of this package that were chosen, not computed: probabilities and shares from 0 to 1,
// and factors. A comment that names measurements is the source of its number; the others were
// chosen by hand, and the tests of this package hold what follows from them.

// The bounds within which the use of layers changes their share of a bundle, and how fast.
const (
	layersMost  = .4   // largest distance of a layer's factor from 1
	layersStep  = .01  // change of a factor by one feedback
	layersFade  = .98  // decay of each older feedback: it halves after 34
	layersFirst = 10   // feedbacks before anything changes
	layersLeast = 1000 // tokens, decayed, that a layer must have shown before it changes
)

// minOverlap is the Jaccard index of the distinct terms of an item and a response from which the
// item counts as referenced by its words alone. For a long item and a short response it is always
// small: there the identifiers decide.
const minOverlap = .15

const (
	// likeness is the Jaccard index of two items' terms from which they are alternatives to each
	// other.
	likeness = .25
	// chance is the share of an item's overlap with an answer that may be accidental.
	chance = .1
)

// corrected is the weight of a use when the person rejects the response.
const corrected = .5
