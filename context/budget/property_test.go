package budget

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/context/item"
)

// situation draws any input, with items of every layer.
func situation(t *rapid.T) (Input, []*item.Item) {
	in := Input{
		Total:              rapid.OneOf(rapid.IntRange(0, 2000), rapid.IntRange(256, 20000), rapid.IntRange(256, 1_000_000)).Draw(t, "total"),
		MessageCount:       rapid.IntRange(0, 300).Draw(t, "messages"),
		ConversationTokens: rapid.OneOf(rapid.IntRange(0, 4000), rapid.IntRange(0, 90000)).Draw(t, "conversation"),
		PromptTokens:       rapid.IntRange(0, 1500).Draw(t, "prompt"),
		Topics:             rapid.IntRange(0, 6).Draw(t, "topics"),
		Entities:           rapid.IntRange(0, 6).Draw(t, "entities"),
		HasConversation:    rapid.Bool().Draw(t, "has conversation"),
		Depth:              rapid.SampledFrom([]Depth{Standard, Minimal, Deep}).Draw(t, "depth"),
		PrioritizeHistory:  rapid.Bool().Draw(t, "prioritize"),
		TopicBundleTokens:  rapid.IntRange(0, 2000).Draw(t, "topic bundle"),
		Overrides:          map[item.Layer]Override{},
	}
	for _, l := range elastic {
		in.Learned[l] = rapid.SampledFrom([]float64{0, 0, .5, .6, .9, 1.1, 1.4, 3}).Draw(t, "learned")
	}
	for range rapid.IntRange(0, 3).Draw(t, "overrides") {
		l := item.Layer(rapid.IntRange(0, 7).Draw(t, "layer"))
		o := Override{Priority: rapid.Ptr(rapid.IntRange(0, 100), true).Draw(t, "priority")}
		o.Elasticity = rapid.Ptr(rapid.Float64Range(0, 1), true).Draw(t, "elasticity")
		o.Ideal = rapid.Ptr(rapid.IntRange(0, 3000), true).Draw(t, "ideal")
		o.Max = rapid.Ptr(rapid.IntRange(0, 5000), true).Draw(t, "max")
		most := 5000
		if o.Max != nil {
			most = *o.Max
		}
		o.Min = rapid.Ptr(rapid.IntRange(0, most), true).Draw(t, "min")
		in.Overrides[l] = o
	}
	items := make([]*item.Item, rapid.IntRange(0, 25).Draw(t, "items"))
	for i := range items {
		it := &item.Item{
			Layer:    item.Layer(rapid.IntRange(0, 6).Draw(t, "layer")),
			Value:    rapid.Float64Range(0, 1).Draw(t, "score"),
			Required: rapid.IntRange(0, 9).Draw(t, "required") == 0,
		}
		tokens := rapid.IntRange(1, 900).Draw(t, "tokens")
		it.Forms = []item.Form{{Format: "full", Tokens: tokens, Worth: 1}}
		if rapid.Bool().Draw(t, "shorter") {
			it.Forms = append(it.Forms, item.Form{Format: "summary", Tokens: 1 + tokens/3, Worth: 0.4})
		}
		items[i] = it
	}
	return in, items
}

// TestNegotiateLeavesWhatNobodyUses checks that tokens remain only if each elastic layer that is in
// has all that it can use.
func TestNegotiateLeavesWhatNobodyUses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, items := situation(t)
		rows, err := Negotiate(in, items)
		if err != nil {
			if _, also := Fill(in, items); also == nil {
				t.Fatalf("refused with %v, and filled", err)
			}
			return
		}
		var supply [item.NumLayers]int
		for _, it := range items {
			supply[it.Layer] += it.Forms[0].Tokens
		}
		left := in.Total
		for _, r := range rows {
			left -= r.Allocated
		}
		for _, l := range elastic {
			if r := rows[l]; left < 0 || left > 0 && r.Allocated > 0 && r.Allocated < min(r.Max, supply[l]) {
				t.Fatalf("%d tokens are left, and %v has %d of %d", left, l, r.Allocated, min(r.Max, supply[l]))
			}
		}
	})
}

// Every invariant that can be checked on a single plan.
func TestFillInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, items := situation(t)
		plan, err := Fill(in, items)
		var exceeds *PromptExceedsError
		if errors.As(err, &exceeds) {
			if needed := in.PromptTokens; exceeds.Needed != needed || needed <= in.Total {
				t.Fatalf("needs %d, refused with %d of %d", needed, exceeds.Needed, in.Total)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		checkRows(t, in, plan.Layers)

		var used [item.NumLayers]int
		for i, f := range plan.Forms {
			if f >= 0 {
				used[items[i].Layer] += items[i].Forms[f].Tokens
			}
		}
		used[item.L7Message] = in.PromptTokens
		tokens := 0
		for l, r := range plan.Layers {
			tokens += r.Used
			if r.Used != used[l] || r.Used > r.Allocated {
				t.Fatalf("%v: reports %d used of %d, chosen %d", r.Layer, r.Used, r.Allocated, used[l])
			}
		}
		if tokens != plan.Tokens || tokens > in.Total {
			t.Fatalf("reports %d tokens, counted %d of %d", plan.Tokens, tokens, in.Total)
		}
		if again, _ := Fill(in, items); !reflect.DeepEqual(plan, again) {
			t.Fatal("a second run differs")
		}
	})
}

func TestNegotiateInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, _ := situation(t)
		for l := range in.Supply {
			in.Supply[l] = rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 1000), rapid.IntRange(0, 30000)).Draw(t, "supply")
		}
		rows, err := negotiated(in)
		if err != nil {
			return // TestFillInvariants checks when it may
		}
		checkRows(t, in, rows)
		for l, r := range rows {
			if l != int(item.L7Message) && r.Allocated > in.Supply[l] {
				t.Fatalf("%v: %d for a supply of %d", r.Layer, r.Allocated, in.Supply[l])
			}
		}
	})
}

func checkRows(t *rapid.T, in Input, rows [item.NumLayers]Allocation) {
	sum := 0
	for l, r := range rows {
		sum += r.Allocated
		if r.Layer != item.Layer(l) || r.Allocated < 0 || r.Allocated > r.Max || (r.Allocated > 0 && r.Allocated < r.Min) {
			t.Fatalf("%v: allocated %d outside %d–%d", r.Layer, r.Allocated, r.Min, r.Max)
		}
		if r.Min < 0 || r.Min > r.Ideal || r.Ideal > r.Max {
			t.Fatalf("%v: min %d, ideal %d, max %d", r.Layer, r.Min, r.Ideal, r.Max)
		}
		if o := in.Overrides[item.Layer(l)]; o.Max != nil && l != int(item.L7Message) && r.Max != *o.Max {
			t.Fatalf("%v: max %d, the caller's is %d", r.Layer, r.Max, *o.Max)
		}
	}
	if sum > in.Total || rows[item.L7Message].Allocated != in.PromptTokens {
		t.Fatalf("allocated %d of %d, the prompt %d of %d", sum, in.Total, rows[item.L7Message].Allocated, in.PromptTokens)
	}
}

// The order of the items does not matter if no two have the same value.
func TestFillIgnoresOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, items := situation(t)
		for i := range items {
			items[i].Value += float64(i+1) * 1e-7
			items[i].Required = false
		}
		plan, err := Fill(in, items)
		if err != nil {
			return
		}
		slices.Reverse(items)
		back, err := Fill(in, items)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(back.Forms)
		if !reflect.DeepEqual(plan.Forms, back.Forms) && plan.Value != back.Value {
			t.Fatalf("turned round:\n%v\n%v", plan.Forms, back.Forms)
		}
	})
}

// Without a conversation more budget never lowers the value, with 1 % of slack for packing, once
// the minimums of all layers fit. Below that, a layer that starts to get its min takes room from
// the others, whatever their scores.
func TestFillMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		in, items := question(rand.New(rand.NewPCG(seed, 1)), 0, rapid.IntRange(10, 500).Draw(t, "prompt"),
			rapid.IntRange(30, 120).Draw(t, "code"), rapid.Bool().Draw(t, "forms"))
		in.Total = rapid.IntRange(3000, 12000).Draw(t, "total")
		before := value(t, in, items)
		was := in.Total
		in.Total += rapid.OneOf(rapid.IntRange(1, 50), rapid.IntRange(1, 3000)).Draw(t, "more")
		if after := value(t, in, items); after < before*0.99 {
			t.Fatalf("%d tokens are worth %.4f, %d only %.4f", was, before, in.Total, after)
		}
	})
}

// With a long history the layers' shares follow the formulas, and an item may need one token more
// than one of them: a small step may cost an item, a larger one may not.
func TestFillMonotoneHistory(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		in, items := question(r, 0, 10+r.IntN(500), 30+r.IntN(90), seed%2 == 0)
		in.HasConversation, in.MessageCount, in.ConversationTokens = true, 40, 9000
		for i := range 40 {
			items = append(items, &item.Item{Layer: item.L6History, Value: 1 / float64(i+1), Forms: []item.Form{
				{Format: "full", Tokens: 200 + i, Worth: 1}, {Format: "summary", Tokens: 100, Worth: 0.6}, {Format: "tickler", Tokens: 10, Worth: 0.1}}})
		}
		items = append(items, one(item.L4Conversation, 300, 1))
		best, recent := 0.0, 0.0
		for in.Total = 4000; in.Total <= 12000; in.Total += 200 {
			now := value(t, in, items)
			if now < best*0.97 || now < recent*0.99 {
				t.Errorf("seed %d: %d tokens are worth %.4f, less of them %.4f", seed, in.Total, now, best)
			}
			best = max(best, now)
			if in.Total%1000 == 0 {
				recent = now
			}
		}
	}
}

func value(t interface{ Fatal(...any) }, in Input, items []*item.Item) float64 {
	plan, err := Fill(in, items)
	if err != nil {
		t.Fatal(err)
	}
	return plan.Value
}
