package retrieve

import (
	"math"
	"runtime"
	"slices"

	"github.com/contexture-dev/contexture/indexer"
)

// tops are the rankers' largest scores, 0 where all are faint.
type tops struct{ chunk, file, path, history, meaning float32 }

// chunkScore is a chunk with its score.
type chunkScore struct {
	chunk int
	score float32
}

// compare orders the largest score first, equal ones by chunk.
func (c chunkScore) compare(d chunkScore) int {
	switch {
	case c.score > d.score:
		return -1
	case c.score < d.score:
		return 1
	}
	return c.chunk - d.chunk
}

// sums are the weighted sums of the rankers, by chunk. A chunk's sum is that of its own scores and
// of a share in the file's score, times the factor of the file's class.
//
// The sums of most chunks are never computed: best skips a file as soon as none of its chunks can
// be among the best.
type sums struct {
	*search
	files          []float32 // the files' scores
	words, meaning []float32
	ofWords        float32 // their factor
	ofMeaning      float32
	changed        map[int]float32 // the sums that were set since
	all            []float32       // those of all chunks, changes included; nil until fill
	many           int             // number of files from which it pays to examine the best ones first
}

// newSums returns the sums of the rankers' scores; files holds their scores of files.
func newSums(r *search, files []float32, w weights) *sums {
	t := &sums{search: r, files: files, many: manyFiles, words: r.words.Doc, meaning: r.meaning, changed: make(map[int]float32, 2*r.poolSize())}
	if r.top.chunk > 0 {
		t.ofWords = float32(w.chunk) / r.top.chunk
	}
	if r.top.meaning > 0 {
		t.ofMeaning = float32(w.meaning) / r.top.meaning
	}
	if t.ofWords == 0 { // another list is multiplied by 0, so that the loops need no check
		t.words = t.meaning
	}
	if t.ofMeaning == 0 {
		t.meaning = t.words
	}
	return t
}

// release returns the buffer that fill borrowed.
func (t *sums) release() { t.s.Scratch().Return(t.all) }

// own returns the sum of a chunk's own scores.
func (t *sums) own(words, meaning float32) float32 {
	sum := positive(words) * t.ofWords
	sum += positive(meaning) * t.ofMeaning
	return sum
}

// ownTop returns the largest such sum among a file's chunks.
func (t *sums) ownTop(f indexer.ClassifiedFile) float32 {
	if len(t.words) == 0 {
		return 0
	}
	words := t.words[f.First:f.End]
	meaning := t.meaning[f.First:f.End][:len(words)] // of equal length: no bounds checks in the loop
	top := float32(0)
	for i, v := range words {
		if sum := t.own(v, meaning[i]); sum > top {
			top = sum
		}
	}
	return top
}

// shares tabulates such powers of the thousandths of 1, since pow is slow.
var shares = func() (out [1001]float32) {
	for i := range out {
		out[i] = float32(math.Pow(float64(i)/1000, fileShare))
	}
	return out
}()

// each calls yield for the sum of each of a file's chunks; top is the largest of their own sums. If
// no word of a file matched, its first chunk gets the file's whole score: a commit message or a
// path may name what the text does not.
func (t *sums) each(f indexer.ClassifiedFile, top float32, yield func(c chunkScore)) {
	factor, file := t.factorOf(f), t.files[f.File]
	if top < faint {
		yield(chunkScore{f.First, file * factor})
		return
	}
	scale := float32(len(shares)-1) / top
	for c := f.First; c < f.End; c++ {
		v := t.own(t.words[c], t.meaning[c])
		yield(chunkScore{c, (v + file*shares[min(int(v*scale), len(shares)-1)]) * factor}) // the share of 0 is 0
	}
}

func (t *sums) factorOf(f indexer.ClassifiedFile) float32 {
	return float32(t.req.classFactor(class(f.Class)))
}

func classify(path, language string) uint8 { return uint8(classOf(path, language)) }

// classOf returns the class of a file.
func (r *search) classOf(file int) class {
	c, _ := r.s.Class(file, classify)
	return class(c)
}

// at returns a chunk's sum, 0 for one of a file that may not be in the answer.
func (t *sums) at(chunk int) float32 {
	if t.all != nil {
		return t.all[chunk]
	}
	if v, ok := t.changed[chunk]; ok {
		return v
	}
	f, ok := t.classed(t.s.FileOf(chunk))
	if !ok {
		return 0
	}
	found := float32(0)
	t.each(f, t.ownTop(f), func(c chunkScore) {
		if c.chunk == chunk {
			found = c.score
		}
	})
	return found
}

