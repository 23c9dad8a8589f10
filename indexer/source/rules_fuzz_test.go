package source

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// FuzzRules reads whole ignore files: the lookup by name and extension finds the same as trying
// each line in order, and neither line ends nor a byte order mark change a decision.
func FuzzRules(f *testing.F) {
	for _, c := range hard {
		for _, rules := range c.rules {
			f.Add(rules, strings.ReplaceAll(c.paths, " ", "\n"), false)
		}
	}
	f.Add("# x\n*.o\n!keep.o\n/build/\n**/gen/*.go\n\\!a\nb\\ \n[ab]*.c\r\n", "a.o\nkeep.o\nbuild/x\nx/gen/y.go\n!a\nb \na1.c", true)
	f.Fuzz(func(t *testing.T, rules, paths string, fold bool) {
		list := parseRules([]byte(rules), fold)
		for path := range strings.SplitSeq(paths, "\n") {
			if path = strings.Trim(path, "/"); path == "" || strings.Contains(path, "//") {
				continue
			}
			if fold {
				path = lowerASCII(path)
			}
			for _, isDir := range []bool{false, true} {
				got, want := list.match(path, baseName(path), isDir), lastOf(list, path, isDir)
				if got != want {
					t.Fatalf("%q (folder %t) by %q: line %d, and line %d says so", path, isDir, rules, lineOf(got), lineOf(want))
				}
			}
		}
		if strings.Contains(rules, "\r") || strings.HasPrefix(rules, "\ufeff") {
			return
		}
		same := parseRules(slices.Concat([]byte("\ufeff"), bytes.ReplaceAll([]byte(rules), []byte("\n"), []byte("\r\n"))), fold)
		if !slices.EqualFunc(list.patterns, same.patterns, func(a, b pattern) bool { return a.raw == b.raw && a.line == b.line }) {
			t.Fatalf("%q has other rules with other line ends", rules)
		}
	})
}

func lineOf(p *pattern) int {
	if p == nil {
		return 0
	}
	return p.line
}

// lastOf tries every pattern in turn.
func lastOf(list *ruleList, path string, isDir bool) *pattern {
	for i := range slices.Backward(list.patterns) {
		one := &ruleList{names: map[string][]int32{}, exts: map[string][]int32{}}
		one.add(list.patterns[i])
		if one.match(path, baseName(path), isDir) != nil {
			return &list.patterns[i]
		}
	}
	return nil
}

// FuzzLikeGit compares two ignore files, one below the other, with git itself.
func FuzzLikeGit(f *testing.F) {
	for _, c := range hard {
		f.Add(c.rules[".gitignore"], c.rules["d/.gitignore"], strings.Map(func(r rune) rune {
			if r == '@' {
				return -1
			}
			return r
		}, c.paths))
	}
	isolate(f)
	base := f.TempDir()
	f.Fuzz(func(t *testing.T, above, below, paths string) {
		dir, err := os.MkdirTemp(base, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		if len(above)+len(below) > 4096 {
			return
		}
		write(t, dir, bareGit)
		made := 0
		for path := range strings.FieldsSeq(paths) {
			if made < 20 && touched(dir, path) {
				made++
			}
		}
		if err := os.MkdirAll(filepath.Join(dir, "d"), 0o755); err != nil {
			return // there is a file of that name
		}
		write(t, dir, map[string]string{".gitignore": above, "d/.gitignore": below})
		tree, err := Open(Options{Root: dir, Home: base})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, tree.Root(), tree)
	})
}

// touched creates an empty file; it returns false if the name is invalid.
func touched(dir, path string) bool {
	path = filepath.Clean("/" + path)[1:]
	name := filepath.Join(dir, path)
	if path == "" || strings.Contains(path, "\x00") || strings.Contains(path, ".git") || len(path) > 200 {
		return false
	}
	if os.MkdirAll(filepath.Dir(name), 0o755) != nil {
		return false
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	return err == nil && file.Close() == nil
}

// FuzzGlobs checks that include and exclude patterns are rejected or answer the same each time, and
// expand within their limit.
func FuzzGlobs(f *testing.F) {
	f.Add("**/*.{go,ts}", "a/b.go")
	f.Add("/{a,b{c,d}}/", "a/x")
	f.Add("{{{{", "x")
	f.Add("[!a-", "x")
	f.Add("**/**/**/x", "a/b/c/d/e/f/x")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 200 || len(path) > 200 {
			return
		}
		list, err := parseGlobs("index.include", []string{pattern})
		if err != nil {
			return
		}
		if len(list) > maxAlternatives {
			t.Fatalf("%q is %d patterns", pattern, len(list))
		}
		for _, g := range list {
			if g.text == "" || len(g.segs) == 0 {
				t.Fatalf("%q has an empty alternative", pattern)
			}
		}
		found := list.find(path, "")
		if again := list.find(path, ""); found != again {
			t.Fatalf("%q by %q is found and is not", path, pattern)
		}
		for i := range list {
			list[i].reaches(path)
		}
	})
}
