package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/capture"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
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
		"timestamp": fmt.Sprintf("2026-10-01T10:%02d:%02d.000Z", l.n/60, l.n%60), "message": map[string]any{"role": role, "content": content, "model": map[string]string{"assistant": "some-model-4"}[role]},
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return string(raw) + "\n"
}

// write appends text to the log.
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

// captured starts an editor on a server that follows the logs in a home folder.
func captured(t testing.TB, home, state, root string) (*servertest.Editor, *server.Server) {
	t.Helper()
	o := servertest.Options{Home: home, StateDir: state, Roots: []string{root}}
	o.Server = servertest.NewServer(t, o)
	o.Server.Capture(t.Context(), engine.SessionOptions{})
	return servertest.Start(t, o), o.Server
}

// messages returns the number of messages of a conversation, 0 if there is none.
func messages(t testing.TB, e *servertest.Editor, id string) int {
	t.Helper()
	for _, c := range ask[command.ListResult](t, e, "contexture.conversation.list", args{"limit": 1000}).Conversations {
		if c.ID == id {
			return c.MessageCount
		}
	}
	return 0
}

// TestCaptureFollows checks that text written into a host's log can be recalled in the workspace of
// its working directory after the person's consent, and not before.
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

// TestCaptureNeedsConsent checks that nothing is read from a source that is off, whichever request
// asks for it.
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

