package budget

import (
	"math"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

// TestLearnedIdeal checks that learned usage changes an ideal by 40 % at most, within the layer's
// bounds, and never an ideal set by the caller.
func TestLearnedIdeal(t *testing.T) {
	in := Input{Total: 12000, PromptTokens: 100, MessageCount: 10, ConversationTokens: 40000, HasConversation: true}
	for l := range in.Supply {
		in.Supply[l] = 12000
	}
	ideal := func(in Input) Allocation {
		rows, err := negotiated(in)
		if err != nil {
			t.Fatal(err)
		}
		return rows[item.L5JIT]
	}
	plain := ideal(in)
	for _, c := range []struct {
		factor float64
		want   int
	}{{0, plain.Ideal}, {1, plain.Ideal}, {1.1, plain.Ideal * 11 / 10}, {9, plain.Ideal * 14 / 10}, {.1, plain.Ideal * 6 / 10}, {-1, plain.Ideal * 6 / 10}, {math.NaN(), plain.Ideal}} {
		in.Learned[item.L5JIT] = c.factor
		got := ideal(in)
		if got.Ideal < c.want-1 || got.Ideal > c.want {
			t.Errorf("with %v the ideal is %d, want %d", c.factor, got.Ideal, c.want)
		}
		if c.factor > 1 && got.Allocated < plain.Allocated || c.factor == .1 && got.Allocated > plain.Allocated {
			t.Errorf("with %v it gets %d, else %d", c.factor, got.Allocated, plain.Allocated)
		}
	}
	own := 500
	in.Learned[item.L5JIT], in.Overrides = 1.4, map[item.Layer]Override{item.L5JIT: {Ideal: &own}}
	if got := ideal(in); got.Ideal != own {
		t.Errorf("a caller's ideal of %d became %d", own, got.Ideal)
	}
}
