package source

import (
	"path/filepath"
	"strings"
)

// isSameName reports whether two paths have the same name, regardless of case.
func isSameName(a, b string) bool { return strings.EqualFold(a, b) }

// isSpelledOnce reports whether no other name denotes the same file. Windows drops trailing dots
// and blanks, treats a backslash as a slash and the part after a colon as a stream of the file: a
// rule about a file would not match such a name.
func isSpelledOnce(rel string) bool {
	if rel == "." {
		return true
	}
	if strings.ContainsAny(rel, `\:`) || !filepath.IsLocal(filepath.FromSlash(rel)) {
		return false
	}
	for name := range strings.SplitSeq(rel, "/") {
		if strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
			return false
		}
	}
	return true
}
