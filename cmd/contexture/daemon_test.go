//go:build linux || darwin

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestDaemonOnce: twenty programs that start concurrently share one daemon, whose socket only its
// user can access.
func TestDaemonOnce(t *testing.T) {
	state, root := stateDir(t), smallTree(t)
	var editors []*servertest.Editor
	for range 20 {
		editors = append(editors, servertest.Connect(t, serveShared(t, state), servertest.Options{}))
	}
	for _, e := range editors {
		e.Initialize(servertest.Options{Roots: []string{root}})
	}
	for _, e := range editors {
		e.AwaitIdle()
		if len(e.Search(map[string]any{"query": secretWord})) == 0 {
			t.Error("nothing is found")
		}
	}
	if n := logged(t, state, "daemon.log", "daemon begins"); n != 1 {
		t.Errorf("%d daemons were started", n)
	}
	for name, want := range map[string]os.FileMode{"run": os.ModeDir | 0o700, "run/contexture.sock": os.ModeSocket | 0o600} {
		if info, err := os.Lstat(filepath.Join(state, name)); err != nil || info.Mode() != want {
			t.Errorf("%s is %v, want %v: %v", name, info.Mode(), want, err)
		}
	}
}

// TestDaemonReportsMemoryChanges: an editor is notified of changes in memory by another editor of
// the same root, through both forwarders.
func TestDaemonReportsMemoryChanges(t *testing.T) {
	t.Parallel()
	state, root := stateDir(t), smallTree(t)
	var editors []*servertest.Editor
	for range 2 {
		e := servertest.Connect(t, serveShared(t, state), servertest.Options{})
		e.Initialize(servertest.Options{Roots: []string{root}})
		e.AwaitIdle()
		editors = append(editors, e)
	}
	editors[0].MustExecute("contexture.conversation.append", map[string]any{
		"conversationId": "c", "messages": []map[string]any{{"role": "user", "content": "Hello."}},
	}, nil)
	for i, e := range editors {
		e.Await(fmt.Sprintf("editor %d is told", i), func(s *servertest.State) servertest.Verdict {
			return servertest.If(len(s.Changed) > 0 && s.Changed[0].Workspace == servertest.URI(root))
		})
	}
}

// TestDaemonOwnOptions: settings, root and log belong to a session, and its log contains nothing of
// other sessions.
func TestDaemonOwnOptions(t *testing.T) {
	t.Parallel()
	state := stateDir(t)
	var editors []*servertest.Editor
	var logs []string
	for i := range 2 {
		dir := t.TempDir()
		config, log := filepath.Join(dir, "own.toml"), filepath.Join(dir, "own.log")
		servertest.WriteFile(t, config, fmt.Sprintf("[ticklers]\nmax = %d\n", 3+i))
		root := servertest.Tree(t, map[string]string{"a.go": fmt.Sprintf("package p\n\nfunc Only%d() {}\n", i)})
		p := serveShared(t, state, "--config", config, "--log-file", log, "--log-level", "debug", "--root", root)
		e := servertest.Connect(t, p, servertest.Options{})
		e.Initialize(servertest.Options{})
		e.AwaitIdle()
		editors, logs = append(editors, e), append(logs, log)
	}
	for i, e := range editors {
		var got command.ConfigResult
		e.MustExecute("contexture.config", map[string]any{}, &got)
		for _, s := range got.Settings {
			if s.Key == "ticklers.max" && fmt.Sprint(s.Value) != strconv.Itoa(3+i) {
				t.Errorf("session %d has %v of %s", i, s.Value, s.Source)
			}
		}
		for k := range editors {
			found := len(e.Search(map[string]any{"query": fmt.Sprintf("Only%d", k), "mode": "symbol"})) > 0
			if found != (i == k) {
				t.Errorf("session %d finds what is %d's: %t", i, k, found)
			}
		}
	}
	editors[0].Change("file:///not-open", 2)
	editors[1].CloseDocument("file:///not-open") // no fault, so no line
	for _, e := range editors {
		e.Search(map[string]any{"query": "x"}) // after what was notified
	}
	for i, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if has := bytes.Contains(text, []byte("not open")); has != (i == 0) {
			t.Errorf("log %d has the line of session 0: %t\n%s", i, has, text)
		}
	}
}

