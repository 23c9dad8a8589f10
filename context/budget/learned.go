package budget

import "math"

// LearnedMost bounds how far from 1 a factor learned from use may be.
const LearnedMost = .4

// learnedIdeal returns an ideal multiplied by its bounded factor.
func learnedIdeal(ideal int, factor float64) int {
	if factor == 0 || math.IsNaN(factor) {
		return ideal
	}
	return floor(float64(ideal) * min(max(factor, 1-LearnedMost), 1+LearnedMost))
}
