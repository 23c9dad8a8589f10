package budget

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

// codeItems returns typical retrieval results: scores falling, 100–700 tokens, a few pieces of one
// file, some with shorter forms.
func codeItems(r *rand.Rand, n int, forms bool) []Item {
	items := make([]Item, n)
	for i := range items {
		tokens := 100 + r.IntN(601)
		it := Item{
			Layer: item.L5JIT, Group: fmt.Sprint("file", r.IntN(max(1, n/2))),
			Score: 1 / (1 + float64(i)/10),
			Forms: []Form{{"full", tokens, 1}},
		}
		if forms {
			it.Forms = append(it.Forms, Form{"summary", 20 + tokens/4, 0.4})
		}
		items[i] = it
	}
	return items
}

func BenchmarkFill(b *testing.B) {
	for _, forms := range []bool{false, true} {
		for _, n := range []int{50, 150, 300} {
			b.Run(fmt.Sprintf("items=%d/forms=%v", n, forms), func(b *testing.B) {
				items := codeItems(rand.New(rand.NewPCG(1, 2)), n, forms)
				in := Input{Total: 12000, PromptTokens: 200}
				b.ReportAllocs()
				for b.Loop() {
					plan, err := Fill(in, items, nil, Options{})
					if err != nil || plan.Tokens < 11000 {
						b.Fatal(plan.Tokens, err)
					}
				}
			})
		}
	}
}

// BenchmarkPackSimilar packs items that reduce each other's value: vectors in clusters.
func BenchmarkPackSimilar(b *testing.B) {
	for _, n := range []int{12, 40, 100, 300} {
		b.Run(fmt.Sprintf("items=%d", n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			items := codeItems(r, n, true)
			sim := clusterSimilarity(r, n)
			idx := make([]int, n)
			capacity := 0
			for i := range idx {
				idx[i] = i
				capacity += items[i].Forms[0].Tokens
			}
			capacity = min(12000, capacity/2)
			for b.Loop() {
				newPacker(items, idx, sim, DefaultDecay).pack(capacity)
			}
		})
	}
}
