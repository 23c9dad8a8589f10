package episode

import (
	"slices"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// Outcome says that a note followed from an earlier one of its episode: it takes a decision up,
// takes it back, tells what went wrong with it or what helped then.
type Outcome struct {
	Cause, Effect *Note
	// Weight is how surely it followed, up to 1.
	Weight float64
	// Loose says that only the matter tells so: the two have no subject in common beside their
	// episode's.
	Loose bool
}

const (
	// likeSubject is the likeness from which two sentences are about one thing, allAlike the one
	// from which nothing more is to be had of it.
	likeSubject, allAlike = .1, .3
	// looseWeight is what a later sitting on the same matter weighs that shares no subject with a
	// decision.
	looseWeight = .5
)

// Outcomes are the links that the notes of a turn have, as causes and as effects, in the order of
// notes. source is "<conversation>/T-7". The notes are the index's and not to be changed.
func (x *Index) Outcomes(source string) []Outcome {
	var out []Outcome
	for _, i := range x.turns()[source] {
		links, known := x.links.Load(i)
		if !known { // comparing sentences takes half a millisecond
			links = outcomesOf(&x.all[i])
			x.links.Store(i, links)
		}
		for _, o := range links.([]Outcome) {
			if o.Cause.Source() == source || o.Effect.Source() == source {
				out = append(out, o)
			}
		}
	}
	return out
}

// byTurn are the episodes in which something may have followed from something, by the turns of
// their notes.
func byTurn(all []Episode) map[string][]int32 {
	out := map[string][]int32{}
	for i := range all {
		if !slices.ContainsFunc(all[i].Notes, isCause) {
			continue
		}
		for n := range all[i].Notes {
			source := all[i].Notes[n].Source()
			if list := out[source]; len(list) == 0 || list[len(list)-1] != int32(i) {
				out[source] = append(list, int32(i))
			}
		}
	}
	return out
}

func isCause(n Note) bool { return n.Part == Decided || n.Part == Wrong }

// outcomesOf links each note of an episode with the decision that it most likely followed from, and
// what helped also with what had gone wrong.
func outcomesOf(e *Episode) []Outcome {
	notes := make([]*Note, len(e.Notes))
	shapes := make([]utterance.Profile, len(notes))
	for i := range e.Notes {
		notes[i] = &e.Notes[i]
	}
	slices.SortStableFunc(notes, func(a, b *Note) int { return a.At.Compare(b.At) })
	for i, n := range notes {
		shapes[i] = utterance.NewProfile(n.Text)
	}
	var out []Outcome
	for i, effect := range notes {
		if effect.Part == Open {
			continue // a question settles nothing
		}
		for _, part := range []Part{Decided, Wrong} {
			if part == Wrong && effect.Part != Worked && effect.Part != Decided {
				continue
			}
			var best Outcome
			for k, cause := range notes[:i] {
				if cause.Part != part || cause.Source() == effect.Source() {
					continue
				}
				o := Outcome{Cause: cause, Effect: effect}
				switch like := shapes[k].Likeness(shapes[i]); {
				case like >= likeSubject:
					o.Weight = looseWeight + (1-looseWeight)*min(1, like/allAlike)
				case effect.Part != Stated && e.spanOf(cause) != e.spanOf(effect):
					o.Weight, o.Loose = looseWeight, true
				}
				if o.Weight > 0 && o.Weight >= best.Weight { // the later of two, which is the nearer
					best = o
				}
			}
			if best.Cause != nil {
				out = append(out, best)
			}
		}
	}
	return out
}

// spanOf is the place of a note's sitting among the episode's, −1 where it is in none.
func (e *Episode) spanOf(n *Note) int {
	turn, err := dialogue.ParseTurn(n.Turn)
	return slices.IndexFunc(e.Spans, func(s Span) bool {
		return err == nil && s.Conversation == n.Conversation && turn >= s.From && turn <= s.To
	})
}
