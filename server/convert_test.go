package server

import (
	"strings"
	"testing"
	"unicode/utf16"
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

func TestOffsets(t *testing.T) {
	const line = "aé𝄞z"
	for _, tt := range []struct {
		e          encoding
		char, want int
	}{
		{utf16Units, 0, 0}, {utf16Units, 1, 1}, {utf16Units, 2, 3}, {utf16Units, 3, 3}, {utf16Units, 4, 7}, {utf16Units, 5, 8}, {utf16Units, 99, 8},
		{utf8Units, 0, 0}, {utf8Units, 1, 1}, {utf8Units, 2, 1}, {utf8Units, 3, 3}, {utf8Units, 5, 3}, {utf8Units, 7, 7}, {utf8Units, 99, 8},
		{utf16Units, -1, 0}, {utf8Units, -1, 0},
	} {
		if got := tt.e.offset(line, tt.char); got != tt.want {
			t.Errorf("%s: character %d is byte %d, want %d", tt.e, tt.char, got, tt.want)
		}
	}
	if utf16Units.units(line) != 5 || utf8Units.units(line) != len(line) {
		t.Errorf("the line has %d and %d units", utf16Units.units(line), utf8Units.units(line))
	}
}

func TestApply(t *testing.T) {
	at := func(l, c, m, d int, text string) textChange {
		return textChange{Range: &textRange{textPosition{l, c}, textPosition{m, d}}, Text: text}
	}
	for _, tt := range []struct {
		name, before string
		change       textChange
		want         string
	}{
		{"whole", "abc", textChange{Text: "x"}, "x"},
		{"insert", "abc", at(0, 1, 0, 1, "X"), "aXbc"},
		{"into nothing", "", at(0, 0, 0, 0, "X"), "X"},
		{"delete a line", "a\nb\nc", at(1, 0, 2, 0, ""), "a\nc"},
		{"across lines", "ab\ncd\nef", at(0, 1, 2, 1, "-"), "a-f"},
		{"CRLF counts as one break", "a\r\nb\r\nc", at(1, 0, 1, 1, "X"), "a\r\nX\r\nc"},
		{"bare CR is a break", "a\rb", at(1, 0, 1, 1, "X"), "a\rX"},
		{"behind the end of a line", "ab\r\ncd", at(0, 9, 0, 99, "X"), "abX\r\ncd"},
		{"behind the last line", "ab", at(7, 0, 9, 0, "X"), "abX"},
		{"line after a last break", "ab\n", at(1, 0, 1, 0, "X"), "ab\nX"},
		{"end before start", "abc", at(0, 2, 0, 1, "X"), "abXc"},
		{"surrogates", "𝄞𝄞", at(0, 2, 0, 4, "X"), "𝄞X"},
		{"inside a surrogate pair", "𝄞", at(0, 1, 0, 2, "X"), "X"},
	} {
		if got := utf16Units.apply(tt.before, tt.change); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestApplyAgainstModel compares edits with those of an editor that keeps its lines as UTF-16 or bytes.
func TestApplyAgainstModel(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune{'a', 'b', 'é', '語', '𝄞', '\n', '\r'}))
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom([]encoding{utf8Units, utf16Units}).Draw(t, "encoding")
		got := text.Draw(t, "text")
		model := got
		for range rapid.IntRange(1, 6).Draw(t, "edits") {
			start, end := rapid.IntRange(0, len(model)).Draw(t, "start"), rapid.IntRange(0, len(model)).Draw(t, "end")
			start, end = border(model, min(start, end)), border(model, max(start, end))
			insert := text.Draw(t, "insert")
			change := textChange{Range: &textRange{positionOf(e, model, start), positionOf(e, model, end)}, Text: insert}
			got = e.apply(got, change)
			model = model[:start] + insert + model[end:]
			if got != model {
				t.Fatalf("%+v gives %q, want %q", change.Range, got, model)
			}
		}
	})
}

// border moves an offset back to where an editor can have its cursor: not inside a rune, nor between CR and LF.
func border(s string, at int) int {
	for at > 0 && at < len(s) && (!utf8.RuneStart(s[at]) || s[at-1] == '\r' && s[at] == '\n') {
		at--
	}
	return at
}

// positionOf counts lines and units up to a byte, by LSP's three line breaks.
func positionOf(e encoding, s string, at int) textPosition {
	before := strings.ReplaceAll(s[:at], "\r\n", "\n")
	before = strings.ReplaceAll(before, "\r", "\n")
	lines := strings.Split(before, "\n")
	last := lines[len(lines)-1]
	units := len(last)
	if e == utf16Units {
		units = len(utf16.Encode([]rune(last)))
	}
	return textPosition{len(lines) - 1, units}
}

// FuzzApply: no change makes invalid UTF-8 of valid, or fails.
func FuzzApply(f *testing.F) {
	f.Add("a\r\n𝄞b", 0, 1, 1, 1, "x", true)
	f.Add("", 5, -1, -3, 9, "", false)
	f.Fuzz(func(t *testing.T, text string, l, c, m, d int, insert string, wide bool) {
		e := utf8Units
		if wide {
			e = utf16Units
		}
		got := e.apply(text, textChange{Range: &textRange{textPosition{l, c}, textPosition{m, d}}, Text: insert})
		if utf8.ValidString(text) && utf8.ValidString(insert) && !utf8.ValidString(got) {
			t.Fatalf("%q became %q", text, got)
		}
		if len(got) < len(insert) {
			t.Fatalf("%q lost what was inserted", got)
		}
	})
}

func TestSnippet(t *testing.T) {
	long := strings.Repeat("nothing here at all\n", 40) + "func retryBackoff() {\n\treturn backoff\n}\n" + strings.Repeat("nor here\n", 40)
	got := newSnipper("where is the retry backoff?").cut(long)
	if !strings.Contains(got, "retryBackoff") || len(got) > snippetBytes || strings.Count(got, "\n") >= snippetLines {
		t.Errorf("the snippet is %q", got)
	}
	for _, text := range []string{"", "short", strings.Repeat("é", 2*snippetBytes), strings.Repeat("x\n", 500)} {
		if got := newSnipper("x").cut(text); len(got) > snippetBytes || !utf8.ValidString(got) || text != "" && got == "" {
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
