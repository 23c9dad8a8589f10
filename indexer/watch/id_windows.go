package watch

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// openFolder opens a folder to list it.
func openFolder(abs string) (*os.File, error) { return os.Open(abs) }

// idOf knows no identity: a folder that was replaced is told by its events alone.
func idOf(fs.FileInfo) fileID { return fileID{} }

// limitErrors are those of a system that has no more handles or memory to give.
var limitErrors = []error{
	windows.ERROR_TOO_MANY_OPEN_FILES, windows.ERROR_NOT_ENOUGH_MEMORY, windows.ERROR_NO_SYSTEM_RESOURCES,
}
