package budget

import "math"

// LearnedMost is how far from 1 the factor that use has taught may be.
const LearnedMost = .4

// learnedIdeal is an ideal as use has taught it.
func learnedIdeal(ideal int, factor float64) int {
	if factor == 0 || math.IsNaN(factor) {
		return ideal
	}
	return floor(float64(ideal) * min(max(factor, 1-LearnedMost), 1+LearnedMost))
}
