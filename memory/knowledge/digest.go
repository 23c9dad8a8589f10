package knowledge

import (
	"cmp"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/utterance"
)

// Digest summarises what was learned: preferences, and mistakes to avoid.
type Digest struct {
	Preferences []Preference
	Mistakes    []Mistake
}

// Preference is an active rule, confirmed or said more than once, with all its quotations.
type Preference struct {
	ID, Text             string
	State                State
	Times, Conversations int // how often and in how many conversations it was said
	Last                 time.Time
	Quotations           []Quotation
}

// Mistake is a problem that came up and what solved it: the lessons about one failure.
type Mistake struct {
	Problem    string
	Times      int
	Worked     []string // files that were changed and calls that passed, those of the latest lesson first
	Lessons    []string // ids, the latest first
	Last       time.Time
	Quotations []Quotation // of the latest lesson
}

// Bounds of a digest.
const (
	mostPreferences, mostMistakes = 100, 50
	mostWorked                    = 6
)

// NewDigest returns the digest of a workspace's knowledge.
func NewDigest(view store.View) (Digest, error) {
	var out Digest
	rules, _, err := Active(view)
	if err != nil {
		return out, err
	}
	for i := range rules {
		if rules[i].suggested() {
			continue
		}
		if p := preferenceOf(&rules[i]); p.State == Confirmed || p.Times > 1 {
			out.Preferences = append(out.Preferences, p)
		}
	}
	slices.SortStableFunc(out.Preferences, func(a, b Preference) int {
		return cmp.Or(confirmedFirst(a.State, b.State), cmp.Compare(b.Conversations, a.Conversations), cmp.Compare(b.Times, a.Times))
	})
	out.Preferences = out.Preferences[:min(len(out.Preferences), mostPreferences)]
	lessons, err := List(view, Filter{Kind: Lesson})
	if err != nil {
		return out, err
	}
	out.Mistakes = mistakes(lessons)
	return out, nil
}

func confirmedFirst(a, b State) int { return btoi(b == Confirmed) - btoi(a == Confirmed) }

func preferenceOf(it *Item) Preference {
	p := Preference{ID: it.ID, Text: it.Content, State: it.Standing(), Last: it.UpdatedAt, Quotations: it.Quotations}
	p.Times, p.Conversations = it.saidTimes()
	if n := len(it.Quotations); it.Learned && n > 0 { // the time of learning is not that of saying
		p.Last = it.Quotations[n-1].At
	}
	return p
}

// mistakes groups lessons by their failure: its signs, without the numbers and locations in them.
func mistakes(lessons []Item) []Mistake {
	slices.SortStableFunc(lessons, func(a, b Item) int { return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.ID, b.ID)) })
	var out []Mistake
	var signs []utterance.Profile
	byKey := map[string]int{}
	for i := range lessons {
		l := &lessons[i]
		if l.Learned && len(l.Worked) == 0 {
			continue
		}
		problem := problemOf(l)
		if problem == "" {
			continue
		}
		k := signOf(problem)
		at, known := byKey[k]
		shape := utterance.NewProfile(clipped(k))
		if !known {
			at = slices.IndexFunc(signs, func(p utterance.Profile) bool { return p.Likeness(shape) >= sameProblem })
			known = at >= 0
		}
		if !known {
			at = len(out)
			byKey[k] = at
			signs = append(signs, shape)
			out = append(out, Mistake{Problem: problem, Last: l.UpdatedAt, Quotations: l.Quotations, Worked: []string{}, Lessons: []string{}})
		}
		m := &out[at]
		m.Lessons = append(m.Lessons, l.ID)
		m.Times += max(1, int(l.Weight)) // including merged lessons
		for _, w := range l.Worked {
			if len(m.Worked) < mostWorked && !slices.Contains(m.Worked, w) {
				m.Worked = append(m.Worked, w)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Mistake) int { return cmp.Compare(b.Times, a.Times) })
	return out[:min(len(out), mostMistakes)]
}