// TestCaptureWorktrees checks that the worktrees of a repository share a memory, and that a folder
// that only claims to be a worktree does not get it.
func TestCaptureWorktrees(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	main := servertest.Tree(t, map[string]string{
		"a.go": "package a\n", ".git/HEAD": "ref: refs/heads/main\n", ".git/worktrees/w/commondir": "../..\n", ".git/worktrees/w/HEAD": "x\n",
	})
	git := filepath.Join(main, ".git", "worktrees", "w")
	tree := servertest.Tree(t, map[string]string{"a.go": "package a\n", ".git": "gitdir: " + git + "\n"})
	thief := servertest.Tree(t, map[string]string{"a.go": "package a\n", ".git": "gitdir: " + git + "\n"})
	if err := os.WriteFile(filepath.Join(git, "gitdir"), []byte(filepath.Join(tree, ".git")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, v := captured(t, home, state, main)
	for session, cwd := range map[string]string{"s-tree": tree, "s-thief": thief} {
		log := newClaudeLog(t, home, cwd, session)
		log.write(log.line("user", "About the osprey in "+session+"."))
	}
	ask[command.CaptureImportResult](t, e, "contexture.capture.import", args{"sources": []string{"claude-code"}})
	if n := messages(t, e, "claude-code/s-tree"); n != 1 {
		t.Errorf("%d messages of a worktree in the main one", n)
	}
	if n := messages(t, e, "claude-code/s-thief"); n != 0 {
		t.Errorf("%d messages of a folder that is no worktree", n)
	}
	say(t, e, "own", user("Said in the main worktree."))
	in := servertest.Start(t, servertest.Options{Server: v, Roots: []string{tree}})
	if messages(t, in, "own") != 1 || messages(t, in, "claude-code/s-tree") != 1 {
		t.Error("the worktree does not have the memory of its repository")
	}
	out := servertest.Start(t, servertest.Options{Server: v, Roots: []string{thief}})
	if messages(t, out, "own") != 0 || messages(t, out, "claude-code/s-thief") != 1 {
		t.Error("a folder that is no worktree has the memory of a repository")
	}
}

// TestCaptureForgets checks that no process brings back from the logs what was forgotten or
// deleted.
func TestCaptureForgets(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	root := servertest.Tree(t, map[string]string{"a.go": "package a\n", ".git/HEAD": "x\n"})
	logs := map[string]*claudeLog{}
	for _, session := range []string{"all", "turn", "deleted", "kept"} {
		log := newClaudeLog(t, home, root, session)
		log.write(log.line("user", "First of "+session+".") + log.line("assistant", "Yes.") + log.line("user", "Second of "+session+"."))
		logs[session] = log
	}
	// process runs do with a new process that has no record of what was read before.
	process := func(name string, do func(t *testing.T, e *servertest.Editor, w *memory.Workspace)) {
		t.Run(name, func(t *testing.T) {
			if err := os.RemoveAll(filepath.Join(state, "capture")); err != nil {
				t.Fatal(err)
			}
			o := servertest.Options{Home: home, StateDir: state, Roots: []string{root}}
			o.Server = servertest.NewServer(t, o)
			e := servertest.Start(t, o)
			ask[command.CaptureImportResult](t, e, "contexture.capture.import", args{"sources": []string{"claude-code"}})
			w, err := o.Server.Memory(t.Context(), root)
			if err != nil {
				t.Fatal(err)
			}
			do(t, e, w)
		})
	}
	process("forget", func(t *testing.T, e *servertest.Editor, w *memory.Workspace) {
		if n := messages(t, e, "claude-code/all"); n != 3 {
			t.Fatalf("%d messages", n)
		}
		err := errors.Join(w.ForgetConversation(t.Context(), "claude-code/all"), w.ForgetTurn(t.Context(), "claude-code/turn", 1))
		if err != nil {
			t.Fatal(err)
		}
		e.MustExecute("contexture.conversation.delete", args{"conversationId": "claude-code/deleted"}, nil)
	})
	for _, log := range logs {
		log.write(log.line("user", "Third of "+log.session+"."))
	}
	process("again", func(t *testing.T, e *servertest.Editor, w *memory.Workspace) {
		if messages(t, e, "claude-code/all")+messages(t, e, "claude-code/deleted") > 0 {
			t.Error("what was forgotten is there again")
		}
		if messages(t, e, "claude-code/turn") != 4 || messages(t, e, "claude-code/kept") != 4 {
			t.Error("the third message is not there")
		}
		turn := ask[command.TurnResult](t, e, "contexture.conversation.turn", args{"conversationId": "claude-code/turn", "turnId": "T-1", "level": "R"})
		if strings.Contains(turn.Text, "First") {
			t.Errorf("a turn that was forgotten is there again: %s", turn.Text)
		}
		say(t, e, "claude-code/all", user("A client says it itself."))
		if err := w.ForgetAll(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	process("nothing", func(t *testing.T, e *servertest.Editor, _ *memory.Workspace) {
		if list := ask[command.ListResult](t, e, "contexture.conversation.list", args{}).Conversations; len(list) > 0 {
			t.Errorf("of a workspace that was forgotten there is %+v", list)
		}
	})
}

// TestCaptureLearnsOnlyFromThePerson checks that an assistant with a model's name is still an
// assistant, so that only what the person says becomes a rule.
func TestCaptureLearnsOnlyFromThePerson(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	root := servertest.Tree(t, map[string]string{"a.go": "package a\n", ".git/HEAD": "x\n"})
	e, _ := captured(t, home, state, root)
	log := newClaudeLog(t, home, root, "said")
	log.write(log.line("user", "Always wrap errors with the name of the operation.") +
		log.line("assistant", "From now on I'll always keep the SQL of migrations in one file each.") +
		log.line("user", "Thanks."))
	ask[command.CaptureImportResult](t, e, "contexture.capture.import", args{"sources": []string{"claude-code"}})
	var rules []string
	for _, it := range ask[command.KnowledgeListResult](t, e, "contexture.knowledge.list", args{"kind": "rule"}).Items {
		rules = append(rules, it.Content)
	}
	if want := []string{"Always wrap errors with the name of the operation."}; !slices.Equal(rules, want) {
		t.Errorf("rules %q, want %q", rules, want)
	}
}

// TestCaptureForks checks that what a forked session repeats of the one before is stored once and
// said once: it shares the messages, has only its own besides, and confirms no rule. It is also so
// where the copies of a batch are all that is known at first.
func TestCaptureForks(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	root := servertest.Tree(t, map[string]string{"a.go": "package a\n", ".git/HEAD": "x\n"})
	dir := filepath.Join(home, ".codex", "sessions", "2026", "10", "01")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	said := func(n int, role, text string) string {
		return fmt.Sprintf(`{"timestamp":"2026-10-01T10:%02d:%02dZ","type":"response_item","payload":{"type":"message","role":%q,"content":[{"type":"text","text":%q}]}}`+"\n", n/60, n%60, role, text)
	}
	meta := func(id, of string) string {
		return fmt.Sprintf(`{"type":"session_meta","payload":{"id":%q,"cwd":%q,"forked_from_id":%q}}`+"\n", id, root, of)
	}
	past := func(from int) (out string) {
		out = said(from, "user", "Please never push to main directly, always open a pull request and wait until a colleague has looked at it twice.") + said(from, "assistant", "Understood.")
		for i := range 300 { // more than a batch
			out += said(from+i, "user", fmt.Sprintf("Rename widget %d.", i)) + said(from+i, "assistant", fmt.Sprintf("Renamed widget %d.", i))
		}
		return out
	}
	for name, text := range map[string]string{
		"rollout-1-c1.jsonl": meta("c1", "") + past(0) + said(900, "user", "Stop here."),
		"rollout-2-c2.jsonl": meta("c2", "c1") + meta("c1", "") + past(1800) + said(2400, "user", "Try the walrus instead."),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e, _ := captured(t, home, state, root)
	done := ask[command.CaptureImportResult](t, e, "contexture.capture.import", args{"sources": []string{"codex"}}).Sources[0]
	if done.Messages != 604 || len(done.Errors) > 0 {
		t.Errorf("imported %+v, want 603 messages and one of the fork's own", done)
	}
	if n := messages(t, e, "codex/c2"); n != 603 {
		t.Errorf("the fork has %d messages", n)
	}
	list := ask[command.ListResult](t, e, "contexture.conversation.list", args{"forkOf": "codex/c1"}).Conversations
	if len(list) != 1 || list[0].ID != "codex/c2" {
		t.Errorf("forks of the session: %+v", list)
	}
	for _, it := range ask[command.KnowledgeListResult](t, e, "contexture.knowledge.list", args{"kind": "rule"}).Items {
		if it.State != "candidate" {
			t.Errorf("a rule that was said once: %+v", it)
		}
	}
}

// TestCaptureStores checks how messages are stored: secrets are removed, long texts are cut and
// marked, a fork shares its common messages, and a memory that is switched off stays empty.
func TestCaptureStores(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	root := servertest.Tree(t, map[string]string{"a.go": "package a\n", ".git/HEAD": "x\n"})
	off := servertest.Tree(t, map[string]string{"a.go": "package a\n", ".git/HEAD": "x\n", ".contexture.toml": "memory.enabled = false\n"})
	e, _ := captured(t, home, state, root)
	const secret = "ghp_" + "x7Kq2mN9vRt4Lp8sWz3yBc6dFg1hJ5uA0eQi"
	log := newClaudeLog(t, home, root, "long")
	log.write(log.line("user", "The token is "+secret+".") + log.line("assistant", strings.Repeat("much ", 1<<20)))
	silent := newClaudeLog(t, home, off, "off")
	silent.write(silent.line("user", "Keep nothing of this."))
	gone := newClaudeLog(t, home, filepath.Join(filepath.Dir(root), "was-here"), "gone")
	gone.write(gone.line("user", "Its folder is gone."))
	fork := newClaudeLog(t, home, root, "fork")
	fork.write(strings.ReplaceAll(fork.line("user", "copied"), `"isSidechain":false`, `"forkedFrom":{"sessionId":"long","messageUuid":"long-2"}`))
	fork.write(fork.line("user", "And then?"))
	at := time.Now().Add(time.Minute)
	if err := os.Chtimes(fork.path, at, at); err != nil { // the newest one
		t.Fatal(err)
	}
	done := ask[command.CaptureImportResult](t, e, "contexture.capture.import", args{"sources": []string{"claude-code"}}).Sources[0]
	if done.Logs != 4 || len(done.Errors) > 0 {
		t.Errorf("imported %+v", done)
	}
	text := ask[command.TurnResult](t, e, "contexture.conversation.turn", args{"conversationId": "claude-code/long", "turnId": "T-1", "level": "R"}).Text
	if strings.Contains(text, secret) || !strings.Contains(text, "[REDACTED:") || !strings.Contains(text, "bytes cut: a message holds at most 4 MiB") {
		t.Errorf("stored: %.200s … %s", text, text[max(0, len(text)-200):])
	}
	for _, c := range ask[command.ListResult](t, e, "contexture.conversation.list", args{}).Conversations {
		if c.ID == "claude-code/fork" && (c.TurnCount != 2 || c.MessageCount != 3) {
			t.Errorf("the fork is %+v", c)
		}
	}
	st := ask[command.CaptureStatusResult](t, e, "contexture.capture.status", args{}).Sources[0]
	if st.Left[capture.LeftOff] != 1 || st.Sessions != 3 {
		t.Errorf("status %+v", st)
	}
}
