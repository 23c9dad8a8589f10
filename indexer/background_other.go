//go:build !linux

package indexer

// background does nothing where priorities are those of whole processes.
func background() {}
