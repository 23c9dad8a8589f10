package server

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"
)

// globs are patterns over paths relative to a root. One that matches a folder stands for all below it, as in
// index.exclude.
type globs []string

// newGlobs takes patterns that have been checked; a leading "/" or "./" and a trailing "/" change nothing. The normal
// form of a pattern and of a path does not matter.
func newGlobs(patterns []string) globs {
	var out globs
	for _, p := range patterns {
		p = norm.NFC.String(p)
		p = strings.TrimPrefix(strings.TrimPrefix(p, "./"), "/")
		if p = strings.TrimSuffix(p, "/"); p != "" {
			out = append(out, p)
		}
	}
	return out
}

func (g globs) match(path string) bool {
	if len(g) > 0 {
		path = norm.NFC.String(path)
	}
	for _, pattern := range g {
		for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '/') {
			if doublestar.MatchUnvalidated(pattern, path[:end]) {
				return true
			}
		}
	}
	return false
}
