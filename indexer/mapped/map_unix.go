//go:build unix

package mapped

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps the first size bytes of a file, which are more than none.
func mapFile(file *os.File, size int) (data []byte, unmap func([]byte), err error) {
	data, err = unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	return data, func(data []byte) { _ = unix.Munmap(data) }, err // it was mapped, so it can be unmapped
}

func release(data []byte) {
	_ = unix.Madvise(data, unix.MADV_DONTNEED) // advice: a system that does not take it goes on as before
}
