package budget

import "math"

// learnedIdeal returns an ideal multiplied by its bounded factor.
func learnedIdeal(ideal int, factor float64) int {
	if factor == 0 || math.IsNaN(factor) {
		return ideal
	}
	return floor(float64(ideal) * min(max(factor, 1-LearnedMost), 1+LearnedMost))
}
