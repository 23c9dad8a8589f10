package retrieve

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// graph finds what the best files refer to.
type graph struct{ *search }

// extend adds a part of the best files' scores to what they refer to: a definition that many good
// places use is relevant even if it has none of the prompt's words.
func (r *graph) extend(ctx context.Context, pool []chunkScore, w weights) []chunkScore {
	const sources = 20
	if len(pool) == 0 {
		return pool
	}
	var best []lender
	seen := map[int]bool{}
	for _, c := range pool {
		f := r.s.FileOf(c.chunk)
		if seen[f] {
			continue
		}
		if seen[f] = true; len(seen) > sources {
			break
		}
		best = append(best, lender{f, c.score})
	}
	own := len(best)
	for _, path := range r.req.Near {
		if f, ok := r.s.File(path); ok {
			best = append(best, lender{f, pool[0].score})
		}
	}
	lent := newLentScores()
	r.near = newLentScores()
	for i, refs := range r.references(ctx, best) {
		lent.add(refs, best[i].score)
		if i >= own {
			r.near.add(refs, 1)
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
		c := chunkScore{chunk, r.sums.at(chunk)}
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
	slices.SortFunc(pool, chunkScore.compare)
	return pool[:min(r.poolSize(), len(pool))]
}

// fileShares holds the scores that files lend to chunks.
type fileShares struct {
	scores map[int]float32 // by chunk
	top    float32         // the largest loan
}

func newLentScores() fileShares { return fileShares{scores: map[int]float32{}} }

func (l *fileShares) measure() {
	for _, v := range l.scores {
		l.top = max(l.top, v)
	}
}

// add lends a file's score to what it refers to.
func (l *fileShares) add(refs []reference, score float32) {
	for _, x := range refs {
		l.scores[x.chunk] += score * x.often / x.definitions
	}
}

// lender is a file that lends its score.
type lender struct {
	file  int
	score float32
}

// reference is a definition that a file refers to: the square root of how often, and how many
// definitions of the name there are.
type reference struct {
	chunk              int
	often, definitions float32
}

// references returns what files refer to, file by file, until ctx is done. Each goroutine looks up
// the names of its own files: in a workspace of many parts that is a third of what follows the
// rankers.
func (r *graph) references(ctx context.Context, files []lender) [][]reference {
	out := make([][]reference, len(files))
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		group.Go(func() {
			links := r.s.Symbols().NewLinker()
			for i := int(next.Add(1)) - 1; i < len(files) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				links.References(files[i].file, func(chunk, count, definitions int) {
					out[i] = append(out[i], reference{chunk, float32(math.Sqrt(float64(count))), float32(definitions)})
				})
			}
		})
	}
	group.Wait()
	return out
}
