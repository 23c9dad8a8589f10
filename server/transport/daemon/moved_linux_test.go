package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestMovedFrom: on Linux the system reports what the daemon would otherwise look for, and nothing
// else wakes it.
func TestMovedFrom(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "a", "run")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	moved, stop, err := movedFrom(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	// What happens beside the path is none of it; it happened before what follows, so it would be
	// reported first.
	for _, name := range []string{"file", "a/file"} {
		if err := os.WriteFile(filepath.Join(top, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(top, name)); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-moved:
		t.Error("a file beside the path is reported")
	default:
	}
	if err := os.Rename(filepath.Join(top, "a"), filepath.Join(top, "b")); err != nil {
		t.Fatal(err)
	}
	select {
	case <-moved:
	case <-time.After(patience):
		t.Error("a folder of the path that is moved is not reported")
	}
}
