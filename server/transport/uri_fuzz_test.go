package transport

import (
	"path"
	"strings"
	"testing"
)

// FuzzURI: a file's URI in any spelling gives a clean absolute path or none, and the path's own URI
// leads back to it.
func FuzzURI(f *testing.F) {
	for _, spelt := range []string{
		"file:///a/b.go", "file:///a%2Fb", "FILE:///a", "file://localhost/%FF", "file:/a", "file:///a/../b", "file:///a%2e%2e/%2E./b",
		"file:///100%", "file:///a%00b", "file:////a", "file:///C:/x", "file:///c%3A/x", "file://server/share", "file:///a?b#c", "untitled:a(b)",
		"file:///%25%32%46", "file:\\\\a", "file:///\xff", "file:///a\nb", "", ":", "file:", "file://[::1]/x", "file://%6Cocalhost/x", "file://LOCALHOST:1/x",
	} {
		f.Add(spelt, "/a b/ü.go")
	}
	f.Add("file:///x", "/\xff%41?#[]")
	f.Add("file:///x", "////x/../y")
	f.Add("file:///x", "relative")
	f.Fuzz(func(t *testing.T, spelt, named string) {
		if got, ok := filePath(spelt, false); ok {
			if !strings.HasPrefix(got, "/") || path.Clean(got) != got || strings.IndexByte(got, 0) >= 0 {
				t.Fatalf("%q is the path %q", spelt, got)
			}
			if again, ok := filePath(slashURI(got), false); !ok || again != got {
				t.Fatalf("%q is the path %q, whose URI %q is %q", spelt, got, slashURI(got), again)
			}
		}
		if DocumentKey(spelt) != DocumentKey(strings.Clone(spelt)) {
			t.Fatalf("%q is two documents", spelt)
		}
		if !strings.HasPrefix(named, "/") || strings.IndexByte(named, 0) >= 0 {
			slashURI(named)
			return
		}
		if got, ok := filePath(slashURI(named), false); !ok || got != path.Clean(named) {
			t.Fatalf("the path %q has the URI %q, which is %q", named, slashURI(named), got)
		}
	})
}