// classed returns what visit yields for a file; false when the file may not be in the answer.
func (t *sums) classed(file int) (f indexer.ClassifiedFile, ok bool) {
	class, live := t.s.Class(file, classify)
	if !live || !t.keeps(file) {
		return f, false
	}
	first, end := t.s.FileChunks(file)
	return indexer.ClassifiedFile{File: file, First: first, End: end, Class: class}, first < end
}

// set replaces a chunk's sum.
func (t *sums) set(c chunkScore) {
	if t.all != nil {
		t.all[c.chunk] = c.score
		return
	}
	t.changed[c.chunk] = c.score
}

func (t *sums) add(chunk int, more float32) { t.set(chunkScore{chunk, t.at(chunk) + more}) }

// fill computes the sums of all chunks, for callers that change very many.
func (t *sums) fill() {
	all := t.s.Scratch().Floats(t.s.Chunks())
	t.visit(func(_ int, f indexer.ClassifiedFile) {
		t.each(f, t.ownTop(f), func(c chunkScore) { all[c.chunk] = c.score })
	})
	t.all = all
}

// visit calls yield for the files that may be in the answer, from several goroutines, each with its
// own worker number.
func (t *sums) visit(yield func(worker int, f indexer.ClassifiedFile)) {
	workers := runtime.GOMAXPROCS(0)
	if t.req.Keep != nil {
		workers = 1 // Keep need not be safe for concurrent use
	}
	t.s.Classes(workers, classify, func(worker int, f indexer.ClassifiedFile) {
		if f.First < f.End && (t.req.Keep == nil || t.req.Keep(t.s.Path(f.File), t.s.Language(f.File))) {
			yield(worker, f)
		}
	})
}

// best returns the n chunks of the largest sums above 0, in order.
func (t *sums) best(n int) []chunkScore {
	if t.all != nil {
		out := make([]chunkScore, 0, n)
		for _, c := range best(t.all, n) {
			out = append(out, chunkScore{c, t.all[c]})
		}
		return out
	}
	floor := t.firstFloor(n)
	lists := make([]shortlist, runtime.GOMAXPROCS(0))
	for i := range lists {
		lists[i] = shortlist{n: n, floor: floor}
	}
	most, unmatched := t.own(t.top.chunk, t.top.meaning), t.own(0, t.top.meaning) // no own sum is larger
	matched := t.search.words.Group
	if t.ofWords == 0 || len(matched) == 0 {
		most, matched = unmatched, t.files
	}
	t.visit(func(worker int, f indexer.ClassifiedFile) {
		list := &lists[worker]
		factor, file := t.factorOf(f), t.files[f.File]
		if (most+file)*factor < list.floor || matched[f.File] == 0 && (unmatched+file)*factor < list.floor {
			return
		}
		top := t.ownTop(f)
		if (top+file)*factor >= list.floor { // no share is larger than 1
			t.each(f, top, list.offer)
		}
	})
	all := shortlist{n: n}
	for _, l := range lists {
		all.list = append(all.list, l.list...)
	}
	all.cut()
	if len(all.list) == 0 || all.list[0].score < faint {
		return nil
	}
	for _, c := range all.list {
		t.set(c)
	}
	return all.list
}

// manyFiles is that number: finding the best files takes a scan of all of them.
const manyFiles = 4096

// firstFloor returns a lower bound of the n-th largest sum, 0 where that is not worth computing.
func (t *sums) firstFloor(n int) float32 {
	if len(t.files) < t.many {
		return 0
	}
	list := shortlist{n: n}
	for _, file := range best(t.files, n/2) {
		if f, ok := t.classed(file); ok {
			t.each(f, t.ownTop(f), list.offer)
		}
	}
	if list.cut(); len(list.list) < n {
		return 0
	}
	return list.list[n-1].score
}

// shortlist keeps the n best of the chunks offered to it.
type shortlist struct {
	n     int
	floor float32 // a chunk below it cannot come in, whatever else is offered
	list  []chunkScore
}

func (l *shortlist) offer(c chunkScore) {
	if c.score < l.floor || c.score <= 0 {
		return
	}
	if l.list = append(l.list, c); len(l.list) >= 2*l.n+256 {
		l.cut()
		l.floor = l.list[l.n-1].score
	}
}

// cut drops what is not among the best and sorts the others.
func (l *shortlist) cut() {
	slices.SortFunc(l.list, chunkScore.compare)
	l.list = l.list[:min(l.n, len(l.list))]
}
