package server

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestFilePath(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///a/b.go":                  "/a/b.go",
		"file:///a%2Fb":                   "/a/b",
		"file:///a%20b/%C3%BC.go":         "/a b/ü.go",
		"file:///a b/ü.go":                "/a b/ü.go",
		"FILE:///a":                       "/a",
		"file://localhost/a":              "/a",
		"file:/a":                         "/a",
		"file:///a/":                      "/a",
		"file:///a/../b":                  "/b",
		"file:///a%3Fb%23c":               "/a?b#c",
		"file:///a#L3":                    "/a",
		"file:///100%":                    "/100%",
		"file:///a%2":                     "/a%2",
		"file:///c%3A/x":                  "/c:/x",
		"file:///a%0Ab":                   "/a\nb",
		"file:///%FF":                     "/\xff",
		"file:///%FF%41/%2541":            "/\xffA/%41",
		"file:///C%3A/x":                  "/C:/x",
		"file:///C:/x":                    "/C:/x",
		"file:////a":                      "/a",
		"file:///a%20b%":                  "/a b%",
		"file:///%41?%FF#%FF":             "/A",
		"file://LocalHost/%FF?x":          "/\xff",
		"file://localhost":                "",
		"file:///x%00%FF":                 "",
		"file://server/share":             "",
		"file://":                         "",
		"file:":                           "",
		"file:a":                          "",
		"file:///a%00b":                   "",
		"untitled:Untitled-1":             "",
		"http://localhost/a":              "",
		"vscode-notebook-cell:///a.ipynb": "",
		"/a":                              "",
		"":                                "",
	} {
		if got, ok := filePath(uri); got != want || ok != (want != "") {
			t.Errorf("filePath(%q) = %q, %t; want %q", uri, got, ok, want)
		}
	}
}

func TestFileURI(t *testing.T) {
	for path, want := range map[string]string{
		"/": "file:///", "/a b/ü.go": "file:///a%20b/%C3%BC.go", "/\xff": "file:///%FF", "/%41": "file:///%2541", "/a?b#c": "file:///a%3Fb%23c",
		"/C:/x": "file:///C%3A/x", "/c:/x": "file:///c%3A/x", "/C:": "file:///C%3A", "/a/C:/x": "file:///a/C%3A/x", "//server/x": "file:///server/x",
		"////x": "file:///x", "/@types/a+b(c).ts": "file:///%40types/a%2Bb%28c%29.ts",
	} {
		if got := fileURI(path); got != want {
			t.Errorf("fileURI(%q) = %q, want %q", path, got, want)
		}
	}
	for _, path := range []string{"", "a", `C:\x`, "file:///a"} {
		if got, ok := filePath(fileURI(path)); ok {
			t.Errorf("%q is not absolute and became %q", path, got)
		}
	}
}

func TestURIRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SliceOfN(rapid.ByteRange(1, 255), 1, 40).Draw(t, "name")
		path := "/" + strings.ReplaceAll(string(name), "/", "_")
		if path == "/." || path == "/.." {
			return
		}
		if got, ok := filePath(fileURI(path)); !ok || got != path {
			t.Fatalf("%q became %q by %s", path, got, fileURI(path))
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