// TestDaemonKilled: an editor that continues after kill -9 of its daemon has the right texts and
// every answer, at whatever moment the kill happens.
func TestDaemonKilled(t *testing.T) {
	state, root := stateDir(t), smallTree(t)
	p := serveShared(t, state)
	e := servertest.Connect(t, p, servertest.Options{})
	e.Initialize(servertest.Options{Roots: []string{root}})
	uri := servertest.URI(filepath.Join(root, "b.go"))
	e.Open(uri, "package p\n\nfunc Word() {}\n")
	word := "Word"
	for n := range 12 {
		first := daemonOf(state)
		search := e.BeginCommand("contexture.search", map[string]any{"query": word, "mode": "symbol", "deadlineMs": 60000})
		if n%3 == 0 {
			killDaemon(t, state)
		}
		for i := range 40 {
			add := fmt.Sprintf("é%d", n*40+i)
			e.Change(uri, n*40+i+2, servertest.Edit{Line: 2, Character: 5, EndLine: 2, EndCharacter: 5 + len([]rune(word)), Text: add})
			word = add
			if n%3 == 1 && i == 20 {
				killDaemon(t, state)
			}
		}
		after := e.BeginCommand("contexture.search", map[string]any{"query": word, "mode": "symbol", "deadlineMs": 60000})
		if n%3 == 2 {
			killDaemon(t, state)
		}
		for _, run := range []*servertest.Pending{search, after} {
			if err := run.Wait(nil); err != nil {
				t.Fatalf("round %d: %v", n, err)
			}
		}
		hits := e.Search(map[string]any{"query": word, "mode": "symbol", "deadlineMs": 60000})
		if len(hits) == 0 || !strings.Contains(hits[0].Snippet, "func "+word+"()") {
			t.Fatalf("round %d: %q is not found: %+v", n, word, hits)
		}
		if daemonOf(state) == first {
			t.Fatalf("round %d: the daemon is the same", n)
		}
	}
	if err := e.Request("shutdown", nil, nil); err != nil {
		t.Fatal(err)
	}
	e.Notify("exit", nil)
	if code := p.left(); code != 0 || p.stderr.Len() > 0 {
		t.Errorf("left with %d: %s", code, &p.stderr)
	}
}

// TestDaemonReplaced: a newer build takes the daemon's place while another client goes on with its
// unsaved text, and an older one is served by it.
func TestDaemonReplaced(t *testing.T) {
	t.Parallel()
	state, root := stateDir(t), smallTree(t)
	older := servertest.Connect(t, serveShared(t, state), servertest.Options{})
	older.Initialize(servertest.Options{Roots: []string{root}})
	older.Open(servertest.URI(filepath.Join(root, "b.go")), "package p\n\nfunc Unsaved() {}\n")
	older.AwaitIdle()
	first := daemonOf(state)

	newer := servertest.Connect(t, serveSharedBy(t, newerBuild(t), state), servertest.Options{})
	newer.Initialize(servertest.Options{Roots: []string{root}})
	newer.AwaitIdle()
	second := daemonOf(state)
	if second == first {
		t.Error("the daemon is the older one")
	}
	if hits := older.Search(map[string]any{"query": "Unsaved", "mode": "symbol"}); len(hits) == 0 {
		t.Error("the other client lost its text")
	}
	if hits := newer.Search(map[string]any{"query": "Unsaved", "mode": "symbol"}); len(hits) != 0 {
		t.Error("the newer client sees the other's text")
	}
	third := servertest.Connect(t, serveShared(t, state), servertest.Options{})
	third.Initialize(servertest.Options{Roots: []string{root}})
	third.AwaitIdle()
	if now := daemonOf(state); now != second {
		t.Error("the older build took the place back")
	}
	if n := logged(t, state, "daemon.log", "daemon begins"); n != 2 {
		t.Errorf("%d daemons were started", n)
	}
}

// TestDaemonIdle: a daemon without clients exits by itself, and the next client starts another.
func TestDaemonIdle(t *testing.T) {
	t.Parallel()
	state := stateDir(t)
	p := startProgram(t, "contexture", "daemon", "--state-dir", state, "--idle", "100ms")
	if _, err := io.Copy(io.Discard, p.out); err != nil {
		t.Fatal(err)
	}
	if code := p.left(); code != 0 || p.stderr.Len() > 0 {
		t.Errorf("left with %d: %s", code, &p.stderr)
	}
	e := servertest.Connect(t, serveShared(t, state), servertest.Options{})
	e.Initialize(servertest.Options{Roots: []string{smallTree(t)}})
	e.AwaitIdle()
}

