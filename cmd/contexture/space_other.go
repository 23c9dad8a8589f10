//go:build !unix && !windows

package main

// freeSpace does not tell on this system.
func freeSpace(string) (bytes int64, ok bool) { return 0, false }
