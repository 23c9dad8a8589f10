package embed

import (
	"context"
	"fmt"
	"sync"

	"github.com/contexture-dev/contexture/indexer/vector"
)

const (
	checkEvery = 1024 // terms read between two checks of the context
	blockRows  = 256  // rows of floats that stay in the cache, between two checks of the context
)

// frequencies holds frequency for every possible weight of a posting.
var frequencies = func() (table [256]float32) {
	for w := range table {
		table[w] = float32(frequency(float64(w)))
	}
	return table
}()

// sparse is a matrix by rows: row r has value[p] in column index[p] for p in [starts[r],
// starts[r+1]), columns ascending.
type sparse struct {
	starts []uint32
	index  []uint32
	value  []float32
}

// EmbedAll returns the vectors of all documents of src: Docs()×Dimensions() quantised components,
// row by row, equal to [vector.Quantize] of [Table.Embed] of each document, and zeros for a
// document without a known term. It reads the source twice and uses eight bytes per known posting
// while it runs; the result does not depend on the number of threads. begin, which may be nil, is
// called first by each goroutine that it starts. It returns ctx's error if ctx is done first.
func (t *Table) EmbedAll(ctx context.Context, src Source, threads int, begin func()) ([]int8, error) {
	list, err := t.postings(ctx, src)
	if err != nil {
		return nil, fmt.Errorf("embed documents: %w", err)
	}
	docs := src.Docs()
	out := make([]int8, docs*t.dims)
	threads = max(1, min(threads, 1+docs/blockRows))
	var group sync.WaitGroup
	for first := range threads {
		group.Go(func() {
			if begin != nil {
				begin()
			}
			floats := make([]float32, blockRows*t.dims)
			for from := first * blockRows; from < docs && ctx.Err() == nil; from += threads * blockRows {
				to := min(docs, from+blockRows)
				foldAt(bestLevel, floats[:(to-from)*t.dims], list.starts[from:to+1], list.index, list.value, t.rows, t.dims)
				for r := from; r < to; r++ {
					if row := floats[(r-from)*t.dims:][:t.dims]; normalise(row) {
						vector.Quantize(out[r*t.dims:][:t.dims], row)
					}
				}
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("embed documents: %w", err)
	}
	return out, nil
}

// postings transposes the source's lists: one row for each document, with its terms ascending.
func (t *Table) postings(ctx context.Context, src Source) (*sparse, error) {
	docs := src.Docs()
	s := &sparse{starts: make([]uint32, docs+2)}
	total := 0
	err := t.known(ctx, src, func(_ int, list []Posting) {
		for _, p := range list {
			s.starts[p.Doc+2]++
		}
		total += len(list)
	})
	if err != nil {
		return nil, err
	}
	// starts[d+2] counts, then starts[d+1] is where the next entry of document d goes.
	for d := 2; d < len(s.starts); d++ {
		s.starts[d] += s.starts[d-1]
	}
	s.index, s.value = make([]uint32, total), make([]float32, total)
	err = t.known(ctx, src, func(term int, list []Posting) {
		for _, p := range list {
			if at := &s.starts[p.Doc+1]; int(*at) < total {
				s.index[*at], s.value[*at] = uint32(term), frequencies[p.Weight]*t.coef[term]
				*at++
			}
		}
	})
	s.starts = s.starts[:docs+1]
	return s, err
}

// known calls do with the postings of each term of src that has a direction.
func (t *Table) known(ctx context.Context, src Source, do func(term int, list []Posting)) error {
	docs := src.Docs()
	var buf []Posting
	var err error
	n := 0
	src.Terms(func(term string, postings func([]Posting) []Posting) bool {
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return false
		}
		i, ok := t.find(term)
		if !ok {
			return true
		}
		buf = postings(buf[:0])
		for _, p := range buf {
			if int(p.Doc) >= docs {
				err = fmt.Errorf("term %q has document %d of %d", term, p.Doc, docs)
				return false
			}
		}
		do(i, buf)
		return true
	})
	if err != nil {
		return err
	}
	return ctx.Err()
}
