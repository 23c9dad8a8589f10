package server_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/servertest"
)

// indexOf opens a root as a command of the command line does, and returns its index.
func indexOf(t *testing.T, v *server.Server, root string) (x *indexer.Index, leave func()) {
	t.Helper()
	local := v.Local(t.Context(), engine.SessionOptions{Root: root, Offline: true})
	x, err := local.Index(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return x, local.Close
}

func warmRecord(t *testing.T, d time.Duration) *server.Server {
	t.Helper()
	v, err := server.New(engine.Options{Version: "test", StateDir: t.TempDir(), Home: t.TempDir(), KeepOpen: d})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

// TestIndexIsKeptOpen checks that an index stays open after its last session for the next one,
// unless that has other settings, and that it is then up to date.
func TestIndexIsKeptOpen(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": source("quetzal")})
	v := warmRecord(t, time.Hour)
	first, leave := indexOf(t, v, root)
	leave()
	if err := os.WriteFile(filepath.Join(root, "b.go"), []byte(source("heron")), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, known := v.Opened(root)[first]; !known {
		t.Error("it is not told to be open")
	}
	second, leave := indexOf(t, v, root)
	if second != first {
		t.Error("it was opened anew")
	}
	if err := second.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := second.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := second.Status().Files; n != 2 {
		t.Errorf("it has %d files, not 2", n)
	}
	leave()
	if err := os.WriteFile(filepath.Join(root, ".contexture.toml"), []byte("index.exclude = [\"b.go\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	third, leave := indexOf(t, v, root)
	defer leave()
	if third == first {
		t.Error("it was kept though other settings hold")
	}
	if err := third.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := third.Status().Files; n != 1+1 { // the settings file
		t.Errorf("it has %d files with other settings", n)
	}
}

// TestOpenIndexesAreBounded checks that above the limit the oldest indexes are closed, and that all
// are after a time.
func TestOpenIndexesAreBounded(t *testing.T) {
	v := warmRecord(t, time.Hour)
	var roots []string
	for n := range 5 {
		root := servertest.Tree(t, map[string]string{"a.go": source(fmt.Sprint("bird", n))})
		roots = append(roots, root)
		_, leave := indexOf(t, v, root)
		leave()
	}
	for n, root := range roots {
		if kept := len(v.Opened(root)) == 1; kept != (n >= 2) {
			t.Errorf("root %d is kept: %t", n, kept)
		}
	}

	short := warmRecord(t, time.Millisecond)
	_, leave := indexOf(t, short, roots[0])
	leave()
	ctx, cancel := context.WithTimeout(t.Context(), servertest.Patience)
	defer cancel()
	for len(short.Opened(roots[0])) > 0 {
		if ctx.Err() != nil {
			t.Fatal("it is kept for ever")
		}
	}
}
