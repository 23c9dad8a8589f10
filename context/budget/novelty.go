package budget

import "math"

// nearest holds, for each chosen item, its largest similarity to a better chosen one. It also holds
// the second largest, so that the effect of adding or removing any one item is found without
// comparing all pairs again.
type nearest struct {
	simCache
	linked []bool // position → similar to some other one
	chosen []int  // positions of linked ones
	weight []float64
	first  []float64 // position → largest similarity to a better chosen one
	second []float64 // the second largest
	source []int     // position → the item that first refers to; out = none
}

func newNearest(sim Similarity, idx []int) *nearest {
	n := len(idx)
	near := &nearest{
		simCache: newSimCache(sim, idx), linked: make([]bool, n), weight: make([]float64, n),
		first: make([]float64, n), second: make([]float64, n), source: make([]int, n),
	}
	near.link()
	return near
}

// maxLinkedItems bounds the items of which all pairs are compared in advance, so that items without
// a similar one cost nothing later; in a larger set all count as linked.
const maxLinkedItems = 400

func (n *nearest) link() {
	for p := range n.linked {
		if len(n.linked) > maxLinkedItems {
			n.linked[p] = true
			continue
		}
		for q := range p {
			if n.at(p, q) > 0 {
				n.linked[p], n.linked[q] = true, true
			}
		}
	}
}

// nearChanged updates near after an item changed its form.
func (k *packer) nearChanged() {
	near := k.near
	if near == nil {
		return
	}
	near.chosen = near.chosen[:0]
	for _, list := range k.members {
		weight := 1.0
		for _, m := range list {
			if near.linked[m] {
				near.chosen = append(near.chosen, int(m))
				near.weight[m] = weight
			}
			weight *= k.decay
		}
	}
	for _, m := range near.chosen {
		near.first[m], near.second[m], near.source[m] = 0, 0, out
		mv := k.now[m]
		for _, q := range near.chosen {
			if q == m || !better(k.now[q], q, mv, m) {
				continue
			}
			switch s := near.at(m, q); {
			case s > near.first[m]:
				near.first[m], near.second[m], near.source[m] = s, near.first[m], q
			case s > near.second[m]:
				near.second[m] = s
			}
		}
	}
}

// linked reports whether p may repeat another item.
func (k *packer) linked(p int) bool { return k.near != nil && k.near.linked[p] }

// novelty returns the novelty that p at the form would have beside all that is chosen.
func (k *packer) novelty(p, form int) float64 {
	if !k.linked(p) {
		return 1
	}
	value, most := k.alone(p, form), 0.0
	for _, q := range k.near.chosen {
		if q != p && better(k.now[q], q, value, p) {
			most = max(most, k.near.at(p, q))
		}
	}
	return 1 - most
}

// repetition returns how much of p is in the chosen items, better or worse.
func (k *packer) repetition(p int) float64 {
	most := 0.0
	if k.linked(p) {
		for _, q := range k.near.chosen {
			if q != p {
				most = max(most, k.near.at(p, q))
			}
		}
	}
	return most
}

// noveltyBeside returns the novelty of the chosen m if p were at the given form.
func (k *packer) noveltyBeside(m, p, form int) float64 {
	near := k.near
	if !near.linked[m] {
		return 1
	}
	most := near.first[m]
	if near.source[m] == p {
		most = near.second[m]
	}
	if form != out && better(k.alone(p, form), p, k.now[m], m) {
		most = max(most, near.at(m, p))
	}
	return 1 - most
}

// effectOnOthers returns how moving p to the form changes the value of the other groups through
// their novelty.
func (k *packer) effectOnOthers(p, form int) float64 {
	change := 0.0
	for _, m := range k.near.chosen {
		if k.group[m] == k.group[p] {
			continue
		}
		by := k.noveltyBeside(m, p, form) - (1 - k.near.first[m])
		change += k.now[m] * k.near.weight[m] * by
	}
	return change
}

// simCache computes the similarity of each pair at most once.
type simCache struct {
	sim   Similarity
	idx   []int
	pairs []float32 // lower triangle; −1 = not computed yet; nil = no cache
}

// maxCachedItems keeps the cache within 8 MB; above it, similarities are computed again.
const maxCachedItems = 2000

func newSimCache(sim Similarity, idx []int) simCache {
	c := simCache{sim: sim, idx: idx}
	if n := len(idx); n <= maxCachedItems {
		c.pairs = make([]float32, n*(n-1)/2)
		for i := range c.pairs {
			c.pairs[i] = -1
		}
	}
	return c
}

func (c *simCache) at(p, q int) float64 {
	if p < q {
		p, q = q, p
	}
	if c.pairs == nil {
		return c.ask(p, q)
	}
	at := p*(p-1)/2 + q
	if c.pairs[at] < 0 {
		c.pairs[at] = float32(c.ask(p, q))
	}
	return float64(c.pairs[at])
}

// ask returns a similarity clamped to 0–1; NaN becomes 0.
func (c *simCache) ask(p, q int) float64 {
	s := c.sim(c.idx[q], c.idx[p])
	if math.IsNaN(s) {
		return 0
	}
	return min(1, max(0, s))
}
