package recall

import "math"

// Signs are what tells whether an item helps.
type Signs struct {
	Relative float64 // its score by that of the best item, 0 to 1
	Share    float64 // how much of the query its best message says
	Rarity   float64 // the mean rarity of the query's words in everyday talk
	Place    int     // in the answer, from 0
}

// Features are the signs as the model reads them; the first is the constant.
func (s Signs) Features() []float64 {
	return []float64{1, s.Relative, min(1, s.Share), s.Rarity, math.Log1p(float64(s.Place))}
}

// chances weighs Features. They are what `go run ./cmd/train recall -sets FILE,FILE` prints for two
// sets of dialogues with questions, real sessions of work and long talks between friends, at 2,000
// tokens; the probabilities hold for dialogues that the fit did not see (log loss .25).
var chances = [...]float64{-2.844, 4.640, 3.396, -2.448, -1.696}

// Chance is the probability that an item with these signs helps, calibrated on questions of which
// it is known what answers them.
func (s Signs) Chance() float64 {
	z := 0.0
	for i, f := range s.Features() {
		z += chances[i] * f
	}
	return 1 / (1 + math.Exp(-z))
}

// nearTie is the share of the best score by which two items may differ and still be equally good.
const nearTie = .05

// Chances returns how probably items help of which each says a share of a query, and which have
// scores by which they are ordered. Equally good items have equal chances, whichever stands first.
func Chances(query string, scores, shares []float64) []float64 {
	top := 0.0
	for _, s := range scores {
		top = max(top, s)
	}
	rarity := rarityOf(query)
	out := make([]float64, len(scores))
	for i, s := range scores {
		signs := Signs{Share: shares[i], Rarity: rarity}
		if top > 0 {
			signs.Relative = max(0, s/top)
		}
		for _, other := range scores {
			if other > s+nearTie*top {
				signs.Place++
			}
		}
		out[i] = signs.Chance()
	}
	return out
}

// judge notes the signs of items, which stand in their order, and gives each its probability as its
// score.
func judge(items []Item, rarity float64) {
	top := 0.0
	for _, it := range items {
		top = max(top, it.Score)
	}
	for i := range items {
		it := &items[i]
		it.Signs.Place, it.Signs.Rarity = i, rarity
		if top > 0 {
			it.Signs.Relative = it.Score / top
		}
		it.Score = it.Signs.Chance()
	}
}
