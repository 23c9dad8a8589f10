package server_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// claudeLog is a session's log of Claude Code in a home folder.
type claudeLog struct {
	t       testing.TB
	path    string
	session string
	cwd     string
	n       int
}

func newClaudeLog(t testing.TB, home, cwd, session string) *claudeLog {
	t.Helper()
	dir := filepath.Join(home, ".claude", "projects", strings.ReplaceAll(cwd, "/", "-"))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return &claudeLog{t: t, path: filepath.Join(dir, session+".jsonl"), session: session, cwd: cwd}
}

// line returns a line of the log, with its end.
func (l *claudeLog) line(role string, content any) string {
	l.t.Helper()
	l.n++
	raw, err := json.Marshal(map[string]any{
		"type": role, "uuid": fmt.Sprintf("%s-%d", l.session, l.n), "sessionId": l.session, "cwd": l.cwd, "isSidechain": false,
		"timestamp": fmt.Sprintf("2026-10-01T10:%02d:%02d.000Z", l.n/60, l.n%60), "message": map[string]any{"role": role, "content": content},
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return string(raw) + "\n"
}

// write appends to the log.
func (l *claudeLog) write(text string) {
	l.t.Helper()
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		l.t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		l.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		l.t.Fatal(err)
	}
}

// captured is an editor on a server that follows the logs in a home folder.
func captured(t testing.TB, home, state, root string) (*servertest.Editor, *server.Server) {
	t.Helper()
	o := servertest.Options{Home: home, StateDir: state, Roots: []string{root}}
	o.Server = servertest.NewServer(t, o)
	o.Server.Capture(t.Context(), server.SessionOptions{})
	return servertest.Start(t, o), o.Server
}

// messages returns how many messages a conversation has; 0 where there is none.
func messages(t testing.TB, e *servertest.Editor, id string) int {
	t.Helper()
	for _, c := range ask[command.ListResult](t, e, "contexture.conversation.list", args{"limit": 1000}).Conversations {
		if c.ID == id {
			return c.MessageCount
		}
	}
	return 0
}

// TestCaptureFollows holds that what is written into a host's log is recalled in the workspace of its working directory,
// after the person consented and not before.
func TestCaptureFollows(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	root := servertest.Tree(t, map[string]string{"pool/pool.go": "package pool\n", ".git/HEAD": "ref: refs/heads/main\n"})
	before := newClaudeLog(t, home, root, "before")
	before.write(before.line("user", "The kestrel quota is twelve."))
	e, _ := captured(t, home, state, root)
	e.MustExecute("contexture.capture.set", args{"source": "claude-code", "on": true}, nil)
	log := newClaudeLog(t, home, filepath.Join(root, "pool"), "live")
	log.write(log.line("user", "Why does the walrus pool block when it is full?"))
	log.write(log.line("assistant", []any{
		args{"type": "thinking", "thinking": "The semaphore again."},
		args{"type": "text", "text": "Because the walrus semaphore is taken twice."},
		args{"type": "tool_use", "id": "call-1", "name": "Bash", "input": args{"command": "go test ./pool"}},
	}))
	log.write(log.line("user", []any{args{"type": "tool_result", "tool_use_id": "call-1", "content": "--- FAIL: TestPool", "is_error": true}}))
	e.Eventually("the session is there", func() bool { return messages(t, e, "claude-code/live") == 3 })
	got := ask[command.RecallResult](t, e, "contexture.recall", args{"query": "walrus semaphore taken twice"})
	if !strings.Contains(got.Text, "taken twice") || strings.Contains(got.Text, "The semaphore again") {
		t.Errorf("recall answers %q", got.Text)
	}
	if n := messages(t, e, "claude-code/before"); n != 0 {
		t.Errorf("%d messages of a session from before the consent", n)
	}
	ask[command.CaptureImportResult](t, e, "contexture.capture.import", args{"sources": []string{"claude-code"}})
	if n := messages(t, e, "claude-code/before"); n != 1 {
		t.Errorf("%d messages after the import", n)
	}
	st := ask[command.CaptureStatusResult](t, e, "contexture.capture.status", args{}).Sources[0]
	if !st.On || st.Sessions != 2 || st.Messages != 4 || st.LastReadAt == nil || len(st.Unknown)+len(st.Errors) > 0 {
		t.Errorf("status %+v", st)
	}
}

// TestCaptureNeedsConsent holds that nothing is read of a source that is off, whoever asks.
func TestCaptureNeedsConsent(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	root := servertest.Tree(t, map[string]string{"a.go": "package a\n", ".git/HEAD": "x\n", ".contexture.toml": "capture.claude-code = true\n"})
	e, _ := captured(t, home, state, root)
	log := newClaudeLog(t, home, root, "private")
	log.write(log.line("user", "Nobody may read this."))
	poked := ask[command.CapturePokeResult](t, e, "contexture.capture.poke", args{"source": "claude-code", "path": log.path})
	if poked.On {
		t.Error("a source that nobody switched on is on")
	}
	refused(t, e, "contexture.capture.import", args{}, "", "failed")
	refused(t, e, "contexture.capture.set", args{"source": "clippy", "on": true}, "source", "")
	refused(t, e, "contexture.capture.poke", args{"source": "claude-code", "path": "/etc/passwd"}, "path", "")
	if n := messages(t, e, "claude-code/private"); n != 0 {
		t.Errorf("%d messages without consent", n)
	}
}
