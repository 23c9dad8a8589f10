package episode

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// Index finds the episodes that a question is about. It is immutable and safe for concurrent use.
type Index struct {
	all   []Episode
	terms func(text string, yield func(term string))
	lists map[string][]posting
	turns func() map[string][]int32 // built on first use
	links sync.Map                  // cache of the episodes' links: []Outcome by int32
}

// posting is an occurrence of a term in an episode, with its position.
type posting struct {
	episode int32
	weight  float32
}

// Weights of a term by its position: in the title, in a note, among the words.
const inTitle, inNote, inWords = 1., .9, .7

// NewIndex returns the index of episodes, which must not change afterwards. terms splits text into
// terms.
func NewIndex(all []Episode, terms func(text string, yield func(term string))) *Index {
	x := &Index{all: all, terms: terms, lists: map[string][]posting{}, turns: sync.OnceValue(func() map[string][]int32 { return byTurn(all) })}
	for i := range all {
		has := map[string]float32{}
		note := func(text string, weight float32) {
			terms(text, func(t string) { has[t] = max(has[t], weight) })
		}
		e := &all[i]
		note(e.Title.Text, inTitle)
		for _, n := range e.Notes {
			note(n.Text, inNote)
		}
		for _, w := range e.Words {
			note(w, inWords)
		}
		for _, f := range e.Files {
			note(f, inWords)
		}
		for t, weight := range has {
			x.lists[t] = append(x.lists[t], posting{int32(i), weight})
		}
	}
	return x
}

// Episodes returns all episodes, in order of time. The caller must not modify them.
func (x *Index) Episodes() []Episode { return x.all }

// Found is an episode that matches a question.
type Found struct {
	*Episode
	// Fit is the share of the question's words that the episode has, weighted by rarity, 0 to 1.
	Fit float64
}

const (
	// leastFit is the share of a question's words below which an episode does not match.
	leastFit = .4
	// unsaid is the weight of a word that no episode contains.
	unsaid = .3
	// few is the smallest number of episodes from which rarity is computed: a smaller number says
	// little about how rare a word is.
	few = 10
)

// Find returns at most most episodes that match a question, best first.
func (x *Index) Find(question string, most int) []Found {
	idf := map[string]float64{}
	var words []string
	whole := 0.0
	x.terms(question, func(t string) {
		if _, seen := idf[t]; seen {
			return
		}
		n := float64(len(x.lists[t]))
		idf[t] = math.Log(1 + (float64(len(x.all))+few)/(n+1))
		if n > 0 {
			whole += idf[t]
		} else {
			whole += unsaid * idf[t] // in no episode: probably only another wording
		}
		words = append(words, t)
	})
	scores := map[int32]float64{}
	for _, t := range words {
		for _, p := range x.lists[t] {
			scores[p.episode] += idf[t] * float64(p.weight)
		}
	}
	var out []Found
	for i, score := range scores {
		if fit := score / whole; fit >= leastFit {
			out = append(out, Found{Episode: &x.all[i], Fit: min(1, fit)})
		}
	}
	slices.SortFunc(out, func(a, b Found) int {
		return cmp.Or(cmp.Compare(b.Fit, a.Fit), b.End.Compare(a.End), cmp.Compare(a.ID, b.ID))
	})
	return out[:min(most, len(out))]
}
