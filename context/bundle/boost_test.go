package bundle

import (
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/retrieve"
)

// TestEquallyGoodMemoriesAreInTheOrderOfTheirUse: of every kind, the one that was used comes first, also where scores
// cannot rise any more.
func TestEquallyGoodMemoriesAreInTheOrderOfTheirUse(t *testing.T) {
	two := func(kind string, score float64) []Memo {
		return []Memo{
			{ID: kind + "1", Kind: kind, Body: "the first one tells of Oslo", Score: score},
			{ID: kind + "2", Kind: kind, Body: "the second one tells of Porto", Score: score},
		}
	}
	for _, score := range []float64{.6, 1} {
		for _, tt := range []struct {
			kind string
			past *memories
		}{
			{"turn", &memories{passages: two("turn", score)}},
			{"tickler", &memories{says: two("tickler", score)}},
			{"lesson", &memories{known: two("lesson", score)}},
			{"reference", &memories{known: two("reference", score)}},
		} {
			for _, used := range []string{"1", "2"} {
				tt.past.boosts = map[string]float64{tt.kind + "1": .6, tt.kind + "2": .6}
				tt.past.boosts[tt.kind+used] = 1.4
				b := remembered(t, tt.past, 4000)
				first, second := strings.Index(b.Text, "tells of Oslo"), strings.Index(b.Text, "tells of Porto")
				if first < 0 || second < 0 || first < second != (used == "1") {
					t.Errorf("%s %v: with number %s used, the text is\n%s", tt.kind, score, used, b.Text)
				}
				for _, it := range b.Items {
					want := map[bool]float64{true: 1.4, false: .6}[it.ID == tt.kind+used]
					if it.Kind == tt.kind && it.Score != retrieve.Raise(score, want) {
						t.Errorf("%s: score %v of %v with a boost of %v", it.ID, it.Score, score, want)
					}
				}
			}
		}
	}
}

// TestUsedCodeComesFirst: the boost acts on a place's odds, and the text is in the order of what comes out.
func TestUsedCodeComesFirst(t *testing.T) {
	src := sources(newWorkspace(t, shop()).index())
	past := &memories{}
	src.Past = past
	req := request("lock of the cart, the order and the invoice", 8000)
	req.Fill = retrieve.Full
	code := func(b *Bundle) []Item {
		return slices.DeleteFunc(slices.Clone(b.Items), func(it Item) bool { return it.Kind != "code" })
	}
	before := code(made(t, req, src))
	if len(before) < 2 {
		t.Fatalf("%d places", len(before))
	}
	last := before[len(before)-1]
	past.boosts = map[string]float64{last.ID: 1.5}
	for _, it := range before[:len(before)-1] {
		past.boosts[it.ID] = .5
	}
	after := code(made(t, req, src))
	at := slices.IndexFunc(after, func(it Item) bool { return it.ID == last.ID })
	if at < 0 || at >= len(before)-1 {
		t.Fatalf("what was used is number %d of %d, before %d", at, len(after), len(before)-1)
	}
	if want := retrieve.Raise(last.Score, 1.5); after[at].Score != want {
		t.Errorf("score %v, want %v", after[at].Score, want)
	}
}
