package embed

import (
	"context"
	"math"
	"sync"
)

const (
	oversampling    = 16   // columns of the test matrix beyond those wanted
	powerIterations = 1    // each sharpens the spectrum by two powers
	topicGap        = 0.75 // relative to the singular value before: a steeper fall ends the topics
	rankTolerance   = 1e-5 // of the largest singular value: smaller ones are rounding errors of float32
	blockRows       = 2048 // rows per kernel call, between two checks of the context
)

// leftSingular returns the dims largest singular values of m, descending, and its left singular
// vectors, each times the value to the power −alpha: rows() rows of dims. Both are zero beyond
// [topics].
//
// It iterates on the documents' side: z = mᵀ·test is orthonormalised, multiplied by m and mᵀ, and
// orthonormalised again; then b = m·z has m's leading left singular vectors, which are computed
// from b's Gram matrix, as wide as z.
func leftSingular(ctx context.Context, m *sparse, dims int, alpha float64, opts Options) ([]float32, []float64, error) {
	width := (dims + oversampling + laneStep - 1) / laneStep * laneStep
	work := &worker{ctx: ctx, threads: opts.Threads, width: width, begin: opts.Begin}
	t := m.transposed()
	left := make([]float32, m.rows()*width)
	right := make([]float32, m.columns*width)
	signs(left, opts.Seed)
	for range powerIterations {
		work.gather(right, t, left)
		work.orthonormalise(right)
		work.gather(left, m, right)
	}
	work.gather(right, t, left)
	work.orthonormalise(right)
	work.orthonormalise(right) // twice: the first pass is only as exact as float32 and the condition number allow
	work.gather(left, m, right)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	values, vectors := work.spectrum(left)
	sigma := make([]float64, dims)
	turn := make([]float32, width*dims)
	for k := range sigma {
		sigma[k] = math.Sqrt(max(0, values[width-1-k])) // descending
	}
	clear(sigma[topics(sigma, m.energy()):])
	for k, s := range sigma {
		if s == 0 {
			break
		}
		from := width - 1 - k
		// left·vector is sigma times the singular vector.
		scale := math.Pow(s, -1-alpha)
		for i := range width {
			turn[i*dims+k] = float32(vectors[from*width+i] * scale)
		}
	}
	work.multiply(left, turn, dims)
	return left[:m.rows()*dims], sigma, ctx.Err()
}

// topics returns the number of singular values, descending, that deserve a direction: up to the
// rank, or to a gap beyond which less than half of the matrix's energy, its sum of squares,
// remains. The spectrum of real code falls smoothly and slowly. Such a gap indicates a small corpus
// of a few distinct topics: the directions beyond it only distinguish wordings of one topic, and
// would separate synonyms.
func topics(sigma []float64, energy float64) int {
	before := 0.0
	for k, s := range sigma {
		// The first value is what all documents share: the fall after it has no meaning.
		gap := k >= 2 && s < topicGap*sigma[k-1] && before >= energy/2
		if gap || s <= rankTolerance*sigma[0] {
			return k
		}
		before += s * s
	}
	return len(sigma)
}

// signs fills m with ±1 from the generator SplitMix64 (Steele, Lea and Flood 2014).
func signs(m []float32, seed uint64) {
	for i := 0; i < len(m); i += 64 {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		for j := range m[i:min(i+64, len(m))] {
			m[i+j] = float32(int64(z>>j&1)*2 - 1)
		}
	}
}

// worker runs the kernels over blocks of rows on several threads. A block's result does not depend
// on the others', so the number of threads does not affect the result. After ctx is done its
// methods return early and leave undefined results.
type worker struct {
	ctx     context.Context
	threads int
	width   int
	begin   func() // see Options.Begin; nil for none
}

// start runs do on a new goroutine.
func (w *worker) start(group *sync.WaitGroup, do func()) {
	group.Go(func() {
		if w.begin != nil {
			w.begin()
		}
		do()
	})
}

// each calls do for blocks of n rows and waits for all.
func (w *worker) each(n int, do func(from, to int)) {
	var group sync.WaitGroup
	blocks := (n + blockRows - 1) / blockRows
	threads := min(w.threads, blocks)
	for first := range threads {
		w.start(&group, func() {
			for b := first; b < blocks && w.ctx.Err() == nil; b += threads {
				do(b*blockRows, min(n, (b+1)*blockRows))
			}
		})
	}
	group.Wait()
}

// gather computes out = m·dense.
func (w *worker) gather(out []float32, m *sparse, dense []float32) {
	w.each(m.rows(), func(from, to int) {
		gatherAt(bestLevel, out[from*w.width:to*w.width], m.starts[from:to+1], m.index, m.value, dense, w.width)
	})
}

// multiply replaces each row of a by its product with m, which has columns columns, and packs the
// rows.
func (w *worker) multiply(a, m []float32, columns int) {
	rows := len(a) / w.width
	if columns == w.width {
		w.each(rows, func(from, to int) {
			part := a[from*w.width : to*w.width]
			multiplyAt(bestLevel, part, part, to-from, w.width, m, columns, make([]float32, multiplyBlock*columns))
		})
		return
	}
	// Rows move forward, over those of an earlier block: use one thread, in order.
	scratch := make([]float32, multiplyBlock*columns)
	for from := 0; from < rows && w.ctx.Err() == nil; from += blockRows {
		to := min(rows, from+blockRows)
		multiplyAt(bestLevel, a[from*columns:], a[from*w.width:], to-from, w.width, m, columns, scratch)
	}
}

// spectrum returns the eigenvalues, ascending, and eigenvectors, by rows, of aᵀ·a.
func (w *worker) spectrum(a []float32) (values, vectors []float64) {
	n := w.width
	gram := make([]float64, n*n)
	strips := n / 4
	threads := min(w.threads, strips)
	var group sync.WaitGroup
	for first := range threads {
		w.start(&group, func() {
			for from := 0; from < len(a) && w.ctx.Err() == nil; from += blockRows * n {
				gramAt(bestLevel, gram, a[from:min(len(a), from+blockRows*n)], n, first, threads)
			}
		})
	}
	group.Wait()
	for i := range n {
		for j := range i {
			gram[i*n+j] = gram[j*n+i]
		}
	}
	return symmetricEigen(gram, n), gram
}

// orthonormalise replaces the columns of a by an orthonormal basis of their span, in ascending
// order of weight, and by zeros for lacking rank. It whitens by the Gram matrix's eigenvectors,
// which, unlike a Cholesky factor, exist for any rank.
func (w *worker) orthonormalise(a []float32) {
	values, vectors := w.spectrum(a)
	if w.ctx.Err() != nil {
		return
	}
	n := w.width
	turn := make([]float32, n*n)
	for k, value := range values {
		if value <= 0 || math.Sqrt(value) <= rankTolerance*math.Sqrt(values[n-1]) {
			continue
		}
		scale := 1 / math.Sqrt(value)
		for i := range n {
			turn[i*n+k] = float32(vectors[k*n+i] * scale)
		}
	}
	w.multiply(a, turn, n)
}
