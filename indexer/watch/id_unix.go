//go:build unix

package watch

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFolder opens a folder to list it. It fails for other types: opening a pipe in its place would
// block.
func openFolder(abs string) (*os.File, error) {
	return os.OpenFile(abs, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
}

// mayEnter reports whether the permissions of a folder allow listing it and reading what it holds.
func mayEnter(abs string) bool { return unix.Access(abs, unix.R_OK|unix.X_OK) != unix.EACCES }

// idOf returns the identity that distinguishes a file from another of the same name.
func idOf(info fs.FileInfo) fileID {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return fileID{dev: uint64(st.Dev), ino: st.Ino}
	}
	return fileID{}
}

// limitErrors are the errors of a system that has run out of watches, descriptors or memory.
var limitErrors = []error{syscall.ENOSPC, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}
