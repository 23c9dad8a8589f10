package indexer

import (
	"math"

	"github.com/contexture-dev/contexture/indexer/embed"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// Meanings returns each text's cosine with the query by the workspace's model, −1 to 1, and 0 for a
// text without any term of the model; nil when there is no model yet or it has no term of the
// query. The texts need not belong to the workspace.
func (s *Snapshot) Meanings(query string, texts []string) []float64 {
	if s.model == nil {
		return nil
	}
	q := s.model.Embed(termsOf(query))
	if q == nil {
		return nil
	}
	out := make([]float64, len(texts))
	for i, text := range texts {
		for d, x := range s.model.Embed(termsOf(text)) {
			out[i] += float64(x) * float64(q[d])
		}
	}
	return out
}

// termsOf weighs a text's terms by their number, with less weight for each repetition.
func termsOf(text string) []embed.Term {
	count := map[string]int{}
	var order []string
	lexical.Terms([]byte(text), func(t string) {
		if count[t]++; count[t] == 1 {
			order = append(order, t)
		}
	})
	out := make([]embed.Term, len(order))
	for i, t := range order {
		out[i] = embed.Term{Text: t, Weight: 1 + math.Log(float64(count[t]))}
	}
	return out
}
