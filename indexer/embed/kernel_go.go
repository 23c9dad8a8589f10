//go:build !cgo

package embed

const bestLevel = 0

func gatherAt(_ int, out []float32, starts, index []uint32, value, dense []float32, lanes int) {
	gatherGo(out, starts, index, value, dense, lanes)
}

func foldAt(_ int, out []float32, starts, index []uint32, value []float32, table []int8, lanes int) {
	foldGo(out, starts, index, value, table, lanes)
}

func gramAt(_ int, g []float64, a []float32, lanes, first, step int) {
	gramGo(g, a, lanes, first, step)
}

func multiplyAt(_ int, out, a []float32, n, la int, m []float32, lb int, scratch []float32) {
	multiplyGo(out, a, n, la, m, lb, scratch)
}
