//go:build unix

package main

import "golang.org/x/sys/unix"

// freeSpace returns the bytes that this user may still write where dir is.
func freeSpace(dir string) (bytes int64, ok bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}
