package chunk

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sort"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"
)

// verify holds a file to what every caller relies on.
func verify(src []byte, file File, target int) error {
	lineOf := func(offset int) int { return bytes.Count(src[:offset], []byte("\n")) }
	end, tooLong := 0, 2*target+target/5
	for i, c := range file.Chunks {
		switch {
		case c.Start < end || c.End <= c.Start || c.End > len(src):
			return fmt.Errorf("chunk %d [%d, %d) after %d of %d bytes", i, c.Start, c.End, end, len(src))
		case len(trimBlank(src[end:c.Start])) > 0:
			return fmt.Errorf("chunk %d leaves out %q", i, src[end:c.Start])
		case c.StartLine != lineOf(c.Start) || c.EndLine != lineOf(c.End-1):
			return fmt.Errorf("chunk %d says lines %d-%d, bytes say %d-%d", i, c.StartLine, c.EndLine, lineOf(c.Start), lineOf(c.End-1))
		case c.Tokens > tooLong || c.Tokens != estimate(src[c.Start:c.End]):
			return fmt.Errorf("chunk %d has %d tokens in %d bytes", i, c.Tokens, c.End-c.Start)
		case c.Kind == "" || len(c.Title) > maxTitle || len(c.Header) > maxHeader:
			return fmt.Errorf("chunk %d: kind %q title %q header %q", i, c.Kind, c.Title, c.Header)
		case bytes.ContainsAny([]byte(c.Title), "\n\r"):
			return fmt.Errorf("chunk %d: title %q", i, c.Title)
		}
		for _, text := range slices.Concat([]string{c.Title, c.Header}, c.Symbols, c.Enclosing) {
			if !utf8.ValidString(text) {
				return fmt.Errorf("chunk %d: %q is not UTF-8", i, text)
			}
		}
		if (c.Start > 0 && src[c.Start-1] != '\n' || c.End < len(src) && src[c.End-1] != '\n') && utf8.Valid(src) {
			if !utf8.Valid(src[c.Start:c.End]) {
				return fmt.Errorf("chunk %d cuts a rune", i)
			}
		}
		end = c.End
	}
	if len(trimBlank(src[end:])) > 0 {
		return fmt.Errorf("%q is left out", src[end:])
	}
	return verifyNames(src, file, lineOf)
}

func verifyNames(src []byte, file File, lineOf func(int) int) error {
	last := 0
	for _, s := range file.Symbols {
		switch {
		case s.Name == "" || s.Kind == "" || !utf8.ValidString(s.Name) || !utf8.ValidString(s.Container):
			return fmt.Errorf("symbol %+v", s)
		case s.Start < last || s.End <= s.Start || s.End > len(src):
			return fmt.Errorf("symbol %+v after %d of %d bytes", s, last, len(src))
		case s.Line != lineOf(s.Start) || s.EndLine != lineOf(s.End-1):
			return fmt.Errorf("symbol %+v: bytes say %d-%d", s, lineOf(s.Start), lineOf(s.End-1))
		}
		last = s.Start
	}
	end := 0
	for _, c := range file.Comments {
		if c.Start < end || c.End <= c.Start || c.End > len(src) {
			return fmt.Errorf("comment %v after %d of %d bytes", c, end, len(src))
		}
		end = c.End
	}
	if d := file.Doc; d.Start < 0 || d.End < d.Start || d.End > len(src) {
		return fmt.Errorf("doc %v", d)
	}
	if !sort.SliceIsSorted(file.Refs, func(a, b int) bool { return file.Refs[a].Name < file.Refs[b].Name }) {
		return fmt.Errorf("refs are not sorted: %v", file.Refs)
	}
	for _, r := range file.Refs {
		if r.Name == "" || r.Count < 1 || !utf8.ValidString(r.Name) {
			return fmt.Errorf("ref %+v", r)
		}
	}
	return nil
}

// names is one file name of every language that is cut in a way of its own.
func names() []string {
	byLanguage := map[string]string{}
	for ext, language := range byExtension {
		byLanguage[language] = max(byLanguage[language], "x"+ext)
	}
	all := []string{"Dockerfile", "x.md", "x.rst", "x.txt", "Makefile", "x.json", "x.unknown", ""}
	for language := range specs {
		all = append(all, byLanguage[language])
	}
	sort.Strings(all)
	return all
}

