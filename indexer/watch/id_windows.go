package watch

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// openFolder opens a folder to list it.
func openFolder(abs string) (*os.File, error) { return os.Open(abs) }

// mayEnter reports whether the permissions of a folder allow listing it.
func mayEnter(abs string) bool {
	d, err := os.Open(abs)
	if err == nil {
		err = d.Close()
	}
	return !errors.Is(err, fs.ErrPermission)
}

// idOf returns no identity: a replaced folder is detected by its events alone.
func idOf(fs.FileInfo) fileID { return fileID{} }

// limitErrors are the errors of a system that has run out of handles or memory.
var limitErrors = []error{
	windows.ERROR_TOO_MANY_OPEN_FILES, windows.ERROR_NOT_ENOUGH_MEMORY, windows.ERROR_NO_SYSTEM_RESOURCES,
}
