package bundle

import (
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/budget"
	"github.com/zeebo/xxh3"
)

// minAlikeShare is the smallest share of common lines at which two pieces count as alike. Below it
// they have in common only what a language has everywhere.
const minAlikeShare = .5

// alike holds how similar the pieces of code are to each other.
type alike struct {
	places []*foundPlace
	pairs  map[pair]float64
}

// pair names two pieces by their indices in alike.places, the smaller one first.
type pair struct{ one, other int32 }

// similarity returns how much the drafts of a list, by their indices, repeat each other; nil where
// none do. It caches its result in likes and reuses it while the places are the same.
func similarity(likes *alike, list []*draft) budget.Similarity {
	at := make([]int32, len(list))
	var places []*foundPlace
	for i, d := range list {
		at[i] = -1
		if d.place != nil {
			at[i] = int32(len(places))
			places = append(places, d.place)
		}
	}
	if likes.pairs == nil || !slices.Equal(places, likes.places) {
		*likes = newAlike(places)
	}
	if len(likes.pairs) == 0 {
		return nil
	}
	return func(i, j int) float64 {
		x, y := at[i], at[j]
		if x < 0 || y < 0 {
			return 0
		}
		return likes.pairs[pair{min(x, y), max(x, y)}]
	}
}

// newAlike returns the pairs in which the worse piece repeats lines of the better one. A
// near-duplicate counts as a full repetition.
func newAlike(places []*foundPlace) alike {
	a := alike{places: places, pairs: map[pair]float64{}}
	sizes := make([]int, len(places))
	holders := map[uint64][]int32{}
	for i, f := range places {
		for hash, size := range linesOf(f.text) {
			sizes[i] += size
			holders[hash] = append(holders[hash], int32(i))
			for _, other := range holders[hash][:len(holders[hash])-1] {
				a.pairs[pair{other, int32(i)}] += float64(size)
			}
		}
	}
	for p, shared := range a.pairs {
		worse := p.other
		if places[p.one].Score < places[p.other].Score {
			worse = p.one
		}
		switch share := shared / float64(max(sizes[worse], 1)); {
		case share >= duplicateShare:
			a.pairs[p] = 1
		case share >= minAlikeShare:
			a.pairs[p] = share
		default:
			delete(a.pairs, p)
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