// TestDaemonHeld: a second daemon fails in time and names the one that runs.
func TestDaemonHeld(t *testing.T) {
	state := stateDir(t)
	e := servertest.Connect(t, serveShared(t, state), servertest.Options{})
	e.Initialize(servertest.Options{})
	begun := time.Now()
	p := startProgram(t, "contexture", "daemon", "--state-dir", state)
	if _, err := io.Copy(io.Discard, p.out); err != nil {
		t.Fatal(err)
	}
	code := p.left()
	took := time.Since(begun)
	if said := p.stderr.String(); code != 1 || !strings.Contains(said, strconv.Itoa(daemonOf(state))) || !strings.Contains(said, "--state-dir") {
		t.Errorf("left with %d: %s", code, said)
	}
	if took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

// TestDaemonStopped: a daemon that does not answer, and one that cannot be started, are named in
// time.
func TestDaemonStopped(t *testing.T) {
	t.Parallel()
	t.Run("does not answer", func(t *testing.T) {
		state := stateDir(t)
		e := servertest.Connect(t, serveShared(t, state), servertest.Options{})
		e.Initialize(servertest.Options{})
		pid := daemonOf(state)
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
		failsInTime(t, serveShared(t, state), strconv.Itoa(pid))
	})
	t.Run("cannot be started", func(t *testing.T) {
		state := stateDir(t)
		if err := os.Symlink(t.TempDir(), filepath.Join(state, "run")); err != nil {
			t.Fatal(err)
		}
		failsInTime(t, serveShared(t, state), "not a folder")
	})
}

func failsInTime(t *testing.T, p *program, say string) {
	t.Helper()
	begun := time.Now()
	if _, err := io.Copy(io.Discard, p.out); err != nil {
		t.Fatal(err)
	}
	if code := p.left(); code != 1 || !strings.Contains(p.stderr.String(), say) {
		t.Errorf("left with %d: %s", code, &p.stderr)
	}
	if took := time.Since(begun); took > 6*time.Second {
		t.Errorf("it took %s", took)
	}
}

// TestDaemonEditorDies: the death of the editor's process ends its forwarder, and its session in
// the daemon.
func TestDaemonEditorDies(t *testing.T) {
	t.Parallel()
	state, root := stateDir(t), smallTree(t)
	editor := exec.Command("cat") // waits for its input
	in, err := editor.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := editor.Start(); err != nil {
		t.Fatal(err)
	}
	p := serveShared(t, state)
	e := servertest.Connect(t, p, servertest.Options{})
	e.Initialize(servertest.Options{Roots: []string{root}, ProcessID: editor.Process.Pid})
	e.AwaitIdle()
	_ = editor.Process.Kill()
	_ = editor.Wait()
	if code := p.left(); code != 1 {
		t.Errorf("left with %d: %s", code, &p.stderr)
	}
	other := servertest.Connect(t, serveShared(t, state), servertest.Options{})
	other.Initialize(servertest.Options{Roots: []string{root}})
	var m command.MetricsResult
	if !until(func() bool {
		other.MustExecute("contexture.metrics", map[string]any{}, &m)
		return m.Process.Sessions == 1
	}) {
		t.Errorf("there are %d sessions", m.Process.Sessions)
	}
}

// TestDaemonEnds: when a daemon is told to end, its clients continue with the next one, and nothing
// is left behind.
func TestDaemonEnds(t *testing.T) {
	t.Parallel()
	state := stateDir(t)
	e := servertest.Connect(t, serveShared(t, state), servertest.Options{})
	e.Initialize(servertest.Options{Roots: []string{smallTree(t)}})
	e.AwaitIdle()
	first := daemonOf(state)
	if err := syscall.Kill(first, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if !until(func() bool { return daemonOf(state) != first && daemonRuns(t, state) }) {
		t.Fatal("there is no next daemon")
	}
	if len(e.Search(map[string]any{"query": secretWord})) == 0 {
		t.Error("nothing is found")
	}
	if n := logged(t, state, "daemon.log", "daemon ends"); n != 1 {
		t.Errorf("%d daemons ended in good order", n)
	}
}
