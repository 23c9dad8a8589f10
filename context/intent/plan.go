package intent

import "slices"

// Query is one retrieval: how many of a type, and how much newness counts.
type Query struct {
	Type    string  // code, doc, decision, fact, procedure, episode, lesson, reference
	Limit   int     // candidates at most
	Recency float64 // 0 relevance alone … 1 newness alone
}

// Plan says what to retrieve. It is data: PlanFor only looks it up.
type Plan struct {
	Queries []Query
	// Budget overrides the tokens of a type, for a bundle of ReferenceBudget tokens;
	// types without an entry keep their layer's.
	Budget   map[string]int
	Skip     []string // types not to be queried
	Retrieve bool     // false: nothing is retrieved at all
	Dominant string   // the memory type most hinted at, or ""
	Window   int      // turns of conversation to deduplicate against
}

// ReferenceBudget is the bundle size, in tokens, that the figures of Plan.Budget are
// meant for.
const ReferenceBudget = 12000

// Limits of the memory types (004): the dominant one, those beside it, and all when
// none is hinted at.
const (
	dominantLimit = 8
	besideLimit   = 3
	evenLimit     = 5
)

// memoryTypes in the order that breaks ties between hints.
var memoryTypes = []string{"decision", "fact", "procedure", "episode"}

// allTypes in the order of a plan's queries.
var allTypes = []string{"code", "doc", "decision", "fact", "procedure", "episode", "lesson", "reference"}

// framePlan is the part of a plan that the frame decides.
type framePlan struct {
	limits map[string]int // of the types outside memoryTypes
	budget map[string]int // 0 skips the type
}

// framePlans: code and doc are candidates for packing, so their limits are those of
// SPEC §3 and not of 004's memories. The budgets of conversation and decision are
// 004's.
var framePlans = map[Frame]framePlan{
	Conversation: {
		limits: map[string]int{"code": 20, "doc": 10, "lesson": 3, "reference": 3},
		budget: map[string]int{"decision": 500, "fact": 500, "procedure": 0, "episode": 0},
	},
	Question: {limits: map[string]int{"code": 60, "doc": 30, "lesson": 5, "reference": 5}},
	Task:     {limits: map[string]int{"code": 60, "doc": 20, "lesson": 5, "reference": 5}},
	Decision: {
		limits: map[string]int{"code": 40, "doc": 30, "lesson": 5, "reference": 5},
		budget: map[string]int{"decision": 3500, "procedure": 2000},
	},
	Creative: {limits: map[string]int{"code": 30, "doc": 20, "lesson": 3, "reference": 5}},
	Debug:    {limits: map[string]int{"code": 60, "doc": 10, "lesson": 8, "reference": 5}},
}

// PlanFor maps signals to a plan. A greeting and an acknowledgement retrieve nothing.
func PlanFor(s Signals) Plan {
	frame := s.Frame
	if !frame.known() {
		frame = Question
	}
	p := Plan{Budget: map[string]int{}, Window: frame.Window()}
	if s.Greeting || s.Acknowledgement {
		for _, t := range allTypes {
			p.Budget[t] = 0
		}
		p.Skip = slices.Clone(allTypes)
		return p
	}
	p.Retrieve = true
	p.Dominant = dominant(s.Hints)
	row := framePlans[frame]
	for _, t := range allTypes {
		tokens, set := row.budget[t]
		if set {
			p.Budget[t] = tokens
		}
		// What the prompt asks for by name is not skipped for its frame.
		if set && tokens == 0 && t != p.Dominant {
			p.Skip = append(p.Skip, t)
			continue
		}
		if t == p.Dominant && tokens == 0 {
			delete(p.Budget, t)
		}
		p.Queries = append(p.Queries, Query{Type: t, Limit: limit(t, p.Dominant, row), Recency: s.Recency})
	}
	return p
}

func limit(kind, dominant string, row framePlan) int {
	if n, ok := row.limits[kind]; ok {
		return n
	}
	switch dominant {
	case "":
		return evenLimit
	case kind:
		return dominantLimit
	}
	return besideLimit
}

func dominant(hints map[string]float64) string {
	best, most := "", 0.0
	for _, t := range memoryTypes {
		if hints[t] > most {
			best, most = t, hints[t]
		}
	}
	return best
}
