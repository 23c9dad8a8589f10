package retrieve

// Fill says how much of what was found is wanted.
type Fill string

// The fills. Relevant ends where help ends, Full goes on as long as there is room.
const (
	Relevant Fill = "relevant"
	Full     Fill = "full"
)

// What a candidate must have to stay where only what helps is wanted: leastHelp, and helpShare of the best one's
// probability. Full asks for fullLeast alone.
const (
	leastHelp = .04
	helpShare = .1
	fullLeast = .002
)

// Filter gives the candidates that stay, in their order, and those that go, with the reason. What the prompt names and
// what is near the person stay. A chat model, where there is one, looks at what it leaves: see package swarm.
func (r *Result) Filter(fill Fill) (kept []Candidate, out []Dropped) {
	least := fullLeast
	if fill != Full {
		top := 0.0
		for _, c := range r.Candidates {
			top = max(top, c.Score)
		}
		least = max(leastHelp, top*helpShare)
	}
	if r.Elsewhere {
		least = 1
	}
	for _, c := range r.Candidates {
		if c.Exact || c.Near || c.Score >= least {
			kept = append(kept, c)
		} else {
			out = append(out, Dropped{c.Chunk, "threshold"})
		}
	}
	return kept, out
}
