package retrieve

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// weights of the rankers in the fused score: each ranker's scores are divided by its largest one.
type weights struct {
	chunk, file, path, history, meaning, graph float64
}

// hybrid and semantic are the weights in use. Those of hybrid are a plateau of the code sets of
// commit messages: changing any one by a quarter moves the mean reciprocal rank by less than .005.
var (
	hybrid   = weights{chunk: 1, file: .5, path: .3, history: .5, meaning: .25, graph: .1}
	semantic = weights{meaning: 1}
)

var (
	chunkParams = lexical.Params{K1: 1.2, B: .75}
	fileParams  = lexical.Params{K1: 1.2, B: .5}
)

// poolMost is how many of the best chunks are examined individually at most, and poolShare how many
// for each candidate that is wanted; half of poolMost are examined for however few, since the
// ranking among the first changes with fewer.
const (
	poolMost  = 400
	poolShare = 5
)

// poolSize returns how many of the best chunks are examined individually.
func (r *search) poolSize() int {
	if r.req.Limit <= 0 {
		return poolMost
	}
	return min(poolMost, max(poolMost/2, poolShare*r.req.Limit))
}

// fuse combines the rankers' scores and returns the best chunks.
func (r *search) fuse(ctx context.Context) Result {
	w := hybrid
	byMeaning := r.req.Mode == Semantic && !r.keywordsOnly
	if byMeaning {
		w = semantic
	}
	r.top.chunk, r.top.file = notFaint(r.words.TopDoc), notFaint(r.words.TopGroup)
	r.top.path, r.top.history = maximum(r.paths), maximum(r.history.Files)
	files := r.s.Scratch().Floats(r.s.Files())
	defer func() {
		r.sums.release()
		r.s.Words().Release(r.words)
		r.s.Scratch().Return(files, r.paths, r.history.Files, r.meaning)
	}()
	addScaled(files, r.words.Group, r.top.file, w.file)
	addScaled(files, r.paths, r.top.path, w.path)
	addScaled(files, r.history.Files, r.top.history, w.history)
	r.sums = newSums(r, files, w)
	if r.req.Literal && !byMeaning && len(strings.Fields(r.asked)) == 1 {
		r.sums.fill()
		(&oneWord{r}).candidates(ctx)
	}
	pool := r.sums.best(r.poolSize())
	if w.graph > 0 && r.req.Mode == Hybrid {
		pool = (&graph{r}).extend(ctx, pool, w)
	}
	list := make([]item.Item, len(pool))
	r.out.Candidates = make([]*item.Item, len(pool))
	for i, c := range pool {
		list[i].Chunk, list[i].Score = c.chunk, float64(c.score)
		r.out.Candidates[i] = &list[i]
	}
	if !byMeaning {
		for _, p := range r.byPrompt() {
			p.candidates(ctx)
		}
	}
	j := &judgement{search: r}
	if r.req.Mode == Hybrid {
		j.judge(ctx)
	}
	for _, p := range r.byContext() {
		p.candidates(ctx)
	}
	r.sortCandidates()
	if r.req.Literal && r.req.Mode == Hybrid {
		r.alternate()
		r.dropFaint()
		r.definitionsFirst()
	}
	if r.req.Mode == Hybrid && r.req.observe == nil {
		r.out.pays = j.pays()
		if !r.out.Elsewhere {
			r.out.Pays = paysModel().Probability(r.out.pays)
		}
	}
	if n := r.req.Limit; n > 0 && len(r.out.Candidates) > n {
		r.out.Candidates = r.out.Candidates[:n]
	}
	(&reasons{r}).explain()
	if !r.req.Literal { // a list that a person reads shows no lines by it
		r.out.InFile, r.out.Committed = r.rareInFiles(r.out.Words), r.history.Lines
	}
	return r.out
}

// chunk returns a chunk of the pool. It caches them, since decoding the names each time would
// dominate a search.
func (r *search) chunk(id int) indexer.Chunk {
	k, known := r.chunks[id]
	if !known {
		if r.chunks == nil {
			r.chunks = make(map[int]indexer.Chunk, r.poolSize())
		}
		k = r.s.Chunk(id)
		r.chunks[id] = k
	}
	return k
}

// parts returns the terms of a name's words. It caches them, since stemming is slow and names
// recur.
func (r *search) parts(name string) []string {
	terms, known := r.names[name]
	if !known {
		lexical.Parts([]byte(name), func(term string) { terms = append(terms, term) })
		if r.names == nil {
			r.names = map[string][]string{}
		}
		r.names[name] = slices.Clip(terms)
	}
	return terms
}

// addScaled adds scores, scaled to their largest one, to others.
func addScaled(to, scores []float32, top float32, weight float64) {
	if top <= 0 || weight == 0 {
		return
	}
	f := float32(weight) / top
	for i, v := range scores {
		to[i] += positive(v) * f
	}
}

// positive returns max(v, 0) without a branch: half of a ranker's scores are on either side, in no
// order, so that a branch would be mispredicted.
func positive(v float32) float32 {
	b := math.Float32bits(v)
	return math.Float32frombits(b &^ uint32(int32(b)>>31))
}

// maximum returns the largest score, 0 where all are faint.
func maximum(scores []float32) float32 {
	top := float32(0)
	for _, v := range scores {
		if v > top { // the built-in max would check for NaN each time
			top = v
		}
	}
	return notFaint(top)
}

// notFaint returns a largest score, or 0 where it is faint.
func notFaint(top float32) float32 {
	if top < faint {
		return 0
	}
	return top
}

// best returns the indices of the n largest positive values, largest first, equal ones by index.
func best(scores []float32, n int) []int {
	const bins = 1024
	top := maximum(scores)
	if top <= 0 || n <= 0 {
		return nil
	}
	var histogram [bins + 1]int
	scale := bins / top
	bin := func(v float32) int { return min(int(positive(v)*scale), bins) }
	for _, v := range scores {
		histogram[bin(v)]++
	}
	floor, count := bins, histogram[bins]
	for floor > 0 && count < n {
		floor--
		count += histogram[floor]
	}
	pool := make([]int, 0, min(count, len(scores)))
	least := float32(floor)
	for i, v := range scores {
		if v*scale >= least && v > 0 { // as bin(v) ≥ floor
			pool = append(pool, i)
		}
	}
	slices.SortFunc(pool, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	return pool[:min(n, len(pool))]
}
