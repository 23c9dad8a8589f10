package budget

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

// setValue returns the stated value of a choice, written from its definition and sharing no code
// with the packer: it judges both Pack and the optimum.
func setValue(items []*item.Item, form []int) (sum float64) {
	for i, it := range items {
		if form[i] >= 0 {
			sum += it.Value * it.Forms[form[i]].Worth
		}
	}
	return sum
}

// optimum returns the highest value within capacity, by branch and bound.
func optimum(items []*item.Item, capacity int) float64 {
	form := make([]int, len(items))
	for i := range form {
		form[i] = -1
	}
	rate := func(i int) float64 {
		best := 0.0
		for _, f := range items[i].Forms {
			best = max(best, items[i].Value*f.Worth/float64(max(1, f.Tokens)))
		}
		return best
	}
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if rate(a) > rate(b) {
			return -1
		}
		return 1
	})
	bound := func(at, room int) float64 {
		sum := 0.0
		for _, i := range order[at:] {
			most, tokens := 0.0, 0
			for _, f := range items[i].Forms {
				if v := items[i].Value * f.Worth; v > most {
					most, tokens = v, f.Tokens
				}
			}
			take := min(most, rate(i)*float64(min(room, tokens)))
			room -= min(room, int(take/max(rate(i), 1e-300)))
			sum += take
		}
		return sum
	}
	best := 0.0
	var visit func(at, room int)
	visit = func(at, room int) {
		now := setValue(items, form)
		best = max(best, now)
		if at == len(order) || now+bound(at, room) <= best*(1+1e-9) {
			return
		}
		i := order[at]
		for f := range items[i].Forms {
			if t := items[i].Forms[f].Tokens; t <= room {
				form[i] = f
				visit(at+1, room-t)
			}
		}
		form[i] = -1
		visit(at+1, room)
	}
	visit(0, capacity)
	return best
}

// smallCase draws a packing problem of at most twelve items.
func smallCase(r *rand.Rand) (items []*item.Item, capacity int) {
	n := 2 + r.IntN(11)
	items = make([]*item.Item, n)
	total := 0
	kind := r.IntN(4)
	for i := range items {
		tokens := 20 + r.IntN(680)
		score := r.Float64()
		switch kind {
		case 1: // value grows with size, the hard case of knapsacks
			score = float64(tokens) * (0.9 + 0.2*r.Float64()) / 700
		case 2: // few large, many small
			if r.IntN(3) > 0 {
				tokens = 10 + r.IntN(60)
			}
		case 3: // as ranked: falling
			score = 1 / (1 + float64(i)/3)
		}
		items[i] = &item.Item{Layer: item.L5JIT, Value: score, Forms: []item.Form{{Format: "full", Tokens: tokens, Worth: 1}}}
		if r.IntN(3) == 0 {
			items[i].Forms = append(items[i].Forms, item.Form{Format: "summary", Tokens: 1 + tokens/3, Worth: 0.3 + 0.4*r.Float64()})
		}
		if r.IntN(6) == 0 {
			items[i].Forms = append(items[i].Forms, item.Form{Format: "tickler", Tokens: 1 + tokens/20, Worth: 0.1})
		}
		total += tokens
	}
	return items, total * (10 + r.IntN(80)) / 100
}

// The packer reaches 99 % of the exact optimum on average, and no single case is under 90 %.
func TestPackReachesOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	const cases = 1500
	sum, worst := 0.0, 1.0
	for range cases {
		items, capacity := smallCase(r)
		idx := make([]int, len(items))
		for i := range idx {
			idx[i] = i
		}
		k := newPacker(items, idx)
		value := k.pack(capacity)
		used := k.used
		form := make([]int, len(items))
		tokens := 0
		for i, f := range k.form {
			form[i] = f
			if f >= 0 {
				tokens += items[i].Forms[f].Tokens
			}
		}
		if tokens != used || used > capacity {
			t.Fatalf("used %d, counted %d, capacity %d", used, tokens, capacity)
		}
		if real := setValue(items, form); value > real+1e-6 || value < real-1e-6 {
			t.Fatalf("reports value %v, is %v", value, real)
		}
		share := 1.0
		if best := optimum(items, capacity); best > 0 {
			share = value / best
		}
		sum += share
		worst = min(worst, share)
	}
	if mean := sum / cases; mean < 0.99 || worst < 0.9 {
		t.Errorf("mean %.5f of the optimum (want 0.99), worst %.5f (want 0.90)", mean, worst)
	}
}

// If the optimum is too expensive to compute, the fractional one bounds it from above.
func TestPackLargeReachesBound(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 5))
		items := codeItems(r, 40+r.IntN(260), false)
		idx := make([]int, len(items))
		for i := range items {
			idx[i] = i
			items[i].Value *= 0.5 + r.Float64()
		}
		slices.SortFunc(items, func(a, b *item.Item) int {
			return cmp.Compare(b.Value/float64(b.Forms[0].Tokens), a.Value/float64(a.Forms[0].Tokens))
		})
		const capacity = 8000
		bound, room := 0.0, capacity
		for _, it := range items {
			tokens := it.Forms[0].Tokens
			bound += it.Value * float64(min(room, tokens)) / float64(tokens)
			room -= min(room, tokens)
		}
		if got := newPacker(items, idx).pack(capacity); got < 0.99*bound {
			t.Errorf("seed %d: %.4f of at most %.4f", seed, got, bound)
		}
	}
}
