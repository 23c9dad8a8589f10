package tickle

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
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
		words := wordsOf(t.Summary)
		if slices.ContainsFunc(said, func(other map[string]bool) bool { return sameWords(words, other) }) {
			continue
		}
		shown[t.ID] = true
		said = append(said, words)
		out = append(out, t)
	}
	return out
}

// wordsOf returns the words of a summary in lower case.
func wordsOf(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(norm.NFC.String(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}) {
		out[w] = true
	}
	return out
}

// sameWords reports whether two summaries consist of nearly the same words. Summaries without words
// have no content to compare, so they are never the same. Numbers identify a subject: they must all
// be equal.
func sameWords(a, b map[string]bool) bool {
	both := 0
	for w := range a {
		if b[w] {
			both++
		} else if isNumber(w) {
			return false
		}
	}
	for w := range b {
		if !a[w] && isNumber(w) {
			return false
		}
	}
	either := len(a) + len(b) - both
	return both > 0 && float64(both) >= alike*float64(either)
}

func isNumber(w string) bool { return strings.ContainsFunc(w, unicode.IsDigit) }
