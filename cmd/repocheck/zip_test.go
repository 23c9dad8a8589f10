package repocheck

import (
	"cmp"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/mod/zip"
)

// TestModuleZip checks that Go accepts the module as it is committed: its paths are legal
// wherever Go runs, and it is not too large.
func TestModuleZip(t *testing.T) {
	top, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	// What Go packs is what is committed.
	clone := t.TempDir()
	if out, err := exec.Command("git", "clone", "--quiet", "--shared", top, clone).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files, err := zip.CheckDir(clone)
	if err := cmp.Or(err, files.Err()); err != nil {
		t.Fatal(err)
	}
	if len(files.Valid) == 0 {
		t.Fatal("no file would be packed")
	}
}
