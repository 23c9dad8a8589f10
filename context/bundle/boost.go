package bundle

import (
	"cmp"
	"slices"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
)

// boosts returns the factors of the items that feedback has taught something about, by id; nothing
// where it has not of any.
func (b *build) boosts(ids []string) map[string]float64 {
	if b.src.Past == nil || len(ids) == 0 {
		return nil
	}
	all, err := b.src.Past.Boosts(ids)
	b.recalled(nil, err)
	for id, f := range all {
		if f == 1 || f <= 0 {
			delete(all, id)
		}
	}
	return all
}

// boosted multiplies the odds of a score by a factor; 0 stands for none.
func boosted(score, factor float64) float64 {
	if factor == 0 {
		return score
	}
	return retrieve.Raise(score, factor)
}

// byUse orders items by score, the best first, and equally good ones by their factors, 0 being
// none.
func byUse(x, y, factorX, factorY float64) int {
	known := func(f float64) float64 {
		if f == 0 {
			return 1
		}
		return f
	}
	return cmp.Or(cmp.Compare(y, x), cmp.Compare(known(factorY), known(factorX)))
}

// boost raises or lowers the scores of places by how often they were of use.
func (b *build) boost(list []retrieve.Candidate) []retrieve.Candidate {
	ids := make([]string, len(list))
	for i, c := range list {
		ids[i] = CodeID(b.src.Snapshot.Place(c.Chunk))
	}
	boosts := b.boosts(ids)
	if len(boosts) == 0 {
		return list
	}
	factors := make(map[int]float64, len(boosts))
	b.factors = make(map[string]float64, len(boosts))
	for i := range list {
		if f, ok := boosts[ids[i]]; ok {
			list[i].Score = boosted(list[i].Score, f)
			factors[list[i].Chunk] = f
			b.factors[ids[i]] = f
		}
	}
	slices.SortStableFunc(list, func(x, y retrieve.Candidate) int {
		return byUse(x.Score, y.Score, factors[x.Chunk], factors[y.Chunk])
	})
	return list
}

// joinedScore is the score of a piece that shows several places: that of the best one, with what
// feedback has taught of the piece, which goes by its id, in place of what it has of each.
func (b *build) joinedScore(id string, list []*draft) float64 {
	score := 0.0
	for _, d := range list {
		own := d.place.Score
		if f, ok := b.factors[d.item.ID]; ok {
			own = retrieve.Raise(own, 1/f)
		}
		score = max(score, own)
	}
	return boosted(score, b.factors[id])
}

// sortPlaces puts the drafts of places in the order of their scores again, where feedback has
// changed any.
func (b *build) sortPlaces() {
	if len(b.factors) == 0 {
		return
	}
	var at []int // the entities among them stay
	var list []*draft
	for i, d := range b.places {
		if d.layer == item.L5JIT {
			at, list = append(at, i), append(list, d)
		}
	}
	slices.SortStableFunc(list, func(x, y *draft) int {
		return byUse(x.score, y.score, b.factors[x.item.ID], b.factors[y.item.ID])
	})
	for k, i := range at {
		b.places[i] = list[k]
	}
}
