//go:build !linux

package indexer

// background does nothing on systems whose priorities belong to whole processes.
func background() {}
