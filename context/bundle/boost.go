package bundle

import (
	"cmp"
	"slices"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
)

// boosts returns the factors of the items that feedback knows, by id; nil when it knows none.
func (b *answer) boosts(ids []string) map[string]float64 {
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

// byUse orders items by score, best first, and equal scores by factor, where 0 means none.
func byUse(x, y, factorX, factorY float64) int {
	known := func(f float64) float64 {
		if f == 0 {
			return 1
		}
		return f
	}
	return cmp.Or(cmp.Compare(y, x), cmp.Compare(known(factorY), known(factorX)))
}

// boost multiplies the odds of the places' scores by the factors that feedback has for them.
func (b *finding) boost(list []*item.Item) []*item.Item {
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
	slices.SortStableFunc(list, func(x, y *item.Item) int {
		return byUse(x.Score, y.Score, factors[x.Chunk], factors[y.Chunk])
	})
	return list
}
