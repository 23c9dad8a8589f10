//go:build unix

package settings

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipe checks that a pipe in a repository does not block reading the settings.
func TestPipe(t *testing.T) {
	root := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(root, WorkspaceFile), 0o600); err != nil {
		t.Fatal(err)
	}
	if l := ReadWorkspace(root); len(l.Problems()) != 1 {
		t.Errorf("a pipe: %v", l.Problems())
	}
}
