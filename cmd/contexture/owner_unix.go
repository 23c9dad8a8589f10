//go:build unix

package main

import (
	"io/fs"
	"syscall"
)

// ownerOf returns the user whose file it is; -1 where that cannot be told.
func ownerOf(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid)
	}
	return -1
}
