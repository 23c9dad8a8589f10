//go:build !unix

package watch

import (
	"io/fs"
	"os"
)

// openFolder opens a folder to list it.
func openFolder(abs string) (*os.File, error) { return os.Open(abs) }

// idOf knows no identity here: a folder that was replaced is told by its events alone.
func idOf(fs.FileInfo) fileID { return fileID{} }
