package repocheck

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestRepository checks this repository against every rule.
func TestRepository(t *testing.T) {
	tree, err := Load(os.DirFS(filepath.Join("..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.goFiles()) < 50 {
		t.Fatalf("only %d Go files were found: this is not the repository's top", len(tree.goFiles()))
	}
	for _, rule := range Rules {
		t.Run(rule.Name, func(t *testing.T) {
			for _, f := range rule.Check(tree) {
				t.Error(f)
			}
		})
	}
}

// TestRulesCanFail checks every rule with a tree that breaks it in each way that it detects and
// follows it in as many. The file `want` holds the findings, one a line. A middle dot is removed
// first: with it the archives themselves contain nothing that no file may contain.
func TestRulesCanFail(t *testing.T) {
	for _, rule := range Rules {
		t.Run(rule.Name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", rule.Name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			archive := txtar.Parse(bytes.ReplaceAll(text, []byte("·"), nil))
			var want string
			files := archive.Files[:0]
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = string(f.Data)
				} else {
					files = append(files, f)
				}
			}
			archive.Files = files
			var got strings.Builder
			for _, f := range rule.Check(load(t, archive)) {
				got.WriteString(f.String() + "\n")
			}
			if want == "" || got.String() != want {
				t.Errorf("got:\n%swant:\n%s", &got, want)
			}
		})
	}
}

// TestExceptionsAreNeeded checks that the tables of exceptions name existing files; each rule
// checks whether a file still needs its exception.
func TestExceptionsAreNeeded(t *testing.T) {
	for _, list := range [][]exception{sleepers, long, quoted, single, heavy} {
		for _, e := range list {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(e.path))); err != nil || e.reason == "" {
				t.Errorf("%s is excepted (%q): %v", e.path, e.reason, err)
			}
		}
	}
	stale := load(t, txtar.Parse([]byte("-- a.go --\npackage a\n")))
	if got := except(stale, nil, []exception{{"a.go", "why"}}); len(got) != 1 {
		t.Errorf("an exception that nothing needs gives %v, want one finding", got)
	}
	if got := except(stale, []Finding{{"a.go", 1, "x"}}, []exception{{"a.go", "why"}}); len(got) != 0 {
		t.Errorf("an exception leaves %v", got)
	}
}

func TestLoad(t *testing.T) {
	broken := txtar.Parse([]byte("-- a.go --\npackage\n"))
	if _, err := Load(files(t, broken)); err == nil {
		t.Error("a Go file that does not parse is no error")
	}
	tree := load(t, txtar.Parse([]byte(`
-- .gitignore --
# comment
/bin/
*.out
node_modules/
-- bin/tool.go --
not Go
-- a/bin/b.go --
package bin
-- a/x.out --
ignored
-- editors/node_modules/m/m.go --
not Go
-- a/testdata/broken.go --
not Go
-- .git/HEAD --
ref
`)))
	var paths []string
	for _, f := range tree.Files {
		paths = append(paths, f.Path)
	}
	if got, want := strings.Join(paths, " "), ".gitignore a/bin/b.go"; got != want {
		t.Errorf("files %q, want %q", got, want)
	}
	if got, want := strings.Join(tree.Top, " "), ".gitignore a editors"; got != want {
		t.Errorf("top level %q, want %q", got, want)
	}
	if len(tree.Fixtures) != 1 || tree.Fixtures[0].Path != "a/testdata/broken.go" {
		t.Errorf("fixtures %v", tree.Fixtures)
	}
}

func load(t *testing.T, archive *txtar.Archive) *Tree {
	t.Helper()
	tree, err := Load(files(t, archive))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func files(t *testing.T, archive *txtar.Archive) fs.FS {
	t.Helper()
	fsys, err := txtar.FS(archive)
	if err != nil {
		t.Fatal(err)
	}
	return fsys
}
