package budget

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

// one is an item with a single form.
func one(l item.Layer, tokens int, score float64) *item.Item {
	return &item.Item{Layer: l, Value: score, Forms: []item.Form{{Format: "full", Tokens: tokens, Worth: 1}}}
}

// question is the most important case: no conversation, a prompt, a little of L0–L3 and many pieces
// of code.
func question(r *rand.Rand, total, prompt, code int, forms bool) (Input, []*item.Item) {
	items := codeItems(r, code, forms)
	p := one(item.L7Message, prompt, 1)
	p.Required = true
	items = append(items, p, one(item.L0Identity, 60, 1), one(item.L1Preferences, 40, 1), one(item.L1Preferences, 80, 1),
		one(item.L2Topic, 250, 1), one(item.L2Topic, 120, 0.5), one(item.L3Entity, 90, 1), one(item.L3Entity, 110, 1))
	return Input{Total: total, PromptTokens: prompt, Topics: 2, Entities: 2}, items
}

// Everything that the others do not use is L5's, for 97 % of the budget and more, unless the most
// valuable choice leaves less than anything else takes.
func TestFillQuestion(t *testing.T) {
	for _, total := range []int{4000, 8000, 12000} {
		for _, prompt := range []int{20, 300, 2000} {
			for _, code := range []int{50, 150} {
				for _, forms := range []bool{false, true} {
					t.Run(fmt.Sprint(total, prompt, code, forms), func(t *testing.T) {
						in, items := question(rand.New(rand.NewPCG(1, uint64(total+prompt+code))), total, prompt, code, forms)
						plan, err := Fill(in, items)
						if err != nil {
							t.Fatal(err)
						}
						if plan.Tokens > total || plan.Tokens < total*97/100 {
							t.Errorf("%d of %d tokens used", plan.Tokens, total)
						}
						others := 60 + 120 + 370 + 200 + prompt
						got, least := plan.Layers[item.L5JIT].Used, total
						for i, it := range items {
							if plan.Forms[i] < 0 {
								least = min(least, shortest(it))
							}
						}
						if got < (total-others)*97/100 && total-others-got >= least {
							t.Errorf("L5 uses %d of the %d that others leave", got, total-others)
						}
					})
				}
			}
		}
	}
}

func TestFillTiny(t *testing.T) {
	prompt := one(item.L7Message, 200, 1)
	prompt.Required = true
	plan, err := Fill(Input{Total: 256}, []*item.Item{prompt, one(item.L5JIT, 40, 1), one(item.L5JIT, 90, 2), one(item.L0Identity, 300, 1)})
	if err != nil {
		t.Fatal(err)
	}
	want := []int{0, 0, -1, -1}
	if !reflect.DeepEqual(plan.Forms, want) || plan.Tokens != 240 {
		t.Errorf("choices %v, %d tokens; want %v, 240", plan.Forms, plan.Tokens, want)
	}
	var exceeds *PromptExceedsError
	if _, err = Fill(Input{Total: 199}, []*item.Item{prompt}); !errors.As(err, &exceeds) || exceeds.Needed != 200 {
		t.Errorf("prompt over budget: %v", err)
	}
	if _, err = Fill(Input{Total: 200}, []*item.Item{prompt}); err != nil {
		t.Errorf("prompt exactly the budget: %v", err)
	}
}

// With a full history packing does not change the figures of the formulas.
func TestFillKeepsFormulas(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var items []*item.Item
	for l := item.L0Identity; l <= item.L6History; l++ {
		for range 60 {
			items = append(items, one(l, 100+r.IntN(200), r.Float64()))
		}
	}
	in := Input{Total: 12000, MessageCount: 200, ConversationTokens: 40000, PromptTokens: 100, Topics: 2, Entities: 2, HasConversation: true}
	plan, err := Fill(in, items)
	if err != nil {
		t.Fatal(err)
	}
	for l, want := range Formulas(in) {
		if got := plan.Layers[l].Params; got != want {
			t.Errorf("%v: %+v, want %+v", item.Layer(l), got, want)
		}
	}
	if plan.Tokens < 11640 {
		t.Errorf("only %d of 12000 used", plan.Tokens)
	}
}

