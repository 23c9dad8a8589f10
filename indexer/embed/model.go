package embed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"sort"
)

// Model converts terms into vectors. It is immutable and safe for concurrent use.
type Model struct {
	dims    int
	docs    int
	missing float32 // share of the mass that was left out of training: the zero of Drift

	// The terms ascend: text[ends[i-1]:ends[i]] is term i, its vector is coef[i] times row i of
	// rows, where coef holds the term's global weight too.
	text   string
	ends   []uint32
	coef   []float32
	rows   []int8
	digest string
}

// newModel quantises the terms' vectors, row by row: with one byte per component the ranking loses
// nothing measurable, and memory and time to embed fall to a quarter.
func newModel(chosen selection, docs, dims int, vectors []float32) (*Model, error) {
	n := len(chosen.terms)
	m := &Model{
		dims: dims, docs: docs, missing: float32(chosen.missing),
		ends: make([]uint32, n), coef: make([]float32, n), rows: make([]int8, n*dims),
	}
	size := 0
	for _, c := range chosen.terms {
		size += len(c.text)
	}
	if uint64(size) > math.MaxUint32 {
		return nil, fmt.Errorf("train: the terms together are %d bytes long", size)
	}
	text := make([]byte, 0, size)
	for i, c := range chosen.terms {
		text = append(text, c.text...)
		m.ends[i] = uint32(len(text))
		row := vectors[i*dims:][:dims]
		var peak float32
		for _, x := range row {
			peak = max(peak, x, -x)
		}
		if peak == 0 || math.IsNaN(float64(peak)) || math.IsInf(float64(peak), 0) {
			continue // a term without a direction
		}
		for j, x := range row {
			m.rows[i*dims+j] = int8(math.RoundToEven(float64(x) / float64(peak) * 127))
		}
		m.coef[i] = float32(float64(peak) / 127 * c.global)
	}
	m.text = string(text)
	sum := sha256.Sum256(m.content())
	m.digest = hex.EncodeToString(sum[:])
	return m, nil
}

// Dimensions returns the length of a vector: a multiple of 8, and of 32 from 32 on.
func (m *Model) Dimensions() int { return m.dims }

// Digest identifies the content, in hex: models with equal digests return equal vectors.
func (m *Model) Digest() string { return m.digest }

// Docs returns the number of documents of the training corpus.
func (m *Model) Docs() int { return m.docs }

// Terms returns the number of terms in the model.
func (m *Model) Terms() int { return len(m.ends) }

func (m *Model) term(i int) string {
	from := uint32(0)
	if i > 0 {
		from = m.ends[i-1]
	}
	return m.text[from:m.ends[i]]
}

// cursor finds ascending terms in one pass, and others by search.
type cursor struct {
	m    *Model
	next int
}

func (c *cursor) find(term string) (index int, ok bool) {
	n := len(c.m.ends)
	if c.next > 0 && c.m.term(c.next-1) >= term {
		c.next = sort.Search(n, func(i int) bool { return c.m.term(i) >= term })
	}
	for c.next < n && c.m.term(c.next) < term {
		c.next++
	}
	if c.next == n || c.m.term(c.next) != term {
		return 0, false
	}
	c.next++
	return c.next - 1, true
}

// Embed returns the vector of a text, of unit length, or nil if the model has none of its terms. It
// does not keep terms. The order of terms does not matter.
func (m *Model) Embed(terms []Term) []float32 {
	type known struct {
		index  uint32
		weight float64
	}
	found := make([]known, 0, len(terms))
	for _, t := range terms {
		if !(t.Weight > 0) || math.IsInf(t.Weight, 0) {
			continue
		}
		at := sort.Search(len(m.ends), func(i int) bool { return m.term(i) >= t.Text })
		if at < len(m.ends) && m.term(at) == t.Text && m.coef[at] != 0 {
			found = append(found, known{uint32(at), t.Weight})
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, func(a, b known) int {
		if a.index != b.index {
			return int(a.index) - int(b.index)
		}
		switch { // floating-point sums depend on their order
		case a.weight < b.weight:
			return -1
		case a.weight > b.weight:
			return 1
		}
		return 0
	})
	index, value := make([]uint32, 0, len(found)), make([]float32, 0, len(found))
	for i := 0; i < len(found); {
		weight, at := 0.0, found[i].index
		for ; i < len(found) && found[i].index == at; i++ {
			weight += found[i].weight
		}
		index = append(index, at)
		value = append(value, float32(frequency(weight))*m.coef[at])
	}
	out := make([]float32, m.dims)
	foldAt(bestLevel, out, []uint32{0, uint32(len(index))}, index, value, m.rows, m.dims)
	if !normalise(out) {
		return nil
	}
	return out
}

// normalise scales v to unit length, or reports false if v has no direction.
func normalise(v []float32) bool {
	var squares float64
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	if squares == 0 || math.IsInf(squares, 0) || math.IsNaN(squares) {
		return false
	}
	scale := 1 / math.Sqrt(squares)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return true
}
