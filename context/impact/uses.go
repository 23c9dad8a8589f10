package impact

import (
	"context"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
)

const (
	maxNames      = 300  // names of changed files that are searched for
	maxNamed      = 5000 // pieces that are examined for one of them
	leastName     = 3    // letters of a name that distinguishes
	maxUsers      = 20   // files that use what changed, whose tests are considered
	maxUsesListed = 3
)

// nameUse is a name of a changed file with the files that refer to it.
type nameUse struct {
	name    string
	touched bool
	rarity  float64
	files   []int
}

// uses finds which files refer to the names that the changed files define.
func (g *gathering) uses(ctx context.Context) (list []nameUse) {
	seen := map[string]bool{}
	for _, wanted := range []bool{true, false} { // what changed first
		for _, f := range g.changed {
			for _, d := range f.Definitions {
				if !retrieve.IsCode(f.Language) || f.names[d.Name] != wanted || seen[d.Name] || len(d.Name) < leastName || len(list) == maxNames || ctx.Err() != nil {
					continue
				}
				seen[d.Name] = true
				if n := g.usersOf(d, &f); n.rarity > 0 {
					list = append(list, n)
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b nameUse) int { return len(a.files) - len(b.files) })
	return list
}

// usersOf finds which files refer to a name. One that too many have has no rarity.
func (g *gathering) usersOf(d Definition, in *File) nameUse {
	n := nameUse{name: d.Name, touched: in.names[d.Name]}
	symbol := indexer.Symbol{Name: d.Name, Path: in.Path}
	examined, last := 0, -1
	g.s.Symbols().Mentions(d.Name, func(chunk int) bool {
		examined++
		file := g.s.FileOf(chunk)
		if p := g.s.Path(file); file != last && p != "" && retrieve.Reaches(p, g.s.Language(file), symbol, in.Language) {
			n.files = append(n.files, file)
		}
		last = file
		return examined < maxNamed
	})
	if float64(len(n.files)) <= mostDistinct*float64(g.all) || len(n.files) < maxUsers {
		n.rarity = g.rarity(float64(len(n.files)))
	}
	return n
}

// references notes which tests refer to what the changed files define.
func (g *gathering) references(ctx context.Context) {
	sums := [2]float64{}
	users := map[int]float64{}
	for _, n := range g.uses(ctx) {
		sum, share := refersFile, 0
		if n.touched {
			sum, share = refersTouched, 1
		}
		sums[share] += n.rarity
		for _, file := range n.files {
			i, isTest := g.at[file]
			if !isTest {
				if n.touched {
					users[file] += n.rarity
				}
				continue
			}
			e := &g.list[i]
			e.Features[sum] += float32(n.rarity)
			if n.touched && len(e.Uses) < maxUsesListed {
				e.Uses = append(e.Uses, n.name)
			}
		}
	}
	for i := range g.list {
		f := &g.list[i].Features
		f[shareTouched], f[shareFile] = ratio(f[refersTouched], sums[1]), ratio(f[refersFile], sums[0])
	}
	for _, f := range g.changed {
		if file, ok := g.s.File(f.Path); ok {
			delete(users, file)
		}
	}
	for file := range users {
		g.users = append(g.users, file)
	}
	slices.SortFunc(g.users, func(a, b int) int {
		switch {
		case users[a] > users[b]:
			return -1
		case users[a] < users[b]:
			return 1
		}
		return strings.Compare(g.s.Path(a), g.s.Path(b))
	})
	g.users = g.users[:min(maxUsers, len(g.users))]
}

func ratio(part float32, whole float64) float32 {
	if whole == 0 {
		return 0
	}
	return float32(float64(part) / whole)
}
