package server

import (
	"testing"

	"github.com/bmatcuk/doublestar/v4"
)

// FuzzGlobs: a client's patterns over paths end in good time, and one that matches a folder matches what is in it.
func FuzzGlobs(f *testing.F) {
	f.Add("**/*.go", "a/b.go")
	f.Add("./a/", "a/b/c")
	f.Add("{a,{b,c}}/**", "b/x")
	f.Add("[^a-c]?\\*", "d")
	f.Add("**/**/**/**/x", "a/a/a/a/a/a/a/a/y")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 100 || len(path) > 100 || !doublestar.ValidatePattern(pattern) {
			return
		}
		g := newGlobs([]string{pattern})
		if path != "" && path[len(path)-1] != '/' && g.match(path) && !g.match(path+"/below") {
			t.Fatalf("%q matches %q and not what is below", pattern, path)
		}
	})
}
