//go:build !windows

package source

// isSameName reports whether two paths are the same by name.
func isSameName(a, b string) bool { return a == b }

// isSpelledOnce is true: a path has one spelling, or the file system tells which is its own.
func isSpelledOnce(string) bool { return true }
