package embed

import (
	"context"
	"fmt"

	"github.com/contexture-dev/contexture/indexer/vector"
)

// EmbedAll returns the vectors of all documents of src: Docs()×Dimensions() quantised components,
// row by row, equal to [vector.Quantize] of [Model.Embed] of each document, and zeros for a
// document without a known term. It reads the source twice and uses eight bytes per known posting
// while it runs. It returns ctx's error if ctx is done first.
func (m *Model) EmbedAll(ctx context.Context, src Source, threads int) ([]int8, error) {
	t, err := m.postings(ctx, src)
	if err != nil {
		return nil, fmt.Errorf("embed documents: %w", err)
	}
	docs := t.rows()
	out := make([]int8, docs*m.dims)
	work := &worker{ctx: ctx, threads: max(1, threads), width: m.dims}
	work.each(docs, func(from, to int) {
		const step = 256 // rows of floats that stay in the cache
		floats := make([]float32, step*m.dims)
		for ; from < to; from += step {
			end := min(to, from+step)
			foldAt(bestLevel, floats[:(end-from)*m.dims], t.starts[from:end+1], t.index, t.value, m.rows, m.dims)
			for r := from; r < end; r++ {
				row := floats[(r-from)*m.dims:][:m.dims]
				if normalise(row) {
					vector.Quantize(out[r*m.dims:][:m.dims], row)
				}
			}
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("embed documents: %w", err)
	}
	return out, nil
}

// postings transposes the source's lists: one row for each document, with its terms ascending.
func (m *Model) postings(ctx context.Context, src Source) (*sparse, error) {
	docs := src.Docs()
	t := &sparse{starts: make([]uint32, docs+2), columns: len(m.ends)}
	var factors [256]float32
	for w := range factors {
		factors[w] = float32(frequencies[w])
	}
	total := 0
	err := m.known(ctx, src, func(_ int, list []Posting) {
		for _, p := range list {
			t.starts[p.Doc+2]++
		}
		total += len(list)
	})
	if err != nil {
		return nil, err
	}
	for d := 2; d < len(t.starts); d++ {
		t.starts[d] += t.starts[d-1]
	}
	t.index, t.value = make([]uint32, total), make([]float32, total)
	err = m.known(ctx, src, func(term int, list []Posting) {
		coef := m.coef[term]
		for _, p := range list {
			if at := &t.starts[p.Doc+1]; int(*at) < total {
				t.index[*at], t.value[*at] = uint32(term), factors[p.Weight]*coef
				*at++
			}
		}
	})
	t.starts = t.starts[:docs+1]
	return t, err
}

// known calls do with the postings of each term of src for which the model has a direction.
func (m *Model) known(ctx context.Context, src Source, do func(term int, list []Posting)) error {
	docs := src.Docs()
	at := cursor{m: m}
	var buf []Posting
	var err error
	n := 0
	src.Terms(func(term string, postings func([]Posting) []Posting) bool {
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return false
		}
		i, ok := at.find(term)
		if !ok || m.coef[i] == 0 {
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
