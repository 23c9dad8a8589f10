package remember

import (
	"cmp"
	"slices"

	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/profile"
)

// What the weight of an item's topics makes of its score (000: matches × weight × topic weight): of the heaviest topic
// it gains half of topicSpan, of one that hardly comes up it loses as much, and a trend moves it by trendShift. It decides
// among what fits about as well, not whether something fits.
const (
	topicSpan  = .2
	trendShift = .03
)

// byTopic multiplies the scores of what was found by the weight of the topics that their turns are about, and orders
// them anew. An item of no topic keeps its score.
func byTopic(list []knowledge.Ranked, set *profile.Set) {
	if len(list) == 0 || len(set.Topics) == 0 {
		return
	}
	factor := map[string]float64{} // by turn, of its heaviest topic
	for i := range set.Topics {
		t := &set.Topics[i]
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
