package usage

import (
	"slices"

	"github.com/zeebo/xxh3"
	"golang.org/x/text/unicode/norm"
)

// What is read of the messages after a response: more of them, or longer ones, are about other
// subjects.
const (
	maxFollowups     = 20
	maxFollowupBytes = 64 << 10
)

// digest is the stored form of a text: hashes of its distinct terms and of its distinctive
// identifiers, each ascending. In a digest that was cut, terms are the smallest hashes: a sample by
// the same rule for all texts, so that shared terms are in both samples or in neither.
type digest struct {
	distinct    int
	terms       []uint32
	identifiers []uint32
}

func newDigest(text string, terms Terms) digest {
	var d digest
	text = norm.NFC.String(text)
	terms(text, func(term string) { d.terms = append(d.terms, hash(term)) })
	identifiers(text, func(name string) { d.identifiers = append(d.identifiers, hash(name)) })
	d.terms, d.identifiers = distinct(d.terms), distinct(d.identifiers)
	d.distinct = len(d.terms)
	return d
}

// hash returns 32 bits: with a thousand terms against a thousand, one in four thousand such
// comparisons has a collision.
func hash(s string) uint32 { return uint32(xxh3.HashString(s)) }

func distinct(hashes []uint32) []uint32 {
	slices.Sort(hashes)
	return slices.Clip(slices.Compact(hashes))
}

// cut keeps at most limit hashes of each kind.
func (d digest) cut(limit int) digest {
	d.terms = d.terms[:min(len(d.terms), limit)]
	d.identifiers = d.identifiers[:min(len(d.identifiers), limit)]
	return d
}

// overlap returns the Jaccard index of two texts' terms, estimated from the sample if d was cut.
// The other is complete.
func (d digest) overlap(whole digest) float64 {
	if d.distinct == 0 || whole.distinct == 0 {
		return 0
	}
	shared := float64(countShared(d.terms, whole.terms)) * float64(d.distinct) / float64(len(d.terms))
	shared = min(shared, float64(min(d.distinct, whole.distinct)))
	return shared / (float64(d.distinct+whole.distinct) - shared)
}

// names reports whether the other text has an identifier of this one that is not left out.
func (d digest) names(other digest, leftOut map[uint32]bool) bool {
	for _, h := range d.identifiers {
		if _, found := slices.BinarySearch(other.identifiers, h); found && !leftOut[h] {
			return true
		}
	}
	return false
}

func countShared(x, y []uint32) int {
	n := 0
	for _, h := range x {
		if _, found := slices.BinarySearch(y, h); found {
			n++
		}
	}
	return n
}

// judge measures each item against the response and the person's messages after it. The weights, by
// id, are what the retrievals count as used.
func judge(items []bundleItem, response string, followups []string, terms Terms) ([]ItemUse, map[string]float64) {
	use := 1.0
	if len(followups) > 0 && rejects(followups[0]) {
		use = corrected
	}
	answer := newDigest(response, terms)
	var later []digest
	for _, f := range followups[:min(len(followups), maxFollowups)] {
		if !rejects(f) {
			later = append(later, newDigest(f[:min(len(f), maxFollowupBytes)], terms))
		}
	}
	everywhere := commonNames(items)
	out := make([]ItemUse, len(items))
	weights := make(map[string]float64, len(items))
	for i, item := range items {
		refers := func(d digest) bool {
			return (item.overlap(d) >= minOverlap || item.names(d, everywhere)) && !outdone(items, i, d)
		}
		out[i] = ItemUse{ID: item.id, Overlap: item.overlap(answer), Referenced: refers(answer)}
		if out[i].Referenced {
			weights[item.id] = use
		}
		if slices.ContainsFunc(later, refers) {
			out[i].Referenced, weights[item.id] = true, 1
		}
	}
	return out, weights
}

// outdone reports whether another item with about the same content has everything that the item has
// in common with the answer, and more: then the answer uses the other one. Of equal ones it uses
// both.
func outdone(items []bundleItem, i int, answer digest) bool {
	item := items[i]
	mine, overlap := item.common(answer), item.overlap(answer)
	for j, other := range items {
		if j == i || other.overlap(answer) <= overlap || item.overlap(other.digest) < likeness {
			continue
		}
		theirs := other.common(answer)
		both := countShared(mine, theirs)
		if alone := len(mine) - both; float64(alone) <= chance*float64(len(mine)) && len(theirs)-both > alone {
			return true
		}
	}
	return false
}

// common returns the terms and identifiers in both texts, ascending.
func (d digest) common(other digest) []uint32 {
	var out []uint32
	for _, lists := range [][2][]uint32{{d.terms, other.terms}, {d.identifiers, other.identifiers}} {
		for _, h := range lists[0] {
			if _, found := slices.BinarySearch(lists[1], h); found {
				out = append(out, h)
			}
		}
	}
	return distinct(out)
}

// commonNames returns the identifiers in more than half of a bundle's items, and in more than two:
// naming one does not show which item was used.
func commonNames(items []bundleItem) map[uint32]bool {
	counts := map[uint32]int{}
	for _, item := range items {
		for _, h := range item.identifiers {
			counts[h]++
		}
	}
	common := map[uint32]bool{}
	for h, n := range counts {
		if n > 2 && n > len(items)/2 {
			common[h] = true
		}
	}
	return common
}