// Required items are packed first, shortened if that makes room for all, and a fixed layer requests
// room for them even above its ideal.
func TestFillRequired(t *testing.T) {
	need := func(l item.Layer, full, short int) *item.Item {
		return &item.Item{Layer: l, Value: 0.01, Required: true, Forms: []item.Form{{Format: "full", Tokens: full, Worth: 1}, {Format: "summary", Tokens: short, Worth: 0.5}}}
	}
	items := []*item.Item{need(item.L0Identity, 700, 300), need(item.L1Preferences, 350, 50), need(item.L1Preferences, 400, 60), one(item.L1Preferences, 200, 9)}
	plan, err := Fill(Input{Total: 12000, PromptTokens: 11000}, items)
	if err != nil {
		t.Fatal(err)
	}
	// L0 300 of at most 500; of L1's 360 the first takes the form that leaves the second its 60,
	// and then all are offered again up to 800.
	if got := plan.Forms[0]; got != 1 {
		t.Errorf("identity: %v", got)
	}
	for i := 1; i <= 2; i++ {
		if plan.Forms[i] < 0 {
			t.Errorf("required item %d is out: %v", i, plan.Forms)
		}
	}
}

func TestFillBadItems(t *testing.T) {
	good := one(item.L5JIT, 10, 1)
	tests := []struct {
		field string
		item  *item.Item
	}{
		{"layer", one(-1, 10, 1)}, {"layer", one(8, 10, 1)}, {"forms", &item.Item{Layer: item.L5JIT}}, {"tokens", one(item.L5JIT, -1, 1)},
		{"value", one(item.L5JIT, 1, -1)}, {"value", one(item.L5JIT, 1, math.NaN())}, {"value", one(item.L5JIT, 1, math.Inf(1))},
		{"worth", &item.Item{Layer: item.L5JIT, Forms: []item.Form{{Format: "full", Tokens: 1, Worth: math.NaN()}}}},
	}
	for _, tt := range tests {
		_, err := Fill(Input{Total: 1000}, []*item.Item{good, tt.item})
		var e *ItemError
		if !errors.As(err, &e) || e.Index != 1 || e.Field != tt.field {
			t.Errorf("%s: %v", tt.field, err)
		}
	}
}

// Notes on the board may use the room that no other layer can use, and no more than their own max
// if all can.
func TestBoardTakesWhatOthersCannotUse(t *testing.T) {
	notes := make([]*item.Item, 10)
	for i := range notes {
		notes[i] = &item.Item{Layer: item.L4Conversation, Value: 1, Required: true, Forms: []item.Form{{Format: "full", Tokens: 500, Worth: 1}, {Format: "summary", Tokens: 150, Worth: .6}}}
	}
	code := make([]*item.Item, 60)
	for i := range code {
		code[i] = &item.Item{Layer: item.L5JIT, Value: 1, Forms: []item.Form{{Format: "full", Tokens: 400, Worth: 1}}}
	}
	for _, tt := range []struct {
		name  string
		items []*item.Item
		most  int // of L4
		whole int
	}{
		{"alone", notes, 5000, 10},
		{"beside little code", append(slices.Clone(notes), code[:5]...), 5000, 10},
		{"beside much code", append(slices.Clone(notes), code...), 2400, 2},
	} {
		plan, err := Fill(Input{Total: 12_000, PromptTokens: 20}, tt.items)
		if err != nil {
			t.Fatal(err)
		}
		whole := 0
		for i, c := range plan.Forms {
			if tt.items[i].Layer == item.L4Conversation && c == 0 {
				whole++
			}
		}
		if l := plan.Layers[item.L4Conversation]; l.Max != tt.most || whole != tt.whole {
			t.Errorf("%s: %d notes whole, want %d; %+v, want a max of %d", tt.name, whole, tt.whole, l, tt.most)
		}
	}
}
