package embed

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func randomFloats(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// randomSparse returns a matrix with rows of 0 to 20 entries.
func randomSparse(r *rand.Rand, rows, columns int) *sparse {
	m := &sparse{starts: []uint32{0}, columns: columns}
	for range rows {
		for range r.IntN(21) {
			m.index = append(m.index, uint32(r.IntN(columns)))
			m.value = append(m.value, float32(r.NormFloat64()))
		}
		m.starts = append(m.starts, uint32(len(m.index)))
	}
	return m
}

// Every implementation of every kernel returns the same bits as the plain one in Go.
func TestKernelsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, lanes := range []int{8, 16, 24, 64, 72, 128, 208} {
		for _, rows := range []int{0, 1, 3, 4, 65, 300} {
			m := randomSparse(r, rows, 50)
			dense, table := randomFloats(r, 50*lanes), make([]int8, 50*lanes)
			for i := range table {
				table[i] = int8(r.IntN(255) - 127)
			}
			a, columns := randomFloats(r, rows*lanes), max(8, lanes/16*8)
			turn := randomFloats(r, lanes*columns)
			run := map[string]func(level int) []float32{
				"gather": func(level int) []float32 {
					out := randomFloats(r, rows*lanes)
					if level < 0 {
						gatherGo(out, m.starts, m.index, m.value, dense, lanes)
					} else {
						gatherAt(level, out, m.starts, m.index, m.value, dense, lanes)
					}
					return out
				},
				"fold": func(level int) []float32 {
					out := randomFloats(r, rows*lanes)
					if level < 0 {
						foldGo(out, m.starts, m.index, m.value, table, lanes)
					} else {
						foldAt(level, out, m.starts, m.index, m.value, table, lanes)
					}
					return out
				},
				"multiply": func(level int) []float32 {
					in, scratch := slices.Clone(a), make([]float32, multiplyBlock*columns)
					if level < 0 {
						multiplyGo(in, in, rows, lanes, turn, columns, scratch)
					} else {
						multiplyAt(level, in, in, rows, lanes, turn, columns, scratch)
					}
					return in[:rows*columns]
				},
			}
			for name, kernel := range run {
				want := kernel(-1)
				for level := range bestLevel + 1 {
					if got := kernel(level); !slices.Equal(got, want) {
						t.Errorf("%s, level %d, %d rows of %d: differs from Go", name, level, rows, lanes)
					}
				}
			}
			want := make([]float64, lanes*lanes)
			gramGo(want, a, lanes, 0, 1)
			for level := range bestLevel + 1 {
				got := make([]float64, lanes*lanes)
				for first := range 3 {
					gramAt(level, got, a, lanes, first, 3)
				}
				if !slices.Equal(got, want) {
					t.Errorf("gram, level %d, %d rows of %d: differs from Go", level, rows, lanes)
				}
			}
		}
	}
}
