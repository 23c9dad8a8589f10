package retrieve

import (
	"slices"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer"
)

// Fill decides how much of what was found is wanted.
type Fill string

// Relevant ends where further places stop helping; Full goes on as long as there is room.
const (
	Relevant Fill = "relevant"
	Full     Fill = "full"
)

// The probability that a candidate must have to stay. The best places, as many as anybody reads,
// always stay: the search cannot tell them apart reliably, and the right one is usually among them.
// After those, a file's first piece shows where to look, which is worth more than another piece of
// a file already shown.
const (
	headLeast  = .004
	fileLeast  = .016
	pieceLeast = .1
	// likely is the probability that a place must have beside those that the prompt points at: that
	// it helps rather than not.
	likely = .5

	headTokens = 1400
	// fewChunks is the size of a workspace in which no word is rarer than others, so that
	// probabilities, which depend on rarity, mean little.
	fewChunks = 12
)

// IsSmall reports whether a workspace is so small that probabilities mean little in it.
func IsSmall(s *indexer.Snapshot) bool { return s.LiveChunks() <= fewChunks }

// Filter returns the candidates that stay, in their order, and those that are not relevant enough.
// What the prompt names and what is near the person always stays. A chat model, if configured, then
// judges the rest: see package swarm.
func (r *Result) Filter(s *indexer.Snapshot, fill Fill) (kept []*item.Item, out []*item.Item) {
	tokens := 0
	placed := slices.ContainsFunc(r.Candidates, func(c *item.Item) bool { return c.Near }) // the prompt is about what the person is at
	files := map[int]bool{}
	for _, c := range r.Candidates {
		k := s.Place(c.Chunk)
		least := 0.0
		switch {
		case r.Elsewhere:
			least = 1
		case fill == Full:
		case r.Located:
			least = likely
		case s.LiveChunks() <= fewChunks && !placed:
		case tokens < headTokens && !placed:
			least = headLeast
		case files[k.File]:
			least = pieceLeast
		default:
			least = fileLeast
		}
		if c.Named || c.Near || c.Score >= least {
			kept = append(kept, c)
			tokens += k.Tokens
			files[k.File] = true
		} else {
			out = append(out, c)
		}
	}
	return kept, out
}
