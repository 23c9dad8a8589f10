//go:build unix

package main

import "golang.org/x/sys/unix"

// freeSpace returns the number of bytes that this user may still write to the file system of dir.
func freeSpace(dir string) (bytes int64, ok bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}
