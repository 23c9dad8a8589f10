package server_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestDamagedMemory checks that a damaged memory is refused, reported to the person and left
// unchanged, and that everything else works.
func TestDamagedMemory(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": "package a\n\n// Keep keeps.\nfunc Keep() {}\n"})
	state := t.TempDir()
	t.Run("whole", func(t *testing.T) { // its editor leaves at the end
		say(t, servertest.Start(t, servertest.Options{StateDir: state, Roots: []string{root}}), "c", user("keep this"))
	})
	manifests, err := filepath.Glob(filepath.Join(state, "memory", "db", "MANIFEST*"))
	if err != nil || len(manifests) == 0 {
		t.Fatalf("there is no manifest to damage: %v", err)
	}
	const damage = "this is not what it was"
	for _, path := range manifests {
		if err := os.WriteFile(path, []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := servertest.Start(t, servertest.Options{StateDir: state, Roots: []string{root}})
	e.AwaitIdle()
	e.Eventually("the person is told", func() bool {
		return slices.ContainsFunc(e.State().Messages, func(m string) bool { return strings.Contains(m, filepath.Join(state, "memory")) })
	})
	refused(t, e, "contexture.conversation.list", args{}, "", "corrupt")
	b := bundleOf(t, e, args{"prompt": "what does Keep do?", "budget": 2000})
	lacks := slices.ContainsFunc(b.Degraded, func(d command.Degradation) bool { return d.Stage == "memory" && d.Reason == "error" })
	if !strings.Contains(b.Text, "func Keep") || !lacks {
		t.Errorf("degraded %v of\n%s", b.Degraded, b.Text)
	}
	for _, path := range manifests {
		if got, err := os.ReadFile(path); err != nil || string(got) != damage {
			t.Errorf("%s was touched: %q, %v", path, got, err)
		}
	}
}
