//go:build unix && cgo

package mapped

// #include "guard.h"
import "C"

import (
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guarded reports whether missing pages are replaced by zeros; see guard.h.
var guarded = sync.OnceValue(func() bool { return C.guard_install() == 0 })

var guarding sync.Mutex // held while a mapping is put under guard

// place holds the content of a file.
type place struct {
	data []byte
	slot int // of the guard; -1 for memory of the process
}

// mapFile maps the first size bytes of a file; size must be positive. If a mapping cannot be
// guarded, it reads them instead.
func mapFile(file *os.File, size int) (place, error) {
	if !guarded() {
		return readFile(file, size)
	}
	data, err := unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return place{}, err
	}
	guarding.Lock()
	slot := int(C.guard_add(unsafe.Pointer(unsafe.SliceData(data)), C.size_t(size)))
	guarding.Unlock()
	if slot < 0 {
		_ = unix.Munmap(data) // it was mapped, so it can be unmapped
		return readFile(file, size)
	}
	return place{data, slot}, nil
}

func (p place) close() {
	if p.slot >= 0 {
		C.guard_remove(C.int(p.slot))
		_ = unix.Munmap(p.data) // as above
	}
}

func (p place) release() {
	if p.slot >= 0 {
		_ = unix.Madvise(p.data, unix.MADV_DONTNEED) // only advice: a system that ignores it does no harm
	}
}

func (p place) missing() bool { return p.slot >= 0 && C.guard_faults(C.int(p.slot)) > 0 }