// TestTruncated cuts every sample at every seventh byte.
func TestTruncated(t *testing.T) {
	step := 7
	if testing.Short() {
		step = 49
	}
	p := NewParser(Options{TargetTokens: goldenTarget})
	defer p.Close()
	for name, src := range samples(t) {
		for end := 0; end < len(src); end += step {
			if err := verify(src[:end], p.Parse(name, src[:end]), goldenTarget); err != nil {
				t.Fatalf("%s cut at %d: %v", name, end, err)
			}
		}
	}
}

// TestOddBytes puts through every language what no language expects; in short, each kind through
// every fifth.
func TestOddBytes(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 5
	}
	p := NewParser(Options{TargetTokens: goldenTarget})
	defer p.Close()
	all := samples(t)
	odd := oddBytes()
	kinds := slices.Sorted(maps.Keys(odd))
	for i, name := range names() {
		for k := i % step; k < len(kinds); k += step {
			kind, src := kinds[k], odd[kinds[k]]
			if err := verify(src, p.Parse(name, src), goldenTarget); err != nil {
				t.Errorf("%s: %s: %v", name, kind, err)
			}
		}
	}
	for name, src := range all {
		for kind, mangled := range map[string][]byte{
			"crlf": bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n")), "bom": append([]byte("\xef\xbb\xbf"), src...),
			"nul": bytes.ReplaceAll(src, []byte(" "), []byte{0}), "joined": bytes.ReplaceAll(src, []byte("\n"), []byte(" ")),
			"invalid": bytes.ReplaceAll(src, []byte("e"), []byte{0xe9}), "spread": bytes.ReplaceAll(src, []byte(" "), []byte("\n")),
		} {
			if err := verify(mangled, p.Parse(name, mangled), goldenTarget); err != nil {
				t.Errorf("%s: %s: %v", name, kind, err)
			}
		}
	}
}

func oddBytes() map[string][]byte {
	return map[string][]byte{
		"empty": nil, "blank": []byte(" \n\r\n\t\n"), "nul": {0}, "nuls": bytes.Repeat([]byte{0, '\n'}, 500),
		"bom": []byte("\xef\xbb\xbf"), "invalid": bytes.Repeat([]byte{0xff, 0xfe, 'a', 0xc3, '\n'}, 300),
		"one line": bytes.Repeat([]byte("var ä = f(1); "), 2000), "no newline": bytes.Repeat([]byte("é"), 20000),
		"open": bytes.Repeat([]byte("{([<\"'`"), 2000), "deep": bytes.Repeat([]byte("("), 20000),
		"deep lines": bytes.Repeat([]byte("{\n"), 5000), "indented": staircase(300), "hashes": bytes.Repeat([]byte("#"), 5000),
		"returns": bytes.Repeat([]byte("a\r"), 3000), "quotes": bytes.Repeat([]byte("\"\"\"\n'''\n"), 200),
	}
}

// staircase indents each line more than the one before.
func staircase(n int) []byte {
	var b []byte
	for i := range n {
		b = append(append(b, bytes.Repeat([]byte(" "), i)...), "a:\n"...)
	}
	return b
}

// FuzzParse holds any bytes under any name to what callers rely on.
func FuzzParse(f *testing.F) {
	all := names()
	for name, src := range samples(f) {
		f.Add(name, src)
	}
	p := NewParser(Options{TargetTokens: goldenTarget})
	f.Cleanup(p.Close)
	f.Fuzz(func(t *testing.T, name string, src []byte) {
		if Language(name, src) == "" && len(name) > 0 {
			name = all[int(name[0])%len(all)]
		}
		if err := verify(src, p.Parse(name, src), goldenTarget); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n := liveTrees(); n != 0 {
			t.Fatalf("%d trees are left", n)
		}
	})
}

// TestWorkspace: the files of a whole workspace hold to the invariants, and every one of them is
// cut by its syntax.
func TestWorkspace(t *testing.T) {
	archive, err := txtar.ParseFile("../../testdata/workspaces/courier.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := NewParser(Options{})
	defer p.Close()
	languages := map[string]bool{}
	for _, f := range archive.Files {
		file := p.Parse(f.Name, f.Data)
		languages[file.Language] = true
		if file.Problem != "" || p.extract.errors > 0 {
			t.Errorf("%s: %d bytes of errors: %s", f.Name, p.extract.errors, file.Problem)
		}
		p.extract.errors = 0 // that of a file without syntax is not set
		if err := verify(f.Data, file, defaultTarget); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	if len(languages) < 14 {
		t.Errorf("only %d languages", len(languages))
	}
}
