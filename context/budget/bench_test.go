package budget

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

// codeItems returns typical retrieval results: scores falling, 100–700 tokens, some with
// shorter forms.
func codeItems(r *rand.Rand, n int, forms bool) []*item.Item {
	items := make([]*item.Item, n)
	for i := range items {
		tokens := 100 + r.IntN(601)
		it := &item.Item{
			Layer: item.L5JIT,
			Value: 1 / (1 + float64(i)/10),
			Forms: []item.Form{{Format: "full", Tokens: tokens, Worth: 1}},
		}
		if forms {
			it.Forms = append(it.Forms, item.Form{Format: "summary", Tokens: 20 + tokens/4, Worth: 0.4})
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
					plan, err := Fill(in, items)
					if err != nil || plan.Tokens < 11000 {
						b.Fatal(plan.Tokens, err)
					}
				}
			})
		}
	}
}
