package bundle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
)

// TestUsedMemoriesComeFirst checks that of every kind the used one comes first, also if scores are
// at their maximum.
func TestUsedMemoriesComeFirst(t *testing.T) {
	two := func(kind item.Kind, score float64) []item.Item {
		return []item.Item{
			{ID: string(kind) + "1", Kind: kind, Body: "the first one tells of Oslo", Score: score},
			{ID: string(kind) + "2", Kind: kind, Body: "the second one tells of Porto", Score: score},
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
			{"reference", &memories{known: two("reference", score)}}, // a decision is one with a label
			{"rule", &memories{known: two("rule", score)}},           // candidates
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
					if string(it.Kind) == tt.kind && it.Score != retrieve.Raise(score, want) {
						t.Errorf("%s: score %v of %v with a boost of %v", it.ID, it.Score, score, want)
					}
				}
			}
		}
	}
}

// TestUsedLocationsComeFirst checks the same of code, documents and the definitions of one name.
func TestUsedLocationsComeFirst(t *testing.T) {
	for _, c := range []struct{ kind, prompt, name, text, first, second string }{
		{"code", "how is the kiln heated?", "%s/kiln.go", "package %s\n\n// heat heats the kiln of %[1]s.\nfunc heat%[1]s() string {\n\treturn \"the kiln is heated\"\n}\n", "oslo", "porto"},
		{"doc", "how is the kiln heated and cleaned? see the documentation", "docs/%s.md", "# The kiln of %s\n\nThe kiln is heated slowly, for half a day, and cleaned before the next load.\n", "oslo", "porto"},
		{"entity", "what does `heatKiln` do?", "%s/kiln.go", "package %s\n\n// heatKiln heats the kiln of %[1]s.\nfunc heatKiln() string {\n\treturn \"%[1]s\"\n}\n", "oslo", "porto"},
	} {
		texts := map[string]string{"main.go": "package main\n\nfunc main() {}\n"}
		for _, place := range []string{c.first, c.second} {
			texts[fmt.Sprintf(c.name, place)] = fmt.Sprintf(c.text, place)
		}
		src := sources(newWorkspace(t, texts).index())
		past := &memories{}
		src.Past = past
		shown := func() (list []item.Item) {
			for _, it := range made(t, request(c.prompt, 4000), src).Items {
				if string(it.Kind) == c.kind && (strings.Contains(it.Path, c.first) || strings.Contains(it.Path, c.second)) {
					list = append(list, it)
				}
			}
			return list
		}
		before := shown()
		if len(before) != 2 {
			t.Fatalf("%s: %d items: %+v", c.kind, len(before), before)
		}
		for used, it := range before {
			other := before[1-used]
			past.boosts = map[string]float64{it.ID: 1.4, other.ID: .6}
			after := shown()
			if len(after) != 2 || after[0].ID != it.ID {
				t.Errorf("%s: %s was used, and the order is %+v", c.kind, it.ID, after)
				continue
			}
			for i, want := range []float64{retrieve.Raise(it.Score, 1.4), retrieve.Raise(other.Score, .6)} {
				if after[i].Score != want {
					t.Errorf("%s: score %v, want %v", c.kind, after[i].Score, want)
				}
			}
			past.boosts = nil
		}
	}
}

// TestUsedCodeComesFirst checks that the boost multiplies a result's odds, and that the text is in
// the resulting order.
func TestUsedCodeComesFirst(t *testing.T) {
	src := sources(newWorkspace(t, shop()).index())
	past := &memories{}
	src.Past = past
	req := request("lock of the cart, the order and the invoice", 8000)
	req.Fill = retrieve.Full
	code := func(b *Bundle) []item.Item {
		return slices.DeleteFunc(slices.Clone(b.Items), func(it item.Item) bool { return it.Kind != "code" })
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
	at := slices.IndexFunc(after, func(it item.Item) bool { return it.ID == last.ID })
	if at < 0 || at >= len(before)-1 {
		t.Fatalf("what was used is number %d of %d, before %d", at, len(after), len(before)-1)
	}
	if want := retrieve.Raise(last.Score, 1.5); after[at].Score != want {
		t.Errorf("score %v, want %v", after[at].Score, want)
	}
}
