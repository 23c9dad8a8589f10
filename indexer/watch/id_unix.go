//go:build unix

package watch

import (
	"io/fs"
	"syscall"
)

// idOf returns what tells a file from another of the same name.
func idOf(info fs.FileInfo) fileID {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fileID{dev: uint64(st.Dev), ino: st.Ino}
	}
	return fileID{}
}
