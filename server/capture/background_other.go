//go:build !linux

package capture

// background does nothing: a thread's priority is Linux's.
func background() {}
