//go:build cgo

package embed

// #cgo CFLAGS: -O2 -std=c11
// #include "kernel.h"
import "C"

import "unsafe"

// bestLevel is the widest form of the kernels that this processor supports.
var bestLevel = int(C.kernel_level())

func u32(s []uint32) *C.uint32_t      { return (*C.uint32_t)(unsafe.SliceData(s)) }
func f32(s []float32) *C.float        { return (*C.float)(unsafe.SliceData(s)) }
func rowsIn(starts []uint32) C.size_t { return C.size_t(len(starts) - 1) }

func gatherAt(level int, out []float32, starts, index []uint32, value, dense []float32, lanes int) {
	C.kernel_gather(C.int(level), f32(out), rowsIn(starts), u32(starts), u32(index), f32(value), f32(dense), C.size_t(lanes))
}

func foldAt(level int, out []float32, starts, index []uint32, value []float32, table []int8, lanes int) {
	C.kernel_fold(C.int(level), f32(out), rowsIn(starts), u32(starts), u32(index), f32(value),
		(*C.int8_t)(unsafe.SliceData(table)), C.size_t(lanes))
}

func gramAt(level int, g []float64, a []float32, lanes, first, step int) {
	C.kernel_gram(C.int(level), (*C.double)(unsafe.SliceData(g)), f32(a), C.size_t(len(a)/lanes), C.size_t(lanes),
		C.size_t(first), C.size_t(step))
}

func multiplyAt(level int, out, a []float32, n, la int, m []float32, lb int, scratch []float32) {
	C.kernel_multiply(C.int(level), f32(out), f32(a), C.size_t(n), C.size_t(la), f32(m), C.size_t(lb), f32(scratch))
}
