package retrieve

import (
	"cmp"
	_ "embed"
	"slices"
	"sync"

	"github.com/contexture-dev/contexture/context/retrieve/rank"
)

// fitted is the model that go run ./cmd/train rank wrote.
//
//go:embed fitted.bin
var fitted []byte

var model = sync.OnceValue(func() *rank.Model {
	m, err := rank.Load(fitted, numFeatures)
	if err != nil {
		panic(err) // a test holds the file
	}
	return m
})

// judge gives each candidate the probability that it helps.
func (r *run) judge() {
	slices.SortStableFunc(r.out.Candidates, func(a, b Candidate) int { return cmp.Compare(b.Score, a.Score) })
	list := r.features()
	for i := range list {
		if r.req.observe != nil {
			r.req.observe(list[i].Chunk, &list[i].Features)
			continue
		}
		r.out.Candidates[i].Score = model().Probability(list[i].Features[:])
	}
}
