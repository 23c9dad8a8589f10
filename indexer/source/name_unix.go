//go:build !windows

package source

// isSameName reports whether two paths have the same name.
func isSameName(a, b string) bool { return a == b }

// isSpelledOnce returns true: a path has one spelling, or the file system resolves the others.
func isSpelledOnce(string) bool { return true }
