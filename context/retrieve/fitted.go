package retrieve

import (
	"cmp"
	"context"
	_ "embed"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/retrieve/rank"
	"github.com/contexture-dev/contexture/indexer/lexical"
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
func (r *run) judge(ctx context.Context) {
	slices.SortStableFunc(r.out.Candidates, func(a, b Candidate) int { return cmp.Compare(b.Score, a.Score) })
	list := r.features()
	p := make([]float64, len(list))
	best := 0.0
	for i := range list {
		best = max(best, list[i].Answers)
	}
	for i := range list {
		if r.req.observe != nil {
			r.req.observe(list[i])
			continue
		}
		p[i] = Raise(model().Probability(list[i].Features[:]), r.odds(&list[i]))
		if r.held != nil {
			p[i] = (p[i] + r.held[list[i].Chunk]) / 2
		}
		p[i] = Answered(p[i], list[i].Answers, best)
		r.out.Candidates[i].Score = p[i]
		if list[i].Answers > 0 {
			r.out.Candidates[i].markAnswer(r.evident(list[i].Chunk).why)
		}
	}
	if r.req.observe != nil {
		return // the models are yet to be fitted
	}
	r.talk = r.tied(ctx)
	if r.partial {
		return // half of the evidence says nothing of what a prompt is about
	}
	r.out.Elsewhere = r.routine() || !r.points() && !holdsAll(list) && topicModel().Probability(TopicFeatures(r.out.read, r.req.Intent, list, p)) < r.aboutLeast() && !r.goesOn()
}

// How probable it must be that a prompt is about the workspace for places to be given unasked. In
// one of few pieces no word is rare, and the model takes a prompt about it for less than it is.
const (
	aboutUsually = .3
	aboutFew     = .05
)

func (r *run) aboutLeast() float64 {
	if r.s.LiveChunks() <= fewChunks {
		return aboutFew
	}
	return aboutUsually
}

// What the model was fitted to leaves out: who asks for documents or tests, and what is in view.
// These multiply the odds.
const (
	askedClass = 8  // of a file of the kind that the prompt asks for
	told       = 12 // of a document that has toldLeast of the prompt's words: what was fitted has answers in code alone
	toldLeast  = .6
	nearLent   = 1 // of what the files in view refer to most, added to 1
)

// odds is what a candidate's odds are multiplied by.
func (r *run) odds(o *Observation) float64 {
	out, chunk := 1.0, o.Chunk
	file := r.s.FileOf(chunk)
	switch c := r.classOf(file); {
	case (c == prose || c == changes) && r.req.Intent.AboutDocs, c == test && r.req.Intent.AboutTests:
		out = askedClass
	case c == prose && o.Features[fHeld] >= toldLeast:
		out = told
	}
	if r.near.top > 0 {
		out *= 1 + nearLent*float64(r.near.scores[chunk]/r.near.top)
	}
	return out
}

// routine reports whether the prompt is an order that needs no context, such as "run the tests",
// outside of a conversation.
func (r *run) routine() bool {
	i := r.req.Intent
	switch {
	case len(i.Identifiers)+len(i.Files)+len(i.Errors)+len(i.Frames) > 0 || i.Question:
		return false
	case !r.req.Literal && intent.Orders(r.asked):
		return true
	}
	return len(strings.Fields(r.asked)) > 1 && len(r.req.Recent) == 0 && intent.Routine(i.Keywords) && r.named == 0 && len(i.Keywords) > 0
}

// points reports whether the prompt names something of the workspace: as code does, however many
// things are called so, or by the only word that it has, which the workspace knows.
func (r *run) points() bool {
	if r.named > 0 || slices.ContainsFunc(r.req.Intent.Identifiers, r.hasName) {
		return true
	}
	if len(strings.Fields(r.asked)) > 1 || len(r.terms) == 0 || r.req.Intent.Order != "" {
		return false
	}
	for _, t := range r.terms {
		if r.s.TermCount(t.Text) == 0 {
			return false
		}
	}
	return true
}

// hasName reports whether the workspace has a name of several words as it is, be it defined there
// or not.
func (r *run) hasName(name string) bool {
	whole, parts := "", 0
	lexical.Terms([]byte(name), func(t string) { whole, parts = t, parts+1 })
	return parts > 1 && !lexical.IsData(whole) && r.s.TermCount(whole) > 0
}

// holdsAll reports whether one of the candidates has all words of a prompt of some words, as hardly
// any has of a prompt that is about something else.
func holdsAll(list []Observation) bool {
	const some, all = 3, .99
	for i := range list {
		if x := &list[i].Features; x[fHeld] >= all && x[fTerms] >= float32(math.Log2(1+some)) {
			return true
		}
	}
	return false
}

// goesOn reports whether a prompt that says little means what the conversation or the place of the
// person is about: not where it has words of its own that the workspace does not know.
func (r *run) goesOn() bool {
	if r.reckons() {
		return false
	}
	if r.talk != nil && r.talk.goesOn() {
		return true
	}
	inView := func(path string) bool { _, ok := r.s.File(path); return ok }
	if !inView(r.req.At.Path) && !slices.ContainsFunc(r.req.Near, inView) {
		return false
	}
	_, _, strange := r.topicTerms()
	return !r.isElsewhere(strange)
}

// Raise multiplies the odds of a probability.
func Raise(p, factor float64) float64 { return factor * p / (1 - p + factor*p) }
