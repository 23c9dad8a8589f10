package retrieve

import (
	"slices"

	"github.com/contexture-dev/contexture/indexer"
)

// Fill says how much of what was found is wanted.
type Fill string

// The fills. Relevant ends where help ends, Full goes on as long as there is room.
const (
	Relevant Fill = "relevant"
	Full     Fill = "full"
)

// What a candidate's probability must be for it to stay. The best places are given in any case, as
// much as anybody reads: of those the search is not sure, and the right one is mostly among them.
// Behind them a file's first piece says where to look, which is worth more than a further piece of
// a file that is there.
const (
	headLeast  = .004
	fileLeast  = .016
	pieceLeast = .1

	headTokens = 1400
	// fewChunks is the size of a workspace in which no word is rarer than others, which is what
	// probabilities go by.
	fewChunks = 12
	// briefBelow is the probability below which a place behind the best ones is told by its
	// beginning.
	briefBelow = .15
)

// Filter returns the candidates that stay, in their order, and those that are not relevant enough.
// What the prompt names and what is near the person stay. A chat model, where there is one, looks
// at what it leaves: see package swarm.
func (r *Result) Filter(s *indexer.Snapshot, fill Fill) (kept []Candidate, out []Candidate) {
	tokens := 0
	placed := slices.ContainsFunc(r.Candidates, func(c Candidate) bool { return c.Near }) // the person is at what it is about
	files := map[int]bool{}
	for _, c := range r.Candidates {
		k := s.Place(c.Chunk)
		least := 0.0
		switch {
		case r.Elsewhere:
			least = 1
		case fill == Full:
		case s.LiveChunks() <= fewChunks && !placed:
		case tokens < headTokens && !placed:
			least = headLeast
		case files[k.File]:
			least = pieceLeast
		default:
			least = fileLeast
		}
		if c.Exact || c.Near || c.Score >= least {
			c.Brief = fill != Full && tokens >= headTokens && c.Score < briefBelow && !c.Exact && !c.Near
			kept = append(kept, c)
			tokens += k.Tokens
			files[k.File] = true
		} else {
			out = append(out, c)
		}
	}
	return kept, out
}
