package recall

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/contexture-dev/contexture/memory/recall"
)

// linkWeights weighs LinkSigns.Features. They are what `go run ./cmd/train links -sets FILE` prints
// for long talks between friends with questions of which it is known what answers them.
var linkWeights = [...]float64{
	3.752, 1.012, .621, 1.154, 2.951, 1.957, .417, -.417, .787, -.833, 3.944, .352, .268, .005, 2.611, 1.083, -1.020,
}

const (
	// sharpness makes scores of the model's logarithms: it keeps them as far apart as those of the
	// words are.
	sharpness = .5
	// named and unnamed are how much links count beside the search for a query that names someone
	// who speaks and for one that names nobody: work is talked about in an order of its own, and
	// who says something tells nothing there.
	named, unnamed = .8, .3
	// faintest keeps the logarithm of a score finite.
	faintest = 1e-6
)

// worth is the logarithm of how probably a message answers, but for a constant of the query's.
func (s LinkSigns) worth() float64 {
	z := 0.0
	for i, f := range s.Features() {
		z += linkWeights[i] * f
	}
	return z
}

// Newness is how much newness counts for a request, 0 to 1: as much less do links.
func Newness(req Request) float64 { return recency(req) }

// spreadNotes are what spread knows of messages: how those came that have no word of the query, and
// what was read.
type spreadNotes struct {
	reasons map[spot]string
	said    map[spot]Said
}

// spread ranks the hits of a query anew by what they are linked with. The best score stays 1.
func spread(ctx context.Context, req Request, hits []recall.Hit, src Sources) ([]recall.Hit, spreadNotes, error) {
	var notes spreadNotes
	share := 1 - Newness(req)
	if req.LeastShare > 0 || len(hits) < 2 || hits[0].Score <= 0 || share <= 0 {
		return hits, notes, nil
	}
	hits, followed, err := followOutcomes(ctx, hits, src)
	if err != nil {
		return nil, notes, err
	}
	list, err := Links(ctx, req.Query, hits, src)
	if err != nil || len(list) == 0 {
		return hits, notes, err
	}
	if slices.ContainsFunc(list, func(m Linked) bool { return m.Signs.Asked > 0 }) {
		share *= named
	} else {
		share *= unnamed
	}
	worth := make([]float64, len(list))
	most := math.Inf(-1)
	for i := range list {
		m := &list[i]
		worth[i] = share*sharpness*m.Signs.worth() + (1-share)*math.Log(max(faintest, m.Score)) + math.Log(m.factor)
		most = max(most, worth[i])
	}
	notes.reasons, notes.said = map[spot]string{}, make(map[spot]Said, len(list))
	out := make([]recall.Hit, 0, len(hits))
	least := 1.0
	for i := range list {
		m := &list[i]
		at := spot{m.Conversation, m.Message}
		notes.said[at] = m.said
		if m.why != "" {
			notes.reasons[at] = m.why
		}
		if why := followed[at]; why != "" {
			notes.reasons[at] = why
		}
		m.Hit.Score = math.Exp(worth[i] - most)
		least = min(least, m.Hit.Score)
		out = append(out, m.Hit)
	}
	for _, h := range hits { // those behind, in their order
		if _, ranked := notes.said[spot{h.Conversation, h.Message}]; !ranked {
			h.Score *= least
			out = append(out, h)
		}
	}
	slices.SortStableFunc(out, func(a, b recall.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return out, notes, nil
}
