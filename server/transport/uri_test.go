package transport

import (
	"strings"
	"testing"

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
		if got, ok := filePath(uri, false); got != want || ok != (want != "") {
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
		if got := slashURI(path); got != want {
			t.Errorf("fileURI(%q) = %q, want %q", path, got, want)
		}
	}
	for _, path := range []string{"", "a", `C:\x`, "file:///a"} {
		if got, ok := filePath(slashURI(path), false); ok {
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
		if got, ok := filePath(slashURI(path), false); !ok || got != path {
			t.Fatalf("%q became %q by %s", path, got, slashURI(path))
		}
	})
}
