package retrieve

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// weights of the rankers in the fused score: each ranker's scores are divided by its largest one.
type weights struct {
	chunk, file, path, history, meaning, graph float64
}

// hybrid and semantic are the weights in use. Those of hybrid are a plateau of the code sets of commit messages:
// changing any one by a quarter moves the mean reciprocal rank by less than .005.
var (
	hybrid   = weights{chunk: 1, file: .5, path: .3, history: .5, meaning: .25, graph: .1}
	semantic = weights{meaning: 1}
)

var (
	chunkParams = lexical.Params{K1: 1.2, B: .75}
	fileParams  = lexical.Params{K1: 1.2, B: .5}
)

// poolSize is how many of the best chunks are looked at one by one.
const poolSize = 400

// fuse joins the rankers' scores and gives the best chunks.
func (r *run) fuse(ctx context.Context) Result {
	w := hybrid
	byMeaning := r.req.Mode == Semantic && !r.standIn
	if byMeaning {
		w = semantic
	}
	total := r.s.Floats(r.s.Chunks())
	files := r.s.Floats(r.s.Files())
	defer func() {
		r.s.Release(r.words)
		r.s.Return(total, files, r.paths, r.history, r.meaning)
	}()
	perChunk(files, r.words.Group, w.file)
	perChunk(files, r.paths, w.path)
	perChunk(files, r.history, w.history)
	r.spread(total, files, w)
	var pool []int
	if r.req.Literal && !byMeaning && len(strings.Fields(r.asked)) == 1 {
		r.onlyWord(total)
		pool = best(total, poolSize) // tests among them: they have the word too
	} else {
		pool = r.demoteInnerTests(total, best(total, poolSize))
	}
	if w.graph > 0 && r.req.Mode == Hybrid {
		pool = r.addGraph(ctx, total, pool, w)
	}
	r.total = total
	r.out.Candidates = make([]Candidate, 0, len(pool))
	for _, c := range pool {
		r.out.Candidates = append(r.out.Candidates, Candidate{Chunk: c, Score: float64(total[c])})
	}
	if !byMeaning {
		r.exact(ctx)
	}
	if r.req.Mode == Hybrid {
		r.definedWords(ctx)
		r.judge()
	}
	r.follow()
	r.place(ctx)
	slices.SortStableFunc(r.out.Candidates, func(a, b Candidate) int { return cmp.Compare(b.Score, a.Score) })
	if r.req.Literal && r.req.Mode == Hybrid {
		r.alternate()
	}
	if n := r.req.Limit; n > 0 && len(r.out.Candidates) > n {
		r.out.Candidates = r.out.Candidates[:n]
	}
	r.explain()
	return r.out
}

// furtherPiece is what each further piece of a file counts of the one before it in a list that people read.
const furtherPiece = .5

// alternate lowers the further pieces of each file: who searches wants to see the next place, not the rest of this one.
func (r *run) alternate() {
	pieces := map[int]int{}
	for i := range r.out.Candidates {
		c := &r.out.Candidates[i]
		file := r.s.FileOf(c.Chunk)
		c.Score *= math.Pow(furtherPiece, float64(pieces[file]))
		pieces[file]++
	}
	slices.SortStableFunc(r.out.Candidates, func(a, b Candidate) int { return cmp.Compare(b.Score, a.Score) })
}

// demoteInnerTests does for tests inside a source file (Rust's mod tests, doctests beside the code) what spread does
// for files of tests.
func (r *run) demoteInnerTests(total []float32, pool []int) []int {
	if r.req.Intent.AboutTests {
		return pool
	}
	for _, c := range pool {
		if k := r.chunk(c); innerTest(k.Enclosing, k.Symbols) && !IsTest(k.Path) {
			total[c] *= float32(factors[test])
		}
	}
	return ranked(total, pool)
}

// chunk returns a chunk of the pool; reading its names anew each time is what a search would spend most on.
func (r *run) chunk(id int) indexer.Chunk {
	k, known := r.chunks[id]
	if !known {
		if r.chunks == nil {
			r.chunks = make(map[int]indexer.Chunk, poolSize)
		}
		k = r.s.Chunk(id)
		r.chunks[id] = k
	}
	return k
}

