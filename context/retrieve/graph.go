package retrieve

import (
	"context"
	"math"
	"slices"

	"github.com/contexture-dev/contexture/indexer"
)

// graph finds what the best files refer to.
type graph struct{ *search }

// extend adds a part of the best files' scores to what they refer to: a definition that many good
// places use is relevant even if it has none of the prompt's words.
func (r *graph) extend(ctx context.Context, pool []scored, w weights) []scored {
	const sources = 20
	if len(pool) == 0 {
		return pool
	}
	lent, links := newLentScores(), r.s.NewLinker()
	seen := map[int]bool{}
	for _, c := range pool {
		f := r.s.FileOf(c.chunk)
		if seen[f] {
			continue
		}
		if seen[f] = true; len(seen) > sources || ctx.Err() != nil {
			break
		}
		lend(links, f, c.score, &lent)
	}
	r.near = newLentScores()
	for _, path := range r.req.Near {
		if f, ok := r.s.File(path); ok && ctx.Err() == nil {
			lend(links, f, pool[0].score, &lent)
			lend(links, f, 1, &r.near)
		}
	}
	r.near.measure()
	if lent.measure(); lent.top == 0 {
		return pool
	}
	in := make(map[int]int, len(pool)) // index into pool, by chunk
	for i, c := range pool {
		in[c.chunk] = i
	}
	for chunk, loan := range lent.scores {
		c := scored{chunk, r.sums.at(chunk)}
		if c.score <= 0 {
			continue
		}
		c.score += float32(w.graph) * loan / lent.top
		r.sums.set(c)
		if i, found := in[chunk]; found {
			pool[i] = c
		} else {
			pool = append(pool, c)
		}
	}
	slices.SortFunc(pool, scored.compare)
	return pool[:min(r.poolSize(), len(pool))]
}

// lentScores holds the scores that files lend to chunks.
type lentScores struct {
	scores map[int]float32 // by chunk
	top    float32         // the largest loan
}

func newLentScores() lentScores { return lentScores{scores: map[int]float32{}} }

func (l *lentScores) measure() {
	for _, v := range l.scores {
		l.top = max(l.top, v)
	}
}

func lend(links *indexer.Linker, file int, score float32, to *lentScores) {
	links.References(file, func(chunk, count, definitions int) {
		to.scores[chunk] += score * float32(math.Sqrt(float64(count))) / float32(definitions)
	})
}
