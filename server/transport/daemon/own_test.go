package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSocketInTheWay holds that a folder in the socket's place is named, and said once.
func TestSocketInTheWay(t *testing.T) {
	state := t.TempDir()
	if err := os.MkdirAll(filepath.Join(state, runFolder, endpointName), 0o700); err != nil {
		t.Fatal(err)
	}
	err := Serve(t.Context(), Options{StateDir: state, Versions: hello(Session, 5).Versions})
	if err == nil || !strings.Contains(err.Error(), "is a folder: remove it") || strings.Count(err.Error(), "start daemon") != 1 {
		t.Errorf("serve: %v", err)
	}
}
