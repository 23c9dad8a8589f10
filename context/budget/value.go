package budget

import (
	"math"
	"slices"
)

// packer holds the items of one layer while they are packed. Positions p index
// the layer's items; form[p] is the chosen form or out.
//
// The value of a set of chosen items, best first (value alone, then position):
//
//	Σ score × worth × decay^k × (1 − max similarity to a better one in the set)
//
// where k counts the better ones of the same group. It depends on the set only,
// not on the order in which the items came in.
type packer struct {
	items []Item
	idx   []int // position → index into items
	sim   *simCache
	decay float64

	form    []int
	group   []int     // position → group number; singles have one of their own
	members [][]int32 // group → chosen positions, best first
	used    int       // tokens of what is chosen
	fixed   []bool    // required and placed: never moved again

	// With a similarity: the novelty each chosen item has, and the novelty that
	// each other one would have. Exact after refresh.
	novelty []float64
}

const out = -1

func newPacker(items []Item, idx []int, sim Similarity, decay float64) *packer {
	n := len(idx)
	k := &packer{
		items: items, idx: idx, decay: decay,
		form: make([]int, n), group: make([]int, n), fixed: make([]bool, n),
	}
	numbers := make(map[string]int, n)
	groups := 0
	for p, i := range idx {
		k.form[p] = out
		g, known := numbers[items[i].Group]
		if !known || items[i].Group == "" {
			g = groups
			groups++
			numbers[items[i].Group] = g
		}
		k.group[p] = g
	}
	k.members = make([][]int32, groups)
	if sim != nil && n > 1 {
		k.sim = newSimCache(sim, idx)
		k.novelty = make([]float64, n)
		for p := range k.novelty {
			k.novelty[p] = 1
		}
	}
	return k
}

func (k *packer) item(p int) *Item { return &k.items[k.idx[p]] }

// alone is what the form is worth with nothing else in.
func (k *packer) alone(p, form int) float64 {
	if form == out {
		return 0
	}
	it := k.item(p)
	return it.Score * it.Forms[form].Worth
}

func (k *packer) tokens(p, form int) int {
	if form == out {
		return 0
	}
	return k.item(p).Forms[form].Tokens
}

// better orders chosen items: higher value first, then the earlier one.
func better(va float64, a int, vb float64, b int) bool {
	return va > vb || (va == vb && a < b)
}

func (k *packer) nov(p int) float64 {
	if k.novelty == nil {
		return 1
	}
	return k.novelty[p]
}

// groupValue is the value of group g were p (of that group) at the given form.
func (k *packer) groupValue(g, p, form int) float64 {
	sum, weight := 0.0, 1.0
	value := k.alone(p, form)
	pending := form != out
	for _, m32 := range k.members[g] {
		m := int(m32)
		if m == p {
			continue
		}
		mv := k.alone(m, k.form[m])
		if pending && better(value, p, mv, m) {
			sum += value * weight * k.nov(p)
			weight *= k.decay
			pending = false
		}
		sum += mv * weight * k.nov(m)
		weight *= k.decay
	}
	if pending {
		sum += value * weight * k.nov(p)
	}
	return sum
}

// gain is how the value changes when p goes to the form. With a similarity it is
// an estimate: what p does to the novelty of the others is left out.
func (k *packer) gain(p, form int) float64 {
	g := k.group[p]
	if len(k.members[g]) == 0 {
		return k.alone(p, form) * k.nov(p)
	}
	return k.groupValue(g, p, form) - k.groupValue(g, p, k.form[p])
}

// put sets p to the form, or takes it out.
func (k *packer) put(p, form int) {
	g := k.group[p]
	list := k.members[g]
	if k.form[p] != out {
		at := slices.Index(list, int32(p))
		list = slices.Delete(list, at, at+1)
	}
	k.used += k.tokens(p, form) - k.tokens(p, k.form[p])
	k.form[p] = form
	if form != out {
		value, at := k.alone(p, form), 0
		for at < len(list) && !better(value, p, k.alone(int(list[at]), k.form[list[at]]), int(list[at])) {
			at++
		}
		list = slices.Insert(list, at, int32(p))
	}
	k.members[g] = list
}

// total is the value of what is chosen, exactly.
func (k *packer) total() float64 {
	k.refresh()
	sum := 0.0
	for g, list := range k.members {
		if len(list) > 0 {
			p := int(list[0])
			sum += k.groupValue(g, p, k.form[p])
		}
	}
	return sum
}

// refresh recomputes every novelty; nothing to do without a similarity.
func (k *packer) refresh() {
	if k.sim == nil {
		return
	}
	for p := range k.form {
		k.novelty[p] = 1
	}
	for q, fq := range k.form {
		if fq == out {
			continue
		}
		vq := k.alone(q, fq)
		for p, fp := range k.form {
			if p == q || (fp != out && better(k.alone(p, fp), p, vq, q)) {
				continue
			}
			k.novelty[p] = min(k.novelty[p], 1-k.sim.at(p, q))
		}
	}
}

// dim lowers the novelty of what is not chosen by q, which just came in.
func (k *packer) dim(q int) {
	if k.sim == nil {
		return
	}
	for p, form := range k.form {
		if form == out {
			k.novelty[p] = min(k.novelty[p], 1-k.sim.at(p, q))
		}
	}
}

// simCache asks for each pair at most once.
type simCache struct {
	sim   Similarity
	idx   []int
	pairs []float32 // lower triangle; −1 = not asked yet
}

// maxCachedItems keeps the cache within 8 MB; above it, pairs are asked again.
const maxCachedItems = 2000

func newSimCache(sim Similarity, idx []int) *simCache {
	c := &simCache{sim: sim, idx: idx}
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

// ask brings a similarity into 0–1; what is not a number says nothing.
func (c *simCache) ask(p, q int) float64 {
	s := c.sim(c.idx[q], c.idx[p])
	if math.IsNaN(s) {
		return 0
	}
	return min(1, max(0, s))
}
