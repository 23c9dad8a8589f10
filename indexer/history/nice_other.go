//go:build !unix

package history

// lowerPriority does nothing here: the system has no niceness that one process sets for another.
func lowerPriority(int) {}
