package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/servertest"
)

// TestStateOfOthers checks that no command works in a state directory in which another user could
// change something, with a daemon or without, that the error says what to do, and that nothing is
// written there.
func TestStateOfOthers(t *testing.T) {
	type state struct {
		name string
		mode os.FileMode
		uid  int
		says string
	}
	states := []state{{"that all may write", 0o777, os.Geteuid(), "chmod go-w"}}
	if self := os.Geteuid(); self == 0 { // only root can give a folder away
		states = append(states, state{"of another user, open", 0o777, 65534, "another user"}, state{"of another user, closed", 0o700, 65534, "another user"})
	}
	root := smallTree(t)
	for _, s := range states {
		t.Run(s.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Chown(dir, s.uid, -1); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, s.mode); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{
				{"bundle", "x"}, {"search", "x"}, {"impact"}, {"index"}, {"exclude", "x"}, {"memory", "export"}, {"memory", "import"}, {"memory", "stats"},
				{"memory", "forget", "--workspace", "--yes"}, {"serve"}, {"serve", "--daemon=off"}, {"mcp"}, {"mcp", "--daemon=off"},
				{"panel"}, {"panel", "--daemon=off"}, {"daemon"}, {"doctor"},
				{"recall", "x"}, {"blame", "x"}, {"how", "x"}, {"fix", "x"}, {"receipts"}, {"remember", "note", "x"}, {"chats", "list"}, {"rules", "list"}, {"tasks"}, {"state", "list"}, {"state", "clean"},
			} {
				cmd := exec.CommandContext(t.Context(), "contexture", append(args, "--offline", "--root", root, "--state-dir", dir)...)
				cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
				cmd.WaitDelay = servertest.Patience
				out, err := cmd.CombinedOutput()
				if code := cmd.ProcessState.ExitCode(); code != exitFailed {
					t.Errorf("%q leaves with %d: %v, %s", args, code, err, out)
				}
				for _, part := range []string{dir, s.says, "--state-dir DIR"} {
					if !strings.Contains(string(out), part) {
						t.Errorf("%q does not say %q: %s", args, part, out)
					}
				}
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
				t.Errorf("left there: %v, %v", entries, err)
			}
		})
	}
}
