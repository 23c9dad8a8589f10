//go:build unix

package indexer

import "golang.org/x/sys/unix"

// isReadable reports whether the permissions of a path allow reading it.
func isReadable(path string) bool { return unix.Access(path, unix.R_OK) == nil }
