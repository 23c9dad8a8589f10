package tickle

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/contexture-dev/contexture/memory/utterance"
)

// HardCap bounds the ticklers in one answer.
const HardCap = 20

// alike is the share of two summaries' words from which they have the same content.
const alike = .85

// Rules are the conditions for ticklers to be shown.
type Rules struct {
	// Limit bounds the ticklers; below 1 none is chosen, and never more than HardCap are.
	Limit int
	// InView has the ids (see ID) of turns that the reader sees already.
	InView map[string]bool
	// MinScore and MinShare are the smallest score, and the smallest share of the best score.
	MinScore, MinShare float64
}

// Choose returns the ticklers that are worth showing, best first, ties by the later date and then
// by id: none for a turn in view, one per turn, and one of several with nearly the same content. It
// does not change the argument. It is idempotent.
func Choose(list []Tickler, r Rules) []Tickler {
	sorted := slices.SortedStableFunc(slices.Values(list), func(a, b Tickler) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Date, a.Date), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Summary, b.Summary))
	})
	out := []Tickler{}
	var said []map[string]bool
	shown := map[string]bool{}
	for _, t := range sorted {
		if len(out) >= min(r.Limit, HardCap) {
			break
		}
		// A NaN score is not above anything.
		if !(t.Score >= r.MinScore) || r.InView[t.ID] || shown[t.ID] || len(out) > 0 && t.Score < r.MinShare*out[0].Score {
			continue
		}
		words := utterance.Set(utterance.Words(t.Summary))
		if slices.ContainsFunc(said, func(other map[string]bool) bool { return sameWords(words, other) }) {
			continue
		}
		shown[t.ID] = true
		said = append(said, words)
		out = append(out, t)
	}
	return out
}

// sameWords reports whether two summaries consist of nearly the same words. Summaries without words
// have no content to compare, so they are never the same. Numbers identify a subject: they must all
// be equal.
func sameWords(a, b map[string]bool) bool {
	for _, two := range [][2]map[string]bool{{a, b}, {b, a}} {
		for w := range two[0] {
			if !two[1][w] && isNumber(w) {
				return false
			}
		}
	}
	return utterance.Likeness(a, b) >= alike
}

func isNumber(w string) bool { return strings.ContainsFunc(w, unicode.IsDigit) }
