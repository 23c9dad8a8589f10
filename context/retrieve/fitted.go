package retrieve

import (
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
		panic(err) // a test checks the file
	}
	return m
})

// judgement decides how probably each candidate helps, and whether the prompt is about the
// workspace.
type judgement struct {
	*search
	topic    float64 // the probability that the prompt is about the workspace
	fileHeld float64 // the share of its words in the file of one of the best places, by rarity
}

// judge assigns each candidate the probability that it helps.
func (r *judgement) judge(ctx context.Context) {
	r.out.Located = r.locates()
	r.sortCandidates()
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
		p[i] = max(Answered(p[i], list[i].Answers, best), r.placed(list[i].Chunk))
		r.out.Candidates[i].Score, r.out.Candidates[i].Pointed = p[i], r.known(list[i].Chunk).lines
		if list[i].Answers > 0 {
			markAnswer(r.out.Candidates[i], r.known(list[i].Chunk).why)
		}
	}
	if r.req.observe != nil {
		return // the models are yet to be fitted
	}
	r.discourse = newDiscourse(ctx, r.search)
	topic := TopicFeatures(r.out.read, r.req.Intent, list, p)
	r.topic, r.fileHeld = topicModel().Probability(topic), float64(topic[heldFeature])
	if r.partial {
		return // half of the evidence does not show what a prompt is about
	}
	r.out.Elsewhere = r.routine() || !r.points() && !holdsAll(list) && r.topic < r.aboutLeast() && !r.goesOn()
}

// placed returns how surely the prompt is about a place because it points at it.
func (r *judgement) placed(chunk int) float64 {
	e := r.known(chunk)
	sure := max(e.pointed, e.message)
	if sure == 0 {
		return 0
	}
	if e.pointed == 0 && r.classOf(r.s.FileOf(chunk)) != code {
		sure *= expecting
	}
	return shownSure * sure
}

func (r *judgement) aboutLeast() float64 {
	if r.s.LiveChunks() <= fewChunks {
		return aboutFew
	}
	return aboutUsually
}

// Factors of the odds for what the model was not fitted to: whether the prompt asks for documents
// or tests, and what is in view.
const (
	askedClass = 8  // of a file of the kind that the prompt asks for
	told       = 12 // of a document that has minHeldShare of the prompt's words: the model was fitted to answers in code alone
	nearLent   = 1  // of what the files in view refer to most, added to 1
)

// odds returns the factor by which a candidate's odds are multiplied.
func (r *judgement) odds(o *Observation) float64 {
	out, chunk := 1.0, o.Chunk
	file := r.s.FileOf(chunk)
	switch c := r.classOf(file); {
	case (c == prose || c == changes) && r.req.Intent.AboutDocs, c == test && r.req.Intent.AboutTests:
		out = askedClass
	case c == prose && o.Features[fHeld] >= minHeldShare:
		out = told
	}
	if r.near.top > 0 {
		out *= 1 + nearLent*float64(r.near.scores[chunk]/r.near.top)
	}
	return out
}

// routine reports whether the prompt, outside of a conversation, is an order that needs no context,
// such as "run the tests".
func (r *judgement) routine() bool {
	i := r.req.Intent
	switch {
	case len(i.Identifiers)+len(i.Files)+len(i.Errors)+len(i.Frames) > 0 || i.Question:
		return false
	case !r.req.Literal && intent.Orders(r.asked):
		return true
	}
	return len(strings.Fields(r.asked)) > 1 && len(r.req.Recent) == 0 && intent.Routine(i.Keywords) && r.named == 0 && len(i.Keywords) > 0
}

// points reports whether the prompt names something of the workspace: by a name written as in code,
// however many things have it, or by the prompt's only word, which the workspace has.
func (r *judgement) points() bool {
	if r.named > 0 || slices.ContainsFunc(r.req.Intent.Identifiers, r.hasName) {
		return true
	}
	if len(strings.Fields(r.asked)) > 1 || len(r.terms) == 0 || r.req.Intent.Order != "" {
		return false
	}
	for _, t := range r.terms {
		if r.s.Words().Count(t.Text) == 0 {
			return false
		}
	}
	return true
}

// hasName reports whether the workspace has a name of several words exactly as it is, defined there
// or not.
func (r *judgement) hasName(name string) bool {
	whole, parts := "", 0
	lexical.Terms([]byte(name), func(t string) { whole, parts = t, parts+1 })
	return parts > 1 && !lexical.IsData(whole) && r.s.Words().Count(whole) > 0
}

// holdsAll reports whether one of the candidates has all words of a prompt with several, which
// hardly ever happens for a prompt about something else.
func holdsAll(list []Observation) bool {
	const some = 3
	for i := range list {
		if x := &list[i].Features; x[fHeld] >= allHeld && x[fTerms] >= float32(math.Log2(1+some)) {
			return true
		}
	}
	return false
}

// goesOn reports whether a short prompt refers to the conversation or to the person's location. It
// does not if it has words of its own that the workspace lacks.
func (r *judgement) goesOn() bool {
	if r.reckons() {
		return false
	}
	if r.discourse != nil && r.discourse.goesOn() {
		return true
	}
	inView := func(path string) bool { _, ok := r.s.File(path); return ok }
	if !inView(r.req.At.Path) && !slices.ContainsFunc(r.req.Near, inView) {
		return false
	}
	_, _, strange := r.topicTerms()
	return !r.isElsewhere(strange)
}

// Raise multiplies the odds of a probability by a factor.
func Raise(p, factor float64) float64 { return factor * p / (1 - p + factor*p) }
