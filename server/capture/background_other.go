//go:build !linux

package capture

// background does nothing: only Linux has priorities of single threads.
func background() {}
