package recall

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/contexture-dev/contexture/memory/recall"
)

// linkWeights are the weights of LinkSigns.Features, as printed by `go run ./cmd/train links -sets
// FILE` for long talks between friends with questions whose answers are known.
var linkWeights = [...]float64{
	3.833, .968, .740, 1.201, 3.126, 2.226, .486, -.486, .781, -.821, 3.346, .452, .406, -1.009,
}

// worth returns the logarithm of the probability that a message answers, up to a constant of the
// query's.
func (s LinkSigns) worth() float64 {
	z := 0.0
	for i, f := range s.Features() {
		z += linkWeights[i] * f
	}
	return z
}

// Newness returns how much newness counts for a request, 0 to 1; links count less by as much.
func Newness(req Request) float64 { return recency(req) }

// spread ranks the hits of a query again by their links. The best score stays 1.
func spread(ctx context.Context, req Request, hits []recall.Hit, src Sources) ([]recall.Hit, error) {
	share := 1 - Newness(req)
	if req.LeastShare > 0 || len(hits) < 2 || hits[0].Score <= 0 || share <= 0 {
		return hits, nil
	}
	list, err := Links(ctx, hits, src)
	if err != nil || len(list) == 0 {
		return hits, err
	}
	share *= named
	worth := make([]float64, len(list))
	most := math.Inf(-1)
	for i, m := range list {
		worth[i] = share*sharpness*m.Signs.worth() + (1-share)*math.Log(max(faintest, m.Score))
		most = max(most, worth[i])
	}
	ranked := make(map[location]bool, len(list))
	out := make([]recall.Hit, 0, len(hits))
	least := 1.0
	for i, m := range list {
		ranked[location{m.Conversation, m.Message}] = true
		m.Hit.Score = math.Exp(worth[i] - most)
		least = min(least, m.Hit.Score)
		out = append(out, m.Hit)
	}
	for _, h := range hits { // those after them, in their order
		if !ranked[location{h.Conversation, h.Message}] {
			h.Score *= least
			out = append(out, h)
		}
	}
	slices.SortStableFunc(out, func(a, b recall.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return out, nil
}
