package retrieve

import "context"

// Filter takes out candidates that are not about the prompt. When in doubt it keeps. It answers within ctx.
type Filter interface {
	// Filter gives the candidates that stay, in their order, and those that go, with the reason.
	Filter(ctx context.Context, prompt string, list []Candidate) (kept []Candidate, out []Dropped)
}

// Judge decides which of the candidates that the filter kept go in, where, and in which format. The deterministic
// judge is the bundle's own order: it takes all, by score, in full.
type Judge interface {
	// Judge gives the format of each candidate: full, summary, tickler, or "" to leave it out. An error means that
	// the caller falls back to its own order.
	Judge(ctx context.Context, prompt string, list []Candidate) (formats []string, err error)
}

// GapFilter is the filter without a model: it drops what scores far below the best, where the scores fall off. What
// the prompt names stays.
type GapFilter struct{}

// floorShare is the share of the best score below which a candidate is not about the prompt.
const floorShare = .12

// Filter implements Filter.
func (GapFilter) Filter(_ context.Context, _ string, list []Candidate) (kept []Candidate, out []Dropped) {
	top := 0.0
	for _, c := range list {
		if !c.Exact {
			top = max(top, c.Score)
		}
	}
	for _, c := range list {
		if c.Exact || c.Score >= top*floorShare {
			kept = append(kept, c)
		} else {
			out = append(out, Dropped{c.Chunk, "threshold"})
		}
	}
	return kept, out
}
