//go:build !unix || !cgo

package mapped

import "os"

// place is where the content of a file lies.
type place struct {
	data []byte
	slot int
}

// mapFile reads the file. Windows removes or replaces no file that is mapped, which the index must
// be able to; and without cgo nothing would guard a mapping against a file that another program
// cuts.
func mapFile(file *os.File, size int) (place, error) { return readFile(file, size) }

func (place) close()        {}
func (place) release()      {}
func (place) missing() bool { return false }
