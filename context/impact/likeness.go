package impact

import (
	"context"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer/lexical"
)

// names compares the names of tests with those of changed files and of what uses them.
func (g *gathering) names(ctx context.Context) {
	type named struct{ stem, path []string }
	var changed []named
	var users [][]string
	for _, f := range g.changed {
		changed = append(changed, named{partsOf(stemOf(f.Path)), partsOf(f.Path)})
	}
	for _, file := range g.users {
		users = append(users, partsOf(stemOf(g.s.Path(file))))
	}
	for i := range g.list {
		if ctx.Err() != nil {
			return
		}
		e := &g.list[i]
		stem, whole := partsOf(stemOf(e.Path)), partsOf(e.Path)
		for k, c := range changed {
			share, rare := g.likeness(stem, c.stem)
			if e.set(likeName, share) {
				e.Features[likeRare], e.Like = float32(rare), g.changed[k].Path
			}
			share, _ = g.likeness(whole, c.path)
			e.set(likePath, share)
			e.set(likeFolder, folders(e.Path, g.changed[k].Path))
		}
		for k, u := range users {
			if share, _ := g.likeness(stem, u); e.set(likeUser, share) {
				e.LikeUser = g.s.Path(g.users[k])
			}
		}
	}
}

// folders returns the share of the folders that two paths have in common at their beginnings and
// ends.
func folders(a, b string) float64 {
	x, y := strings.Split(path.Dir(a), "/"), strings.Split(path.Dir(b), "/")
	n, most := 0, max(len(x), len(y))
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y, n = x[1:], y[1:], n+1
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y, n = x[:len(x)-1], y[:len(y)-1], n+1
	}
	return float64(n) / float64(most)
}

// partsOf returns the distinct words of a path.
func partsOf(p string) (out []string) {
	lexical.Parts([]byte(p), func(term string) {
		if !slices.Contains(out, term) {
			out = append(out, term)
		}
	})
	return out
}

func stemOf(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// rarity returns how much a count of files among all of them distinguishes.
func (g *gathering) rarity(count float64) float64 {
	return math.Log(float64(g.all+1) / (count + .5))
}

// likeness returns the share of the words that two lists have in common, and their rarity.
func (g *gathering) likeness(a, b []string) (share, common float64) {
	all := 0.
	for _, part := range a {
		r := g.rarity(g.parts[part])
		if all += r; slices.Contains(b, part) {
			common += r
		}
	}
	for _, part := range b {
		if !slices.Contains(a, part) {
			all += g.rarity(g.parts[part])
		}
	}
	if all == 0 {
		return 0, 0
	}
	return common / all, common
}
