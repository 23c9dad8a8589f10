package survey

import (
	"cmp"
	"maps"
	"slices"
)

// tally counts files or lines by the form that they have.
type tally struct {
	all   int
	n     map[string]int
	shown map[string][]Evidence // at most maxEvidence of each form
}

// add counts something of a form, with evidence that is kept as far as there is room; "" stands for
// something without any form.
func (t *tally) add(form string, evidence ...Evidence) {
	t.all++
	if form == "" {
		return
	}
	if t.n == nil {
		t.n, t.shown = map[string]int{}, map[string][]Evidence{}
	}
	t.n[form]++
	if len(t.shown[form])+len(evidence) <= maxEvidence {
		t.shown[form] = append(t.shown[form], evidence...)
	}
}

// forms returns the forms, the most frequent first.
func (t *tally) forms() []string {
	return slices.SortedFunc(maps.Keys(t.n), func(a, b string) int { return cmp.Or(cmp.Compare(t.n[b], t.n[a]), cmp.Compare(a, b)) })
}

// habit is when a form counts as what most have in common.
type habit struct {
	all, n int     // the least that must have been counted, and that must have the form
	share  float64 // the least share that must have it
}

var (
	languageHabit = habit{1, 1, .03} // it counts as one of the workspace's
	fileHabit     = habit{5, 1, .8}
	errorHabit    = habit{1, 10, .3}
	folderHabit   = habit{1, 4, .8}
	testedHabit   = habit{4, 1, .8}
	commitHabit   = habit{20, 1, .6}
)

// common returns the facts that most have the same form, for at most so many forms.
func (t *tally) common(h habit, most int, kind Kind, name string) (facts []Fact) {
	forms := t.forms()
	for _, form := range forms[:min(most, len(forms))] {
		if n := t.n[form]; t.all >= h.all && n >= h.n && float64(n) >= h.share*float64(t.all) {
			facts = append(facts, Fact{Kind: kind, Name: name, Value: form, Count: n, Of: t.all, Evidence: t.shown[form]})
		}
	}
	return facts
}

// tallies are tallies by language or folder.
type tallies map[string]*tally

func (b tallies) of(name string) *tally {
	if b[name] == nil {
		b[name] = &tally{}
	}
	return b[name]
}

func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
