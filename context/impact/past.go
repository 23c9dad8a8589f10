package impact

import (
	"math"
	"path"
)

// pair is how often a changed file and a test changed together.
type pair struct {
	both int
	late float64
}

// history notes which tests changed together with the changed files.
func (g *gathering) history() {
	type past struct {
		commits int
		weight  float64 // of the next older commit
		all     float64
		with    map[int]*pair
	}
	changed, dirs := map[string]*past{}, map[string]*past{}
	for _, f := range g.changed {
		changed[f.Path] = &past{weight: 1, with: map[int]*pair{}}
		dirs[path.Dir(f.Path)] = &past{weight: 1, with: map[int]*pair{}}
	}
	count, age := make([]int, len(g.list)), make([]int, len(g.list))
	commits := 0
	g.s.Commits(func(paths []string) bool {
		commits++
		var in []int
		for _, p := range paths {
			if i, ok := g.byPath[p]; ok {
				if in = append(in, i); count[i] == 0 {
					age[i] = commits
				}
				count[i]++
			}
		}
		note := func(p *past) {
			p.commits++
			p.all += p.weight
			for _, i := range in {
				if p.with[i] == nil {
					p.with[i] = &pair{}
				}
				p.with[i].both++
				p.with[i].late += p.weight
			}
			p.weight *= fading
		}
		seen := map[string]bool{}
		for _, f := range paths {
			if p := changed[f]; p != nil {
				note(p)
			}
			if dir := path.Dir(f); dirs[dir] != nil && !seen[dir] {
				seen[dir] = true
				note(dirs[dir])
			}
		}
		return true
	})
	none := make([]float64, len(g.list)) // log of the probability that no changed file takes it along
	for _, f := range g.changed {
		p := changed[f.Path]
		for i, with := range p.with {
			e := &g.list[i]
			share := float64(with.both) / (float64(p.commits) + doubt)
			if e.set(togetherMost, share) {
				e.With, e.Together, e.Of = f.Path, with.both, p.commits
			}
			e.set(togetherLate, with.late/(p.all+doubt))
			e.set(togetherOf, float64(with.both)/(float64(count[i])+doubt))
			e.set(togetherCount, math.Log1p(float64(with.both)))
			none[i] += math.Log1p(-share)
		}
	}
	for _, p := range dirs {
		for i, with := range p.with {
			g.list[i].set(togetherDir, with.late/(p.all+doubt))
		}
	}
	for i := range g.list {
		f := &g.list[i].Features
		f[togetherAny] = float32(1 - math.Exp(none[i]))
		f[ownRate] = float32(math.Log1p(1000 * float64(count[i]) / float64(max(commits, 1))))
		f[ownAge] = float32(math.Log1p(agingOld))
		if count[i] > 0 {
			f[ownAge] = float32(math.Log1p(float64(age[i])))
		}
	}
}
