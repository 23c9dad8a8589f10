package budget

import (
	"math"

	"github.com/contexture-dev/contexture/context/item"
)

// greedyKey ranks a move by its gain and its cost, higher first.
type greedyKey func(gain float64, tokens int) float64

var greedyKeys = [...]greedyKey{
	func(gain float64, tokens int) float64 { return gain / float64(max(1, tokens)) },
	func(gain float64, tokens int) float64 { return gain / math.Sqrt(float64(max(1, tokens))) },
	func(gain float64, _ int) float64 { return gain },
}

// pack chooses forms for the items, starting from none, so that their value is as high as it finds
// within capacity tokens, and returns that value: Σ value × worth.
//
// Required items come first, in order, each in its best form that fits. The rest is the best of
// three greedy passes (by value per token, by value, by a measure in between), each improved by
// exchanges. Equal input yields equal output; ties go to the earlier item.
func (k *packer) pack(capacity int) float64 {
	k.placeRequired(capacity)
	base := append([]int(nil), k.form...)
	var bestForm []int
	best := math.Inf(-1)
	for _, key := range greedyKeys {
		k.restore(base)
		k.greedy(capacity, key)
		value := k.total()
		if len(k.idx) <= smallLayer {
			value = k.improve(capacity, value)
		}
		if value > best+epsilon(best) {
			best, bestForm = value, append(bestForm[:0], k.form...)
		}
	}
	k.restore(bestForm)
	return k.improve(capacity, k.total())
}

// repack fills a capacity that has grown, starting from the current choice, and returns the value.
// It is never lower than before, unless room was made for a required item.
func (k *packer) repack(capacity int) float64 {
	oldRequired := k.requiredIn()
	old := k.improve(capacity, k.total())
	improved := append([]int(nil), k.form...)
	k.restore(nil)
	fresh := k.pack(capacity)
	switch n := k.requiredIn(); {
	case n > oldRequired, n == oldRequired && fresh > old+epsilon(old):
		return fresh
	}
	k.restore(improved)
	return k.total()
}

// smallLayer is the number of items up to which it is worth its time to improve every greedy pass
// instead of only the best.
const smallLayer = 14

// requiredIn counts the required items that are in.
func (k *packer) requiredIn() int {
	n := 0
	for p, form := range k.form {
		if form != out && k.item(p).Required {
			n++
		}
	}
	return n
}

// restore sets every form; nil takes all items out.
func (k *packer) restore(form []int) {
	for p := range k.form {
		to := out
		if form != nil {
			to = form[p]
		}
		if to != k.form[p] {
			k.put(p, to)
		}
		k.fixed[p] = to != out && k.item(p).Required
	}
}

// placeRequired puts the required items in, in order, each in the best form that leaves room for
// the shortest form of those after it.
func (k *packer) placeRequired(capacity int) {
	later := 0
	for p := range k.idx {
		if k.item(p).Required {
			later += shortest(k.item(p))
		}
	}
	for p := range k.idx {
		it := k.item(p)
		if !it.Required {
			continue
		}
		later -= shortest(it)
		form := k.bestFitting(it, capacity-k.used-later)
		if form == out {
			form = k.bestFitting(it, capacity-k.used)
		}
		if form != out {
			k.put(p, form)
			k.fixed[p] = true
		}
	}
}

func (k *packer) bestFitting(it *item.Item, room int) int {
	for form, f := range it.Forms {
		if f.Tokens <= room {
			return form
		}
	}
	return out
}

func shortest(it *item.Item) int {
	tokens := it.Forms[0].Tokens
	for _, f := range it.Forms {
		tokens = min(tokens, f.Tokens)
	}
	return tokens
}

// epsilon returns the difference between two values that rounding may cause.
func epsilon(value float64) float64 {
	if math.IsInf(value, 0) {
		return 0
	}
	return 1e-12 * (1 + math.Abs(value))
}
