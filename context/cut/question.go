package cut

import (
	"slices"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// Question holds the words of a question. The zero value has none.
type Question struct {
	ids    map[string]int
	weight []float64
	// All is the weight of all words.
	All float64
}

// Add adds words with their weights, multiplied by a share. A word that is there already stays as
// it is.
func (q *Question) Add(words []lexical.QueryTerm, share float64) {
	if q.ids == nil {
		q.ids = map[string]int{}
	}
	for _, t := range words {
		if _, known := q.ids[t.Text]; known {
			continue
		}
		q.ids[t.Text] = len(q.weight)
		q.weight = append(q.weight, t.Weight*share)
		q.All += t.Weight * share
	}
}

// In returns the words in a line, each once.
func (q *Question) In(line []byte) (out []Term) {
	lexical.Terms(line, func(text string) {
		if id, ok := q.ids[text]; ok && !slices.ContainsFunc(out, func(t Term) bool { return t.ID == id }) {
			out = append(out, Term{ID: id, Weight: q.weight[id]})
		}
	})
	return out
}
