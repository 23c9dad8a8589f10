package source

import (
	"path/filepath"
	"strings"
)

// isSameName reports whether two paths are the same by name. Case does not count.
func isSameName(a, b string) bool { return strings.EqualFold(a, b) }

// isSpelledOnce reports whether no other name means the file. Windows drops dots and blanks at the
// end of a name, takes a backslash for a slash and what follows a colon for a stream of the file:
// by such a name, a rule about a file would not be found.
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
