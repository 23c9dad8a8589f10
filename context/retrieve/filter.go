package retrieve

import "context"

// GapFilter is the filter without a model: it drops what scores far below the best, where the scores fall off. What
// the prompt names and what is near the person stay. A chat model, where there is one, looks at what it leaves: see
// package swarm.
type GapFilter struct{}

// floorShare is the share of the best score below which a candidate is not about the prompt.
const floorShare = .12

// Filter gives the candidates that stay, in their order, and those that go, with the reason.
func (GapFilter) Filter(_ context.Context, _ string, list []Candidate) (kept []Candidate, out []Dropped) {
	top := 0.0
	for _, c := range list {
		if !c.Exact {
			top = max(top, c.Score)
		}
	}
	for _, c := range list {
		if c.Exact || c.Near || c.Score >= top*floorShare {
			kept = append(kept, c)
		} else {
			out = append(out, Dropped{c.Chunk, "threshold"})
		}
	}
	return kept, out
}
