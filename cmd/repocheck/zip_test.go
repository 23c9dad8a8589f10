package repocheck

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"

	modules "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestModuleZip checks that `go install` accepts the module as it is committed: its paths are legal
// wherever Go runs, and it is not too large.
func TestModuleZip(t *testing.T) {
	top, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	// Go can pack a module from a repository, but not from a linked work tree.
	clone := t.TempDir()
	if out, err := exec.Command("git", "clone", "--quiet", "--shared", "--no-checkout", top, clone).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var packed bytes.Buffer
	if err := zip.CreateFromVCS(&packed, modules.Version{Path: module, Version: "v0.0.1"}, clone, "HEAD", ""); err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f MB packed", float64(packed.Len())/1e6)
}
