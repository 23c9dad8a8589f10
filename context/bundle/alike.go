package bundle

import (
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/budget"
	"github.com/zeebo/xxh3"
)

// alikeLeast is the share of shared lines below which two pieces are alike by chance: what a language has everywhere.
const alikeLeast = .5

// alike holds how much of the pieces of code stands in each other.
type alike struct {
	places []*found
	pairs  map[[2]int32]float64 // by their places in places, the smaller one first
}

// similarity returns how much the drafts at two places repeat each other; nil where none do. It is for the drafts as
// they are now.
func (b *build) similarity() budget.Similarity {
	at := make([]int32, len(b.drafts))
	var places []*found
	for i, d := range b.drafts {
		at[i] = -1
		if d.place != nil {
			at[i] = int32(len(places))
			places = append(places, d.place)
		}
	}
	if b.likes.pairs == nil || !slices.Equal(places, b.likes.places) {
		b.likes = newAlike(places)
	}
	if len(b.likes.pairs) == 0 {
		return nil
	}
	return func(i, j int) float64 {
		x, y := at[i], at[j]
		if x < 0 || y < 0 {
			return 0
		}
		return b.likes.pairs[[2]int32{min(x, y), max(x, y)}]
	}
}

// newAlike finds the pairs of which the worse one repeats lines of the better one. A near-duplicate counts as a whole.
func newAlike(places []*found) alike {
	a := alike{places: places, pairs: map[[2]int32]float64{}}
	sizes := make([]int, len(places))
	holders := map[uint64][]int32{}
	for i, f := range places {
		for hash, size := range linesOf(f.text) {
			sizes[i] += size
			holders[hash] = append(holders[hash], int32(i))
			for _, other := range holders[hash][:len(holders[hash])-1] {
				a.pairs[[2]int32{other, int32(i)}] += float64(size)
			}
		}
	}
	for pair, shared := range a.pairs {
		worse := pair[1]
		if places[pair[0]].Score < places[pair[1]].Score {
			worse = pair[0]
		}
		switch share := shared / float64(max(sizes[worse], 1)); {
		case share >= duplicateShare:
			a.pairs[pair] = 1
		case share >= alikeLeast:
			a.pairs[pair] = share
		default:
			delete(a.pairs, pair)
		}
	}
	return a
}

// linesOf returns the hashes of a text's distinctive lines with their sizes.
func linesOf(text string) map[uint64]int {
	out := map[uint64]int{}
	for line := range strings.Lines(text) {
		if line = bare(line); len(line) >= distinctiveBytes {
			out[xxh3.HashString(line)] = len(line)
		}
	}
	return out
}
