package remember

import (
	"cmp"
	"context"
	"slices"

	"github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/profile"
)

// The effect of an item's topics on its score (matches × weight × topic weight): the heaviest topic
// adds half of topicSpan, a rare one subtracts as much, and a trend moves it by trendShift. It
// decides between items that match about equally well, not whether something matches.
// fits.
const (
	topicSpan  = .2
	trendShift = .03
)

// byTopic multiplies the scores of items by the weight of their turns' topics, and sorts them
// again. An item without a topic keeps its score.
func byTopic(list []knowledge.Ranked, set *profile.Set) {
	if len(list) == 0 || len(set.Topics) == 0 {
		return
	}
	factor := map[string]float64{} // by turn, for its heaviest topic
	for i := range set.Topics {
		t := &set.Topics[i]
		f := topicFactor(t)
		for _, source := range t.Turns {
			factor[source] = max(factor[source], f)
		}
	}
	for i := range list {
		best := 0.0
		for _, source := range list[i].Item.SourceTurns {
			best = max(best, factor[source])
		}
		if best > 0 {
			list[i].Score *= best
		}
	}
	slices.SortStableFunc(list, func(a, b knowledge.Ranked) int { return cmp.Compare(b.Score, a.Score) })
}

// topicFactor returns the factor for a topic's weight and trend.
func topicFactor(t *profile.Topic) float64 {
	f := 1 + topicSpan*(t.Weight-.5)
	switch t.Trend {
	case profile.Rising:
		f += trendShift
	case profile.Falling:
		f -= trendShift
	}
	if t.Pinned {
		f = 1 + topicSpan
	}
	return f
}

// Subjects implements recall.Linker.
func (f *Found) Subjects(_ context.Context, turns []string) ([]recall.Subject, error) {
	all, err := f.View.Profiles()
	if err != nil {
		return nil, err
	}
	return subjectsOf(turns, &all.Set), nil
}

// subjectsOf returns the topics and entities of turns.
func subjectsOf(turns []string, set *profile.Set) []recall.Subject {
	if len(set.Topics)+len(set.Entities) == 0 {
		return nil
	}
	at := make(map[string]int, len(turns))
	for i, t := range turns {
		at[t] = i
	}
	var out []recall.Subject
	note := func(s *profile.Subject, factor float64) {
		held := recall.Subject{Label: s.Label, Factor: factor}
		for _, source := range s.Turns {
			if i, ok := at[source]; ok {
				held.Turns = append(held.Turns, i)
			}
		}
		if held.Turns != nil {
			out = append(out, held)
		}
	}
	for i := range set.Topics {
		note(&set.Topics[i].Subject, topicFactor(&set.Topics[i]))
	}
	for i := range set.Entities {
		note(&set.Entities[i].Subject, 0)
	}
	return out
}
