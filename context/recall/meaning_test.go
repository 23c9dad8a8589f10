package recall

import (
	"context"
	"testing"
)

// fixed is an embedder that knows what it is told.
type fixed map[string]float64

func (f fixed) Similar(_ context.Context, _ string, texts []string) []float64 {
	if f == nil {
		return nil
	}
	out := make([]float64, len(texts))
	for i, t := range texts {
		out[i] = f[t]
	}
	return out
}

func TestByMeaning(t *testing.T) {
	make := func() []Candidate {
		return []Candidate{
			{Score: 1, Lines: []Line{{Text: "by words", Score: 1}, {Text: "of no use", Score: .5}}},
			{Score: .95, Lines: []Line{{Text: "by meaning", Score: .95}}},
		}
	}
	list := make()
	byMeaning(t.Context(), list, "q", fixed{"by meaning": .9, "of no use": -1})
	if a, b := list[0].Score, list[1].Score; a != 1 || b <= a {
		t.Errorf("scores %v, %v: what is meant should stand first", a, b)
	}
	if got := list[0].Lines[1].Score; got != .5 {
		t.Errorf("a contrary meaning changed %v", got)
	}
	list = make()
	byMeaning(t.Context(), list, "q", fixed(nil))
	if list[0].Score != 1 || list[1].Score != .95 {
		t.Error("without a model the words decide")
	}
}
