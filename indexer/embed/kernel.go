package embed

// The kernels in Go: the reference that the C forms must equal bit for bit, and the only form
// without cgo. Each product is converted before it is added, which prevents the compiler from
// fusing the two.

const (
	laneStep      = 8   // rows are padded to multiples of it
	gramBlock     = 256 // rows summed in float32 before they join the float64 sums
	multiplyBlock = 64  // rows of scratch
)

func gatherGo(out []float32, starts, index []uint32, value, dense []float32, lanes int) {
	for r := range len(starts) - 1 {
		row := out[r*lanes:][:lanes]
		clear(row)
		for p := starts[r]; p < starts[r+1]; p++ {
			w := value[p]
			for j, x := range dense[int(index[p])*lanes:][:lanes] {
				row[j] += float32(w * x)
			}
		}
	}
}

func foldGo(out []float32, starts, index []uint32, value []float32, table []int8, lanes int) {
	for r := range len(starts) - 1 {
		row := out[r*lanes:][:lanes]
		clear(row)
		for p := starts[r]; p < starts[r+1]; p++ {
			w := value[p]
			for j, x := range table[int(index[p])*lanes:][:lanes] {
				row[j] += float32(w * float32(x))
			}
		}
	}
}

func gramGo(g []float64, a []float32, lanes, first, step int) {
	var sums []float32
	for len(a) > 0 {
		block := a[:min(len(a), gramBlock*lanes)]
		a = a[len(block):]
		for strip := 4 * first; strip < lanes; strip += 4 * step {
			from := strip &^ 7
			for i := strip; i < strip+4; i++ {
				sums = append(sums[:0], make([]float32, lanes-from)...)
				for r := 0; r < len(block); r += lanes {
					c := block[r+i]
					for j, x := range block[r+from : r+lanes] {
						sums[j] += float32(c * x)
					}
				}
				for j, s := range sums {
					g[i*lanes+from+j] += float64(s)
				}
			}
		}
	}
}

func multiplyGo(out, a []float32, n, la int, m []float32, lb int, scratch []float32) {
	for r := range n {
		row := scratch[:lb]
		clear(row)
		for i, c := range a[r*la:][:la] {
			for j, x := range m[i*lb:][:lb] {
				row[j] += float32(c * x)
			}
		}
		copy(out[r*lb:], row)
	}
}
