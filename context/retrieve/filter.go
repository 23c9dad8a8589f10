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

// fewChunks is the size of a workspace in which no word is rarer than others, so that
// probabilities, which depend on rarity, mean little.
const fewChunks = 12

// IsSmall reports whether a workspace is so small that probabilities mean little in it.
func IsSmall(s *indexer.Snapshot) bool { return s.LiveChunks() <= fewChunks }

// Filter returns the candidates that stay, in their order, and those that do not have the least
// probability that it returns too: what is off topic brings nothing, and a prompt that points at
// places, or is about what the person is at, little else. What the prompt names and what is near
// the person always stays. A chat model, if configured, then judges the rest: see package swarm.
func (r *Result) Filter(fill Fill) (kept, out []*item.Item, least float64) {
	switch {
	case r.Elsewhere:
		least = 1
	case fill == Full:
	case r.Located:
		least = likely
	case slices.ContainsFunc(r.Candidates, func(c *item.Item) bool { return c.Near }): // the prompt is about what the person is at
		least = besides
	}
	for _, c := range r.Candidates {
		if c.Named || c.Near || c.Score >= least {
			kept = append(kept, c)
		} else {
			out = append(out, c)
		}
	}
	return kept, out, least
}

// Worth returns the candidates that are worth naming.
func (r *Result) Worth() []*item.Item {
	kept, _, _ := r.Filter(Relevant)
	return slices.DeleteFunc(kept, func(c *item.Item) bool { return c.Score < Mentioned && !c.Named && !c.Near })
}
