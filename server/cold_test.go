package server_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestMemoryWhileIndexing checks that what hooks ask for has the workspace's memory while its index
// is being built for the first time.
func TestMemoryWhileIndexing(t *testing.T) {
	state, root := t.TempDir(), servertest.Tree(t, map[string]string{"pool.go": source("openPool")})
	t.Run("remember", func(t *testing.T) {
		e := servertest.Start(t, servertest.Options{Roots: []string{root}, StateDir: state})
		ask[command.RememberResult](t, e, "contexture.remember", args{"kind": "rule", "text": "pool.go opens one connection at a time."})
		e.AwaitIdle()
	})
	if err := os.RemoveAll(filepath.Join(state, "index")); err != nil {
		t.Fatal(err)
	}
	const files = 3000
	for i := range files {
		servertest.WriteFile(t, filepath.Join(root, fmt.Sprintf("part%d", i%40), fmt.Sprintf("f%d.go", i)), source(fmt.Sprintf("handle%d", i)))
	}
	e := servertest.Start(t, servertest.Options{Roots: []string{root}, StateDir: state})
	act := ask[command.ActResult](t, e, "contexture.act", args{"path": "pool.go"})
	b := ask[command.BundleResult](t, e, "contexture.bundle", args{"prompt": "may the pool open two connections?", "budget": 2000})
	if last := func() servertest.Status { s := e.State(); return s.Last() }(); last.Idle() && last.Files >= files {
		t.Fatalf("the index was built too soon for this test: %+v", last)
	}
	const rule = "one connection at a time"
	if len(act.Statements) != 1 || !strings.Contains(act.Statements[0].Text, rule) {
		t.Errorf("before an edit: %+v", act)
	}
	if !strings.Contains(b.Text, rule) {
		t.Errorf("before a prompt:\n%s", b.Text)
	}
}
