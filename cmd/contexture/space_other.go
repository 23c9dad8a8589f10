//go:build !unix && !windows

package main

// freeSpace reports false: the free space is unknown on this system.
func freeSpace(string) (bytes int64, ok bool) { return 0, false }
