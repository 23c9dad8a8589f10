package repocheck

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// module is the path with which the repository's own packages begin.
const module = "github.com/contexture-dev/contexture"

// Tree is a repository in the form that the rules check. It is read-only once loaded.
type Tree struct {
	// Top lists the top-level entries, except ignored ones.
	Top []string
	// Files are the text files, in the order of their paths, except those that are ignored or in
	// testdata.
	Files []*File
	// Fixtures are the text files in testdata folders.
	Fixtures []*File

	fset *token.FileSet
}

// File is one file of a tree.
type File struct {
	Path string // relative to the root, with slashes
	Text []byte
	Go   *ast.File // nil unless it is Go
}

// Dir returns the folder of the file, which for Go is its package's path within the module.
func (f *File) Dir() string { return path.Dir(f.Path) }

// IsTest reports whether Go compiles the file for tests only.
func (f *File) IsTest() bool { return strings.HasSuffix(f.Path, "_test.go") }

// IsGenerated reports whether the file is marked by Go's convention for generated code, which files
// in other languages follow in their own comments.
func (f *File) IsGenerated() bool {
	if f.Go != nil {
		return ast.IsGenerated(f.Go)
	}
	first, _, _ := bytes.Cut(f.Text, []byte("\n"))
	return generatedMark.Match(first)
}

var generatedMark = regexp.MustCompile(`^(//|--|#) Code generated .* DO NOT EDIT\.$`)

// Finding is one violation of a rule.
type Finding struct {
	Path string
	Line int // from 1; 0 for the whole file
	Text string
}

func (f Finding) String() string {
	if f.Line == 0 {
		return f.Path + ": " + f.Text
	}
	return fmt.Sprintf("%s:%d: %s", f.Path, f.Line, f.Text)
}

// Load reads a repository. A Go file that does not parse is an error: the rules cannot check it.
func Load(root fs.FS) (*Tree, error) {
	t := &Tree{fset: token.NewFileSet()}
	ignored, err := ignores(root)
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case name == ".git", ignored(name):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.Contains(name, "/") {
			t.Top = append(t.Top, name)
		}
		if d.Type().IsRegular() {
			return t.add(root, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load the repository: %w", err)
	}
	return t, nil
}

func (t *Tree) add(root fs.FS, name string) error {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return nil
	}
	f := &File{Path: name, Text: text}
	if slices.Contains(strings.Split(name, "/"), "testdata") {
		t.Fixtures = append(t.Fixtures, f)
		return nil
	}
	if strings.HasSuffix(name, ".go") {
		if f.Go, err = parser.ParseFile(t.fset, name, text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			return err
		}
	}
	t.Files = append(t.Files, f)
	return nil
}

func (t *Tree) line(pos token.Pos) int { return t.fset.Position(pos).Line }

// goFiles returns the Go files, including tests.
func (t *Tree) goFiles() []*File {
	return slices.DeleteFunc(slices.Clone(t.Files), func(f *File) bool { return f.Go == nil })
}

// ignores parses the top-level ignore file. It supports only what that file uses: names, globs and
// anchored paths.
func ignores(root fs.FS) (func(name string) bool, error) {
	text, err := fs.ReadFile(root, ".gitignore")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read .gitignore: %w", err)
	}
	var anchored, anywhere []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(strings.TrimSpace(line), "/")
		switch {
		case line == "" || line[0] == '#':
		case strings.Contains(line, "/"):
			anchored = append(anchored, strings.TrimPrefix(line, "/"))
		default:
			anywhere = append(anywhere, line)
		}
	}
	match := func(patterns []string, name string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool {
			ok, _ := path.Match(p, name) // a malformed pattern matches nothing
			return ok
		})
	}
	return func(name string) bool { return match(anchored, name) || match(anywhere, path.Base(name)) }, nil
}

// imported is one import of a file.
type imported struct {
	path string
	name string // its name in the file: explicit, or the path's last element
	line int
}

// major matches the last element of a path such as math/rand/v2, which is not the package's name.
var major = regexp.MustCompile(`^v[0-9]+$`)

func (t *Tree) imports(f *File) []imported {
	var out []imported
	for _, spec := range f.Go.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // cannot happen: the parser has checked it
		}
		i := imported{path: p, name: path.Base(p), line: t.line(spec.Pos())}
		if major.MatchString(i.name) {
			i.name = path.Base(path.Dir(p))
		}
		if spec.Name != nil {
			i.name = spec.Name.Name
		}
		out = append(out, i)
	}
	return out
}

func sorted(findings []Finding) []Finding {
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(findings)
}
