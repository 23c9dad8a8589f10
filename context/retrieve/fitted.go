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
	p := make([]float64, len(list))
	for i := range list {
		if r.req.observe != nil {
			r.req.observe(list[i].Chunk, &list[i].Features)
			continue
		}
		p[i] = model().Probability(list[i].Features[:])
		r.out.Candidates[i].Score = p[i]
	}
	r.out.Elsewhere = !r.points() && topicModel().Probability(TopicFeatures(r.asked, r.req.Intent, list, p)) < aboutLeast && !r.goesOn()
}

// aboutLeast is how probable it must be that a prompt is about the workspace for places to be given unasked.
const aboutLeast = .3

// points reports whether the prompt names something of the workspace without doubt.
func (r *run) points() bool { return r.named >= .5 }

// goesOn reports whether a prompt that says little means what the conversation or the place of the person is about: its
// words are known, or it has none.
func (r *run) goesOn() bool {
	if len(r.req.Recent) == 0 && r.req.At.Path == "" && len(r.req.Near) == 0 || r.reckons() {
		return false
	}
	_, _, strange := r.topicTerms()
	return strange == 0
}

// Raise multiplies the odds of a probability.
func Raise(p, factor float64) float64 { return factor * p / (1 - p + factor*p) }
