package embed

// The kernel in Go: the reference that the C forms must equal bit for bit, and the only form
// without cgo. Each product is converted before it is added, which prevents the compiler from
// fusing the two.

const laneStep = 8 // the length of a row is a multiple of it

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
