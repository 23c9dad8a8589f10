//go:build unix

package watch

import (
	"io/fs"
	"os"
	"syscall"
)

// openFolder opens a folder to list it, and nothing else: a pipe that took its place would be
// waited for.
func openFolder(abs string) (*os.File, error) {
	return os.OpenFile(abs, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
}

// idOf returns what tells a file from another of the same name.
func idOf(info fs.FileInfo) fileID {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fileID{dev: uint64(st.Dev), ino: st.Ino}
	}
	return fileID{}
}

// limitErrors are those of a system that has no more watches, descriptors or memory to give.
var limitErrors = []error{syscall.ENOSPC, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}
