// Package rank holds small ensembles of decision trees that were fitted to predict what helps. A
// model sums what its trees return for a list of numbers; the sum, through the logistic function,
// is a probability.
package rank

import "math"

// Node is an inner node or a leaf of a tree. The left child of an inner node is the next node of
// its tree.
type Node struct {
	Feature int16   // -1 for a leaf
	Right   int16   // index of the right child in its tree
	Value   float32 // a feature below it goes left; in a leaf the value
}

// Tree is a decision tree; its root is Tree[0].
type Tree []Node

// Model is an ensemble. The zero value returns .5 for everything. Immutable and safe for concurrent
// use.
type Model struct {
	Bias  float32
	Trees []Tree
	// Slope and Offset calibrate the sum: the log-odds are Slope × sum + Offset.
	Slope, Offset float32
	// Features is how many numbers the model takes.
	Features int
}

// Margin returns the sum of the bias and the trees' values for some features.
func (m *Model) Margin(features []float32) float64 {
	sum := m.Bias
	for _, t := range m.Trees {
		sum += t.value(features)
	}
	return float64(sum)
}

// Probability returns the calibrated probability for some features, between 0 and 1.
func (m *Model) Probability(features []float32) float64 {
	return 1 / (1 + math.Exp(-(float64(m.Slope)*m.Margin(features) + float64(m.Offset))))
}

func (t Tree) value(features []float32) float32 {
	i := 0
	for {
		n := t[i]
		switch {
		case n.Feature < 0:
			return n.Value
		case features[n.Feature] < n.Value:
			i++
		default:
			i = int(n.Right)
		}
	}
}

// LogOdds returns the logarithm of a probability's odds, that of one which is neither 0 nor 1.
func LogOdds(p float64) float64 {
	const least = 1e-4
	p = min(max(p, least), 1-least)
	return math.Log(p / (1 - p))
}
