package tickle

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// HardCap is the most ticklers that one answer has.
const HardCap = 20

// alike is the share of two summaries' words from which on they say the same.
const alike = .85

// Rules are what ticklers must meet to be shown.
type Rules struct {
	// Limit of ticklers; below 1 none is chosen, and never more than HardCap are.
	Limit int
	// InView has the ids (see ID) of turns that the reader sees already.
	InView map[string]bool
	// MinScore and MinShare are the least score, and the least share of the best score.
	MinScore, MinShare float64
}

// Choose returns the ticklers that are worth showing, best first, ties by the later date and then
// by id: none of a turn that is in view, one of a turn, and one of those that say nearly the same.
// The list given is not changed. Choosing from the outcome again changes nothing.
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
		// A score that is no number is not above anything.
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

// wordsOf returns the words of a summary in small letters.
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
// tell nothing of their turns, so they are never the same. Numbers tell what a sentence is about:
// they must all be the same.
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
