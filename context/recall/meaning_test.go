package recall

import (
	"context"
	"testing"
)

// fixed is an embedder with fixed vectors.
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
	said := func() []loadedLine {
		return []loadedLine{
			{Line: Line{Text: "by words", Score: 1}}, {Line: Line{Text: "of no use", Score: .5}}, {Line: Line{Text: "by meaning", Score: .95}},
		}
	}
	list := said()
	if n := byMeaning(t.Context(), list, "q", fixed{"by meaning": .9, "of no use": -1}); n != 3 {
		t.Errorf("%d were compared", n)
	}
	if a, b := list[0].Score, list[2].Score; a != 1 || b <= a {
		t.Errorf("scores %v, %v: what is meant should stand first", a, b)
	}
	if got := list[1].Score; got != .5 {
		t.Errorf("a contrary meaning changed %v", got)
	}
	list = said()
	byMeaning(t.Context(), list, "q", fixed(nil))
	if list[0].Score != 1 || list[2].Score != .95 {
		t.Error("without a model the words decide")
	}
}
