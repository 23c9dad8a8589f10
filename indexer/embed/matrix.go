package embed

import (
	"context"
	"math"
)

// sparse is a matrix by rows: row r has value[p] in column index[p] for p in [starts[r],
// starts[r+1]), columns ascending.
type sparse struct {
	starts  []uint32
	index   []uint32
	value   []float32
	columns int
}

func (m *sparse) rows() int { return len(m.starts) - 1 }

// sampleMatrix returns the weighted term × document matrix of the sample.
func sampleMatrix(ctx context.Context, src Source, spread sampling, chosen selection) (*sparse, error) {
	m := &sparse{
		starts:  make([]uint32, 1, len(chosen.terms)+1),
		index:   make([]uint32, 0, chosen.entries),
		value:   make([]float32, 0, chosen.entries),
		columns: int(spread.sample),
	}
	var buf []Posting
	next, n := 0, 0
	src.Terms(func(term string, postings func([]Posting) []Posting) bool {
		if n++; n%checkEvery == 0 && ctx.Err() != nil {
			return false
		}
		if next == len(chosen.terms) {
			return false
		}
		c := &chosen.terms[next]
		if term != c.text {
			return true
		}
		next++
		buf = postings(buf[:0])
		for _, p := range buf {
			if spread.has(p.Doc) && p.Weight > 0 {
				m.index = append(m.index, spread.column(p.Doc))
				m.value = append(m.value, float32(frequencies[p.Weight]*c.global))
			}
		}
		m.starts = append(m.starts, uint32(len(m.index)))
		return true
	})
	return m, ctx.Err()
}

// transposed returns the same matrix by columns.
func (m *sparse) transposed() *sparse {
	t := &sparse{
		starts:  make([]uint32, m.columns+2),
		index:   make([]uint32, len(m.index)),
		value:   make([]float32, len(m.value)),
		columns: m.rows(),
	}
	// starts[c+2] counts, then starts[c+1] is where the next entry of column c goes.
	for _, c := range m.index {
		t.starts[c+2]++
	}
	for c := 2; c < len(t.starts); c++ {
		t.starts[c] += t.starts[c-1]
	}
	for r := range m.rows() {
		for p := m.starts[r]; p < m.starts[r+1]; p++ {
			at := &t.starts[m.index[p]+1]
			t.index[*at], t.value[*at] = uint32(r), m.value[p]
			*at++
		}
	}
	t.starts = t.starts[:m.columns+1]
	return t
}

// scaleColumns divides every column by the given power of its length, so that long documents do not
// dominate the others.
func (m *sparse) scaleColumns(power float64) {
	squares := make([]float64, m.columns)
	for p, c := range m.index {
		squares[c] += float64(m.value[p]) * float64(m.value[p])
	}
	for c, s := range squares {
		if s > 0 {
			squares[c] = math.Pow(s, -power/2)
		}
	}
	for p, c := range m.index {
		m.value[p] = float32(float64(m.value[p]) * squares[c])
	}
}

// energy returns the sum of the squares of the entries, which is that of the singular values.
func (m *sparse) energy() float64 {
	sum := 0.0
	for _, x := range m.value {
		sum += float64(x) * float64(x)
	}
	return sum
}
