package predict

// The numbers of this package that were chosen, not computed: probabilities and shares from 0 to 1,
// and factors. A comment that names measurements is the source of its number; the others were
// chosen by hand, and the tests of this package hold what follows from them.

// minUsual is how many times more often than by chance a topic must come up at an hour to be
// usual then.
const minUsual = 1.5

// fading is the decay of each older try: it halves after about 140.
const fading = .995

// beside is the share of the day in an hour and those before and after it.
const beside = 3.0 / 24
