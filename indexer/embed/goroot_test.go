package embed

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// splitter returns the terms of these tests: every identifier in lower case, and the stems of its
// camelCase and snake_case parts.
type splitter struct{ stems map[string]string }

func newSplitter() *splitter { return &splitter{stems: map[string]string{}} }

func (s *splitter) terms(text string) map[string]int {
	out := map[string]int{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	}) {
		if len(word) < 2 || len(word) > 64 || unicode.IsDigit(rune(word[0])) {
			continue
		}
		parts := camelParts(word)
		if len(parts) > 1 {
			out[strings.ToLower(word)]++
		}
		for _, part := range parts {
			if len(part) > 1 {
				out[s.stem(strings.ToLower(part))]++
			}
		}
	}
	return out
}

func (s *splitter) stem(word string) string {
	stem, ok := s.stems[word]
	if !ok {
		stem = english.Stem(word, true)
		s.stems[word] = stem
	}
	return stem
}

func camelParts(word string) []string {
	var parts []string
	runes := []rune(word)
	from := 0
	cut := func(to int) {
		if to > from {
			parts = append(parts, string(runes[from:to]))
		}
	}
	for i, r := range runes {
		switch {
		case r == '_':
			cut(i)
			from = i + 1
		case unicode.IsUpper(r) && i > from &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			cut(i)
			from = i
		}
	}
	cut(len(runes))
	return parts
}

// goFiles reads the non-test Go files below the given folders of the Go source tree.
func goFiles(tb testing.TB, folders ...string) map[string][]byte {
	tb.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		tb.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "src")
	files := map[string][]byte{}
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "testdata" {
				return filepath.SkipDir
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			files[path], err = os.ReadFile(path)
			return err
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return files
}

// windows cuts the files into chunks of 25 to 60 lines and makes a corpus of them.
func windows(files map[string][]byte) *corpus {
	split := newSplitter()
	var docs []map[string]int
	for _, path := range sortedKeys(files) {
		lines := strings.SplitAfter(string(files[path]), "\n")
		for len(lines) > 0 {
			n := min(len(lines), 60)
			for i := 25; i < n; i++ { // at an empty line where there is one
				if strings.TrimSpace(lines[i]) == "" {
					n = i + 1
				}
			}
			docs = append(docs, split.terms(strings.Join(lines[:n], "")))
			lines = lines[n:]
		}
	}
	return newCorpus(docs)
}

// function is a declaration without its comment, and the comment without the function's name.
type function struct {
	text, query string
}

// functions parses the files. query is empty if the comment is of no use as a question.
func functions(tb testing.TB, files map[string][]byte) []function {
	tb.Helper()
	var out []function
	fset := token.NewFileSet()
	for _, path := range sortedKeys(files) {
		file, err := parser.ParseFile(fset, path, files[path], parser.ParseComments)
		if err != nil {
			tb.Fatal(err)
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			from, to := fset.Position(f.Type.Func), fset.Position(f.End())
			fn := function{text: string(files[path][from.Offset:to.Offset])}
			if f.Doc != nil && f.Name.IsExported() {
				words := strings.Fields(f.Doc.Text())
				kept := words[:0]
				for _, w := range words {
					if !strings.Contains(w, f.Name.Name) {
						kept = append(kept, w)
					}
				}
				if len(kept) >= 5 {
					fn.query = strings.Join(kept, " ")
				}
			}
			out = append(out, fn)
		}
	}
	return out
}
