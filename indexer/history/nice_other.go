//go:build !unix

package history

// lowerPriority does nothing: on this system a process cannot set the niceness of another.
func lowerPriority(int) {}
