package server

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// FuzzGlobs checks that matching a client's patterns ends in time, and that a pattern that matches
// a folder matches its content.
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

func TestSnippet(t *testing.T) {
	long := strings.Repeat("nothing here at all\n", 40) + "func retryBackoff() {\n\treturn backoff\n}\n" + strings.Repeat("nor here\n", 40)
	got, first := newSnipper("where is the retry backoff?").cut(long)
	if lines := strings.Split(long, "\n"); lines[first] != strings.Split(got, "\n")[0] || first == 0 {
		t.Errorf("the snippet begins with line %d of the text", first)
	}
	if !strings.Contains(got, "retryBackoff") || len(got) > snippetBytes || strings.Count(got, "\n") >= snippetLines {
		t.Errorf("the snippet is %q", got)
	}
	for _, text := range []string{"", "short", strings.Repeat("é", 2*snippetBytes), strings.Repeat("x\n", 500)} {
		if got, _ := newSnipper("x").cut(text); len(got) > snippetBytes || !utf8.ValidString(got) || text != "" && got == "" {
			t.Errorf("%d bytes of %.10q are cut to %d bytes", len(text), text, len(got))
		}
	}
}

func TestGlobs(t *testing.T) {
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"vendor", "vendor/a/b.go", true}, {"vendor/", "vendor/a.go", true}, {"/vendor", "vendor/a.go", true}, {"./vendor/**", "vendor/a.go", true},
		{"vendor", "x/vendor/a.go", false}, {"**/vendor", "x/vendor/a.go", true}, {"*.go", "a.go", true}, {"*.go", "x/a.go", false},
		{"**/*.{go,md}", "x/y/a.md", true}, {"a?.go", "ab.go", true}, {"[ab].go", "c.go", false}, {"", "a.go", false},
	} {
		if got := newGlobs([]string{tt.pattern}).match(tt.path); got != tt.want {
			t.Errorf("%q matches %q: %t", tt.pattern, tt.path, got)
		}
	}
}
