package source

import (
	"io/fs"
	"time"
)

// identityOf returns only the modification time: a folder listing on Windows has neither file
// numbers nor the change time, and reading them would require opening each file.
func identityOf(info fs.FileInfo) (dev, ino uint64, changed time.Time) {
	return 0, 0, info.ModTime()
}
