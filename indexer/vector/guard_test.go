//go:build unix

package vector

import (
	"slices"
	"syscall"
	"testing"
	"unsafe"
)

// guarded returns n bytes that end at the start of a page without access: a read past the end kills
// the test binary.
func guarded(t *testing.T, n int) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	size := (n + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(mem); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mprotect(mem[size:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return mem[size-n : size : size]
}

func TestDotStaysInsideItsSlices(t *testing.T) {
	for _, dims := range []int{1, 5, 16, 31, 32, 33, 63, 64, 65, 96, 191, 192} {
		for n := 1; n <= 9; n++ {
			raw, rawQuery, rawOut := guarded(t, n*dims), guarded(t, dims), guarded(t, 4*n)
			rows := unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(raw))), n*dims)
			query := unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(rawQuery))), dims)
			out := unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(rawOut))), n)
			for i := range rows {
				rows[i] = int8(i*37 + 11)
			}
			for i := range query {
				query[i] = int8(i*91 - 5)
			}
			want := naiveDot(rows, dims, query)
			for level := 0; level <= bestLevel; level++ {
				clear(out)
				dotAt(level, rows, query, out)
				if !slices.Equal(out, want) {
					t.Fatalf("level %d, %d rows of %d: got %v, want %v", level, n, dims, out, want)
				}
			}
		}
	}
}
