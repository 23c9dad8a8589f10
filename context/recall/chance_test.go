package recall

import (
	"context"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

func TestChance(t *testing.T) {
	best := Signs{Relative: 1, Share: .9, Rarity: .7}
	if p := best.Chance(); p < .8 || p > 1 {
		t.Errorf("what says the whole query helps with %.2f", p)
	}
	last := Signs{Relative: .1, Share: .05, Rarity: .7, Place: 15}
	if p := last.Chance(); p < 0 || p > .05 {
		t.Errorf("what says nothing of it and stands last helps with %.2f", p)
	}
	for _, less := range []Signs{{.6, .9, .7, 0}, {1, .4, .7, 0}, {1, .9, .7, 3}} {
		if less.Chance() >= best.Chance() {
			t.Errorf("%+v is %.2f, %+v is %.2f", less, less.Chance(), best, best.Chance())
		}
	}
}

// TestScoresAreProbabilities checks that the scores of an answer's items are from 0 to 1, whatever
// they were ranked by.
func TestScoresAreProbabilities(t *testing.T) {
	s := newShelf(t)
	s.known = []item.Item{{ID: "rule:1", Kind: "rule", Score: 3, Share: .9, Body: "Boats are green."}}
	for _, query := range []string{"boat pier", "and then?", "green"} {
		r, err := Build(context.Background(), Request{Query: query, Budget: 400}, s)
		if err != nil || len(r.Items) == 0 {
			t.Fatalf("%q: %+v %v", query, r, err)
		}
		for _, it := range r.Items {
			if it.Score <= 0 || it.Score >= 1 {
				t.Errorf("%q: %s has %v", query, it.ID, it.Score)
			}
		}
	}
}

// TestChances checks that items with more of the query are more probable, and that equally good
// items are equally probable at any rank.
func TestChances(t *testing.T) {
	got := Chances("which kiln cracked the porcelain?", []float64{.9, .9, .4, 0}, []float64{.9, .9, .3, 0})
	if len(got) != 4 || got[0] != got[1] || got[1] <= got[2] || got[2] <= got[3] || got[0] > 1 || got[3] < 0 {
		t.Errorf("chances are %v", got)
	}
	if got[0] < .5 || got[3] > .05 {
		t.Errorf("the best has %v, the worst %v", got[0], got[3])
	}
	if one, tied := Chances("porcelain", []float64{1}, []float64{.5}), Chances("porcelain", []float64{1, 1, 1, 1}, []float64{.5, .5, .5, .5}); tied[0] >= one[0] || tied[0] != tied[3] {
		t.Errorf("one of its kind has %v, each of four %v", one, tied)
	}
	if got := Chances("", nil, nil); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}
