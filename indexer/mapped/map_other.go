//go:build !unix || !cgo

package mapped

import "os"

// place holds the content of a file.
type place struct {
	data []byte
	slot int
}

// mapFile reads the file into memory. Windows cannot remove or replace a mapped file, which the
// index needs to do; and without cgo nothing would protect a mapping against a file that another
// program truncates.
func mapFile(file *os.File, size int) (place, error) { return readFile(file, size) }

func (place) close()        {}
func (place) release()      {}
func (place) missing() bool { return false }
