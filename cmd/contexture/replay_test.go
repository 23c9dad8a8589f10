//go:build linux || darwin

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/servertest"
)

// committed commits all files of a folder at a time.
func committed(t *testing.T, root, when string) {
	t.Helper()
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", "state of " + when}} {
		cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when, "GIT_CONFIG_GLOBAL="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v, %s", err, out)
		}
	}
}

// TestReplay replays a session about a repository with two states: what is given is of the state
// at each prompt, the receipt is right, and nothing is left or changed.
func TestReplay(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	root := servertest.Tree(t, map[string]string{
		"pay/retry.go":  "package pay\n\n// RetryPayment pays again after a failure, at most three times.\nfunc RetryPayment() error { return nil }\n",
		"pay/refund.go": "package pay\n\n// Refund returns money.\nfunc Refund() error { return nil }\n",
	})
	if out, err := exec.Command("git", "init", "-q", root).CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	committed(t, root, "2026-03-01T10:00:00Z")
	servertest.WriteFile(t, filepath.Join(root, "pay/later.go"), "package pay\n\n// LaterLimit bounds what is paid later.\nconst LaterLimit = 7\n")
	committed(t, root, "2026-03-20T10:00:00Z")
	servertest.WriteFile(t, filepath.Join(root, "pay/open.go"), "package pay // not committed\n")

	found := strings.Repeat("pay/retry.go:4:func RetryPayment() error { return nil }\n", 40)
	line := func(kind, id, at string, content any) string {
		b, err := json.Marshal(map[string]any{"type": kind, "uuid": id, "sessionId": "s1", "cwd": root, "timestamp": at, "message": map[string]any{"id": "m" + id, "role": kind, "content": content}})
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + "\n"
	}
	use := func(id, name string, input map[string]any) []map[string]any {
		return []map[string]any{{"type": "tool_use", "id": id, "name": name, "input": input}}
	}
	result := func(id, text string) []map[string]any {
		return []map[string]any{{"type": "tool_result", "tool_use_id": id, "content": text}}
	}
	log := line("user", "u0", "2026-02-01T10:00:00Z", "Before there was a commit, what is RetryPayment?") +
		line("assistant", "a0", "2026-02-01T10:00:05Z", "Nothing yet.") +
		line("user", "u1", "2026-03-10T10:00:00Z", "And what is RetryPayment now?") +
		line("assistant", "a1", "2026-03-10T10:00:05Z", use("t1", "Grep", map[string]any{"pattern": "RetryPayment"})) +
		line("user", "r1", "2026-03-10T10:00:06Z", result("t1", found)) +
		line("assistant", "a2", "2026-03-10T10:00:07Z", use("t2", "Read", map[string]any{"file_path": filepath.Join(root, "pay/retry.go")})) +
		line("user", "r2", "2026-03-10T10:00:08Z", result("t2", "package pay")) +
		line("assistant", "a3", "2026-03-10T10:00:09Z", []map[string]any{{"type": "text", "text": "Three times."}}) +
		line("user", "u3", "2026-03-12T10:00:00Z", "We decided to keep pay/refund.go free of timers.") +
		line("assistant", "a5", "2026-03-12T10:00:05Z", []map[string]any{{"type": "text", "text": "Understood."}}) +
		strings.ReplaceAll(line("user", "u4", "2026-03-13T10:00:00Z", "Give the refund a limit.")+
			line("assistant", "a6", "2026-03-13T10:00:05Z", use("t3", "Edit", map[string]any{"file_path": filepath.Join(root, "pay/refund.go"), "old_string": "nil", "new_string": "errLimit"}))+
			line("user", "r3", "2026-03-13T10:00:06Z", result("t3", "done"))+
			line("assistant", "a7", "2026-03-13T10:00:07Z", use("t4", "Edit", map[string]any{"file_path": filepath.Join(root, "pay/retry.go"), "old_string": "nil", "new_string": "errLimit"}))+
			line("user", "r4", "2026-03-13T10:00:08Z", result("t4", "done")), `"s1"`, `"s2"`) +
		line("user", "u2", "2026-03-21T10:00:00Z", "And what is LaterLimit now?") +
		line("assistant", "a4", "2026-03-21T10:00:05Z", []map[string]any{{"type": "text", "text": "Seven."}})
	servertest.WriteFile(t, filepath.Join(s.home, ".claude/projects/-work/s1.jsonl"), log)
	temporary := t.TempDir()
	s.env = append(s.env, "TMPDIR="+temporary)
	before := filesOf(t, root)

	stdout, stderr, code := s.run("", "contexture", "replay", "claude-code", "--json", "--root", root)
	if code != 0 {
		t.Fatalf("%d, %s", code, stderr)
	}
	var r replayResult
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if r.Sessions != 2 || r.Prompts != 4 || r.Skipped != 1 || r.Given == 0 || len(r.Best) != 1 {
		t.Fatalf("%+v", r)
	}
	best := r.Best[0]
	if best.Turn != "T-2" || !strings.Contains(best.Text, "pay/retry.go:") || strings.Contains(best.Text, "later.go") {
		t.Errorf("the state of the workspace is not that of the prompt: %+v", best)
	}
	if best.Receipt.Needless != 1 || best.Receipt.Spared != len(found)/4 || best.Receipt.Given != len(best.Text)/4 || best.Net != best.Receipt.Spared-best.Receipt.Given {
		t.Errorf("%+v", best.Receipt)
	}
	if len(r.Moments) != 1 || r.Moments[0].Moment != "beforeEdit" || r.Moments[0].Times != 2 || r.Moments[0].Told != 1 || len(r.Acts) != 1 ||
		!strings.Contains(r.Acts[0].Text, "free of timers") {
		t.Errorf("at acts: %+v, %+v", r.Moments, r.Acts)
	}
	if r.Total.Looks != 2 || r.Net != r.Total.Spared-r.Total.Given {
		t.Errorf("%+v", r.Total)
	}
	if after := filesOf(t, root); !slices.Equal(before, after) {
		t.Errorf("the repository changed: %v, was %v", after, before)
	}
	if chats, _, _ := s.run("", "contexture", "chats", "list", "--root", root); chats != "" {
		t.Errorf("it was remembered: %s", chats)
	}
	stdout, stderr, code = s.run("", "contexture", "replay", "--since", "2026-03-15", "--root", root)
	if code != 0 || !strings.Contains(stdout, "1 session with 1 prompt; ") {
		t.Errorf("since: %d, %s, %s", code, stdout, stderr)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"replay", "nonsense"}, "nonsense"}, {[]string{"replay", "--limit", "0"}, "--limit 0"}, {[]string{"replay", "--since", "soon"}, "soon"},
		{[]string{"replay", "--root", t.TempDir()}, "is not in a Git repository"},
	} {
		if _, stderr, code := s.run("", append([]string{"contexture"}, tt.args...)...); code == 0 || !strings.Contains(stderr, tt.want) {
			t.Errorf("%v: %d, %s", tt.args, code, stderr)
		}
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "contexture-replay-*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// filesOf lists the files below a folder, with their sizes and times.
func filesOf(t *testing.T, root string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		out = append(out, fmt.Sprint(path, info.Size(), info.ModTime()))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
