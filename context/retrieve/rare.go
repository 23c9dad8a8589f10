package retrieve

import (
	"math"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// rareWords returns the terms that carry a meaning and that the workspace has, their weights
// multiplied by their rarity: the logarithm of how seldom a piece has the term, relative to that of
// a term which one piece has.
func rareWords(s *indexer.Snapshot, terms []lexical.QueryTerm) (out []lexical.QueryTerm) {
	all := float64(s.LiveChunks())
	for _, t := range terms {
		n := float64(s.TermCount(t.Text))
		if n == 0 || functionWords[t.Text] {
			continue
		}
		if w := t.Weight * math.Log1p(all/n) / math.Log1p(all); w > 0 {
			out = append(out, lexical.QueryTerm{Text: t.Text, Weight: w})
		}
	}
	return out
}

// Words returns the words of a text in the form of [Result.Words].
func Words(s *indexer.Snapshot, text string) []lexical.QueryTerm {
	return rareWords(s, lexical.Query([]byte(text)))
}
