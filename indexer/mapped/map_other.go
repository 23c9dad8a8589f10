//go:build !unix

package mapped

import (
	"io"
	"os"
)

// mapFile reads the file: this system removes or replaces no file that is mapped, which the index must be able to.
func mapFile(file *os.File, size int) (data []byte, unmap func([]byte), err error) {
	words := make([]uint64, (size+7)/8) // aligned for every record
	data = Bytes(words)[:size]
	_, err = io.ReadFull(io.NewSectionReader(file, 0, int64(size)), data)
	return data, func([]byte) {}, err
}

func release([]byte) {}
