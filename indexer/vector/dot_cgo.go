//go:build cgo

package vector

// #cgo CFLAGS: -O3
// #include "dot.h"
import "C"

import "unsafe"

// bestLevel is the widest form of the kernel that this processor supports, queried once at start.
var bestLevel = int(C.vector_level())

// dotAt runs one form of the kernel: level 0 is portable C (NEON on arm64), higher ones up to
// bestLevel need support by the processor. rows holds exactly len(out) rows of len(query), both not
// empty.
func dotAt(level int, rows, query []int8, out []int32) {
	C.vector_dot(C.int(level), (*C.int8_t)(unsafe.SliceData(rows)), C.size_t(len(out)), C.size_t(len(query)),
		(*C.int8_t)(unsafe.SliceData(query)), (*C.int32_t)(unsafe.SliceData(out)))
}
