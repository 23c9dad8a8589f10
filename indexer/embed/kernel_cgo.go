//go:build cgo

package embed

// #cgo CFLAGS: -O2 -std=c11
// #include "kernel.h"
import "C"

import "unsafe"

// bestLevel is the widest form of the kernel that this processor supports.
var bestLevel = int(C.kernel_level())

func u32(s []uint32) *C.uint32_t      { return (*C.uint32_t)(unsafe.SliceData(s)) }
func f32(s []float32) *C.float        { return (*C.float)(unsafe.SliceData(s)) }
func rowsIn(starts []uint32) C.size_t { return C.size_t(len(starts) - 1) }

func foldAt(level int, out []float32, starts, index []uint32, value []float32, table []int8, lanes int) {
	C.kernel_fold(C.int(level), f32(out), rowsIn(starts), u32(starts), u32(index), f32(value),
		(*C.int8_t)(unsafe.SliceData(table)), C.size_t(lanes))
}
