package main

import (
	"bytes"
	"testing"
)

// examples are questions with ten candidates each: if the second feature is set, the answer is the
// candidate with the largest first feature. The third feature carries no information.
func examples() (rows []row) {
	for q := range 200 {
		for i := range 10 {
			x := float32((q*7+i*3)%10) / 10
			on := float32(q % 2)
			gold := float32(0)
			if x > .85 && on > 0 {
				gold = 1
			}
			rows = append(rows, row{features: []float32{x, on, float32((q*13 + i*5) % 7)}, gold: gold, weight: 1, group: q})
		}
	}
	return rows
}

func TestBoost(t *testing.T) {
	set := boosting{trees: 40, leaves: 4, rate: .2, ridge: 1, least: 1, pairwise: 1}
	m := boost(examples(), 3, set)
	for _, tt := range []struct {
		features []float32
		least    float64
		most     float64
	}{{[]float32{.9, 1, 3}, .8, 1}, {[]float32{.9, 0, 3}, 0, .1}, {[]float32{.4, 1, 3}, 0, .1}} {
		if p := m.Probability(tt.features); p < tt.least || p > tt.most {
			t.Errorf("%v: %.3f, want %.2f to %.2f", tt.features, p, tt.least, tt.most)
		}
	}
	if again := boost(examples(), 3, set); !bytes.Equal(m.Encode(), again.Encode()) {
		t.Error("the same rows give another model")
	}
}
