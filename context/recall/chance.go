package recall

import (
	"math"

	"github.com/contexture-dev/contexture/context/item"
)

// Signs are the features that decide whether an item helps.
type Signs struct {
	Relative float64 // its score relative to the best item's, 0 to 1
	Share    float64 // the share of the query in its best message
	Rarity   float64 // the mean rarity of the query's words in everyday talk
	Place    float64 // in the answer, from 0; that of equally good items is their mean
}

// Features returns the signs as the model's input; the first is the constant.
func (s Signs) Features() []float64 {
	return []float64{1, s.Relative, min(1, s.Share), s.Rarity, math.Log1p(s.Place)}
}

// chances are the weights of Features, as printed by `go run ./cmd/train recall -sets FILE,FILE`
// for two sets of dialogues with questions, real sessions of work and long talks between friends,
// at 2,000 tokens. The probabilities hold for dialogues that the fit did not use (log loss .25).
var chances = [...]float64{-2.844, 4.640, 3.396, -2.448, -1.696}

// Chance returns the probability that an item with these signs helps, calibrated on questions with
// known answers.
func (s Signs) Chance() float64 {
	return logistic(chances[:], s.Features())
}

// Chances returns the probabilities that items help, from their shares of the query and the scores
// that order them. Equally good items have equal chances in any order.
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
		for k, other := range scores {
			switch {
			case other > s+nearTie*top:
				signs.Place++
			case k != i && other >= s-nearTie*top:
				signs.Place += .5
			}
		}
		out[i] = signs.Chance()
	}
	return out
}

// judge returns the signs of the items, which must be in order, and replaces each score with the
// probability.
func judge(items []item.Item, rarity float64) []Signs {
	top := 0.0
	for _, it := range items {
		top = max(top, it.Score)
	}
	signs := make([]Signs, len(items))
	for i := range items {
		it := &items[i]
		signs[i] = Signs{Share: it.Share, Place: float64(i), Rarity: rarity}
		if top > 0 {
			signs[i].Relative = it.Score / top
		}
		it.Score = signs[i].Chance()
	}
	return signs
}
