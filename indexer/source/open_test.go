package source

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestRootFolder opens the content of a folder without a tree and its rules: files by any depth of
// path, and nothing through a link.
func TestRootFolder(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"a/b/c.txt": "text", "d.txt": "d"})
	if err := os.Symlink(filepath.Join(dir, "a"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	root, err := newRootFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := root.names("")
	if slices.Sort(names); !slices.Equal(names, []string{"a", "d.txt", "link"}) {
		t.Errorf("names %q", names)
	}
	if got := string(root.head("a/b/c.txt", 2)); got != "te" {
		t.Errorf("head %q", got)
	}
	for rel, want := range map[string]error{"a/b/c.txt": nil, "link/b/c.txt": errLink, "link": errLink, "a/none": os.ErrNotExist} {
		file, _, err := root.open(rel)
		if err == nil {
			closeFile(file)
		}
		if !errors.Is(err, want) {
			t.Errorf("open %s: %v, want %v", rel, err, want)
		}
	}
	if st, err := root.lstat("link"); err != nil || !st.isLink() {
		t.Errorf("lstat of a link: %+v, %v", st, err)
	}
}