// ranked sorts indices by their values, largest first, equal ones by index.
func ranked(scores []float32, pool []int) []int {
	slices.SortFunc(pool, func(a, b int) int {
		if c := cmp.Compare(scores[b], scores[a]); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	return pool
}

// innerTest reports whether a chunk lies in a module of tests or defines nothing but tests.
func innerTest(enclosing, symbols []string) bool {
	for _, e := range enclosing {
		if e == "tests" || e == "test" {
			return true
		}
	}
	tests := 0
	for _, s := range symbols {
		if s == "tests" || strings.HasPrefix(s, "test_") {
			tests++
		}
	}
	return tests > 0 && tests == len(symbols)
}

// perChunk adds scores, normalised by their largest, to total.
func perChunk(total, scores []float32, weight float64) {
	top := maximum(scores)
	if top <= 0 || weight == 0 {
		return
	}
	f := float32(weight) / top
	for i, v := range scores {
		total[i] += positive(v) * f
	}
}

// positive is v, and 0 for less, without a branch: half of a ranker's scores are on either side, in no order.
func positive(v float32) float32 {
	b := math.Float32bits(v)
	return math.Float32frombits(b &^ uint32(int32(b)>>31))
}

// faint is what a score says nothing below: dividing by it is still a number.
const faint = 1e-30

// maximum is the largest score, 0 where all are faint.
func maximum(scores []float32) float32 {
	top := float32(0)
	for _, v := range scores {
		if v > top { // max would look for NaN each time
			top = v
		}
	}
	if top < faint {
		return 0
	}
	return top
}

// fileShare is the power of a chunk's score, as a part of its file's best one, by which it has a share in the file's own
// score: 0 gives all of it to each, and the many pieces of a large file stand before what other files have to say.
const fileShare = .4

// shares are such powers of the thousandths of 1: most chunks of a workspace are asked for theirs.
var shares = func() (out [1001]float32) {
	for i := range out {
		out[i] = float32(math.Pow(float64(i)/1000, fileShare))
	}
	return out
}()

// spread sums the scores of the chunks, gives each file's score to its chunks, most of it to the best, and applies what
// holds for whole files: filters and penalties. A file's chunk of which no word matched gets the file's score too: a commit
// message or a path may name what the text does not. It does all that file by file, while the file's scores are at hand.
func (r *run) spread(total, files []float32, w weights) {
	words, meaning := r.words.Doc, r.meaning
	ofWords, ofMeaning := scaled(&words, w.chunk, total), scaled(&meaning, w.meaning, total)
	workers := runtime.GOMAXPROCS(0)
	if r.req.Keep != nil {
		workers = 1 // it need not be safe for concurrent use
	}
	r.s.Classes(workers, func(path, language string) uint8 { return uint8(classOf(path, language)) }, func(f int, c uint8) {
		first, end := r.s.FileChunks(f)
		if first == end || r.req.Keep != nil && !r.req.Keep(r.s.Path(f), r.s.Language(f)) {
			return
		}
		n := end - first
		total, words, meaning := total[first:][:n], words[first:][:n], meaning[first:][:n] // of one length: no checks in the loops
		top := float32(0)
		for i := range total {
			sum := positive(words[i]) * ofWords
			sum += positive(meaning[i]) * ofMeaning
			total[i] = sum
			if sum > top {
				top = sum
			}
		}
		factor := float32(r.req.classFactor(class(c)))
		if top < faint {
			total[0] = files[f] * factor
			return
		}
		if files[f] == 0 && factor == 1 {
			return
		}
		scale, file := float32(len(shares)-1)/top, files[f]
		for i, v := range total {
			total[i] = (v + file*shares[min(int(v*scale), len(shares)-1)]) * factor // the share of 0 is 0
		}
	})
}

// scaled returns what a ranker's scores are multiplied by: its weight over the largest score. Scores that count nothing are
// replaced by others that are multiplied by 0.
func scaled(scores *[]float32, weight float64, others []float32) float32 {
	top := maximum(*scores)
	if top <= 0 || weight == 0 {
		*scores = others
		return 0
	}
	return float32(weight) / top
}

// best gives the indices of the n largest positive values, largest first, equal ones by index.
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
	return ranked(scores, pool)[:min(n, len(pool))]
}

// addGraph lends the best files' scores to what they refer to: a definition that many good places use is near the
// topic though it may say none of its words.
func (r *run) addGraph(ctx context.Context, total []float32, pool []int, w weights) []int {
	const sources = 20
	if len(pool) == 0 {
		return pool
	}
	lent := loan{scores: r.s.Floats(len(total))}
	defer func() { r.s.Return(lent.scores) }()
	seen := map[int]bool{}
	for _, c := range pool {
		f := r.s.FileOf(c)
		if seen[f] {
			continue
		}
		if seen[f] = true; len(seen) > sources || ctx.Err() != nil {
			break
		}
		r.lend(f, total[c], &lent)
	}
	r.near = loan{scores: make([]float32, len(total))}
	for _, path := range r.req.Near {
		if f, ok := r.s.File(path); ok && ctx.Err() == nil {
			r.lend(f, total[pool[0]], &lent)
			r.lend(f, 1, &r.near)
		}
	}
	for _, c := range r.near.chunks {
		r.near.top = max(r.near.top, r.near.scores[c])
	}
	top := float32(0)
	for _, c := range lent.chunks {
		top = max(top, lent.scores[c])
	}
	if top == 0 {
		return pool
	}
	lent.top, r.lent = top, lent
	in := make(map[int]bool, len(pool))
	for _, c := range pool {
		in[c] = true
	}
	for _, c := range lent.chunks {
		if total[c] <= 0 {
			continue
		}
		total[c] += float32(w.graph) * lent.scores[c] / top
		if !in[c] {
			pool = append(pool, c)
		}
	}
	pool = ranked(total, pool)
	return pool[:min(poolSize, len(pool))]
}

// loan is what files lend to chunks.
type loan struct {
	scores []float32 // by chunk
	chunks []int     // those that were lent something
	top    float32   // the largest loan
}

func (r *run) lend(file int, score float32, to *loan) {
	r.s.References(file, func(chunk, count, definitions int) {
		if to.scores[chunk] == 0 {
			to.chunks = append(to.chunks, chunk)
		}
		to.scores[chunk] += score * float32(math.Sqrt(float64(count))) / float32(definitions)
	})
}

// explain fills in each candidate's signals and reasons.
func (r *run) explain() {
	rankers := []struct {
		name   string
		scores []float32
		byFile bool
		reason string
	}{
		{"keyword", r.words.Doc, false, byKeyword},
		{"file", r.words.Group, true, byFile},
		{"path", r.paths, true, byPath},
		{"history", r.history, true, byHistory},
		{"vector", r.meaning, false, byMeaning},
	}
	words := r.askedWords()
	for _, k := range rankers {
		if k.scores == nil {
			continue
		}
		values := make([]float32, len(r.out.Candidates))
		for i, c := range r.out.Candidates {
			if k.byFile {
				values[i] = k.scores[r.s.FileOf(c.Chunk)]
			} else {
				values[i] = k.scores[c.Chunk]
			}
		}
		order := best(values, len(values))
		for rank, i := range order {
			c := &r.out.Candidates[i]
			if c.Signals == nil {
				c.Signals = map[string]Signal{}
			}
			c.Signals[k.name] = Signal{Rank: rank + 1, Score: float64(values[i])}
			if rank >= reasonRank {
				continue
			}
			reason := k.reason
			if reason == byKeyword {
				reason = keywordReason(words, c.Chunk)
			}
			c.Reasons = append(c.Reasons, reason)
		}
	}
	for i := range r.out.Candidates {
		if c := &r.out.Candidates[i]; len(c.Reasons) == 0 {
			c.Reasons = append(c.Reasons, weakReason(words, c))
		}
	}
}
