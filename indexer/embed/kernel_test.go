package embed

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Every form of the kernel returns the same bits as the one in Go.
func TestKernelsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, lanes := range []int{8, 16, 24, 64, 72, 128, 208} {
		for _, rows := range []int{0, 1, 3, 4, 65, 300} {
			m := sparse{starts: []uint32{0}}
			for range rows {
				for range r.IntN(21) {
					m.index = append(m.index, uint32(r.IntN(50)))
					m.value = append(m.value, float32(r.NormFloat64()))
				}
				m.starts = append(m.starts, uint32(len(m.index)))
			}
			table := make([]int8, 50*lanes)
			for i := range table {
				table[i] = int8(r.IntN(255) - 127)
			}
			want := make([]float32, rows*lanes)
			foldGo(want, m.starts, m.index, m.value, table, lanes)
			for level := range bestLevel + 1 {
				got := make([]float32, rows*lanes)
				for i := range got {
					got[i] = 9 // what was there is overwritten
				}
				foldAt(level, got, m.starts, m.index, m.value, table, lanes)
				if !slices.Equal(got, want) {
					t.Errorf("level %d, %d rows of %d: differs from Go", level, rows, lanes)
				}
			}
		}
	}
}
