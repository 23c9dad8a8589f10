//go:build darwin || freebsd || netbsd

package source

import (
	"io/fs"
	"syscall"
	"time"
)

// identityOf returns the file system, the number and the time of change of a file.
func identityOf(info fs.FileInfo) (dev, ino uint64, changed time.Time) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, info.ModTime()
	}
	return uint64(st.Dev), uint64(st.Ino), time.Unix(st.Ctimespec.Unix()) //nolint:unconvert // widths differ by system
}
