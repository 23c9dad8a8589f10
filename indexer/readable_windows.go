package indexer

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// isReadable reports whether the permissions of a path allow reading it. A file that another
// program has open for itself alone is readable: it will be closed.
func isReadable(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION)
	}
	_ = f.Close() // nothing was read
	return true
}
