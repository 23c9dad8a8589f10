package episode

import (
	"slices"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// Outcome reports that a note followed from an earlier one of its episode: it continues a decision,
// withdraws it, or reports what went wrong with it or what helped afterwards.
type Outcome struct {
	Cause, Effect *Note
	// Weight is the confidence in the link, up to 1.
	Weight float64
	// Loose reports that only the episode connects the two notes: they share no other subject.
	Loose bool
}

const (
	// likeSubject is the similarity from which two sentences have the same subject; allAlike is the
	// similarity beyond which the link gains no more weight.
	likeSubject, allAlike = .1, .3
	// looseWeight is the weight of a note in a later sitting of the episode that shares no subject
	// with a decision.
	looseWeight = .5
)

// Outcomes returns the links that the notes of a turn have, as causes and as effects, in the order
// of the notes. source is "<conversation>/T-7". The notes belong to the index and must not be
// modified.
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

// byTurn returns, by the turns of their notes, the episodes in which a note may have followed from
// another.
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

// outcomesOf links each note of an episode to the decision that it most likely followed from, and a
// note about what helped also to what had gone wrong.
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
				if o.Weight > 0 && o.Weight >= best.Weight { // of equals the later, nearer one
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

// spanOf returns the index of the note's sitting in the episode, −1 if it is in none.
func (e *Episode) spanOf(n *Note) int {
	turn, err := dialogue.ParseTurn(n.Turn)
	return slices.IndexFunc(e.Spans, func(s Span) bool {
		return err == nil && s.Conversation == n.Conversation && turn >= s.From && turn <= s.To
	})
}
