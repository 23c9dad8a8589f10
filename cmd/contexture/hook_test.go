//go:build linux || darwin

package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/context/receipt"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestCompaction checks that rules, decisions and open questions are repeated: at once if the host
// accepts them then, otherwise with the next prompt.
func TestCompaction(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	root := servertest.Tree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a.go": "package a\n\n// Login checks a password.\nfunc Login() {}\n"})
	e := servertest.Connect(t, serveShared(t, s.state), servertest.Options{Roots: []string{root}})
	e.Initialize(servertest.Options{Roots: []string{root}})
	e.MustExecute("contexture.knowledge.put", map[string]any{"kind": "rule", "title": "Errors", "content": "Wrap errors with the operation's name.", "topics": []string{}, "keywords": []string{}}, nil)
	for _, id := range []string{"claude-code/s", "cursor/s"} {
		e.MustExecute("contexture.conversation.append", map[string]any{"conversationId": id, "messages": []map[string]any{
			{"role": "user", "content": "We decided to hash passwords with bcrypt. Which cost should we take?"}, {"role": "assistant", "content": "Let me measure.", "toolCalls": []map[string]any{
				{"name": "Bash", "arguments": map[string]any{"command": "go test -bench 'Hash|Cost' ./..."}, "result": "PASS"},
				{"name": "Bash", "arguments": map[string]any{"command": "go vet ./hash"}, "result": "Exit code 1\nundefined: cost", "isError": true},
			}},
		}}, nil)
	}
	now, stderr, code := s.run(`{"session_id":"s","cwd":"`+root+`","source":"compact"}`, "contexture", "hook", "claude-code", "SessionStart")
	for _, want := range []string{"Wrap errors with the operation's name.", "bcrypt", `asked for last:\n- We decided`, `worked in this conversation:\n- go test -bench 'Hash|Cost' ./...\n`} {
		if code != 0 || !strings.Contains(now, want) {
			t.Errorf("%d, %s: after the compaction there is no %q in\n%s", code, stderr, want, now)
		}
	}
	prompt := func() string {
		out, stderr, code := s.run(`{"conversation_id":"s","workspace_roots":["`+root+`"],"prompt":"go on"}`, "contexture", "hook", "cursor", "beforeSubmitPrompt")
		if code != 0 || stderr != "" {
			t.Errorf("%d, %s", code, stderr)
		}
		return out
	}
	if out := prompt(); out != "{\"continue\":true}\n" {
		t.Errorf("before the compaction: %s", out)
	}
	if out, _, code := s.run(`{"conversation_id":"s","workspace_roots":["`+root+`"]}`, "contexture", "hook", "cursor", "preCompact"); out != "" || code != 0 {
		t.Errorf("%d, %s", code, out)
	}
	if out := prompt(); !strings.Contains(out, "Wrap errors") || !strings.Contains(out, "bcrypt") {
		t.Errorf("after the compaction: %s", out)
	}
	if out := prompt(); out != "{\"continue\":true}\n" {
		t.Errorf("a second time: %s", out)
	}
}

// TestRulesReachTheModel checks that rules in force come at each start of a session, before a
// commit and once they have changed, and with nothing that asks for no work.
func TestRulesReachTheModel(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	root := servertest.Tree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a.go": "package a\n"})
	e := servertest.Connect(t, serveShared(t, s.state), servertest.Options{Roots: []string{root}})
	e.Initialize(servertest.Options{Roots: []string{root}})
	put := func(text string) {
		e.MustExecute("contexture.knowledge.put", map[string]any{"kind": "rule", "title": text, "content": text, "topics": []string{}, "keywords": []string{}}, nil)
	}
	put("Run make lint before a commit.")
	e.AwaitIdle()
	const one, two = "make lint", "Wrap errors"
	for _, c := range []struct{ host, event, input, want string }{
		{"claude-code", "SessionStart", `"session_id":"s","cwd":ROOT,"source":"startup"`, one},
		{"claude-code", "SessionStart", `"session_id":"s","cwd":ROOT,"source":"resume"`, one},
		{"claude-code", "SessionStart", `"session_id":"s","cwd":ROOT,"source":"clear"`, one},
		{"claude-code", "UserPromptSubmit", `"session_id":"s","cwd":ROOT,"prompt":"run the tests"`, ""},
		{"claude-code", "UserPromptSubmit", `"session_id":"s","cwd":ROOT,"prompt":"commit this"`, one},
		{"claude-code", "UserPromptSubmit", `"session_id":"s","cwd":ROOT,"prompt":"run the tests and commit"`, one},
		{"claude-code", "UserPromptSubmit", `"session_id":"s","cwd":ROOT,"prompt":"thanks!"`, ""},
		{"claude-code", "UserPromptSubmit", `"session_id":"new","cwd":ROOT,"prompt":"run the tests"`, one},
		{"codex", "SessionStart", `"session_id":"s","cwd":ROOT,"source":"startup"`, one},
		{"gemini", "SessionStart", `"session_id":"s","cwd":ROOT,"source":"startup"`, one},
		{"cursor", "sessionStart", `"conversation_id":"s","workspace_roots":[ROOT]`, one},
		{"opencode", "session.created", `"sessionID":"s","directory":ROOT`, ""},
		{"opencode", "chat.message", `"sessionID":"s","directory":ROOT,"prompt":"commit this"`, one},
		{"claude-code", "UserPromptSubmit", `"session_id":"s","cwd":ROOT,"prompt":"run the tests"`, two}, // see below
	} {
		if c.want == two {
			put("Wrap errors.")
		}
		out, stderr, code := s.run("{"+strings.ReplaceAll(c.input, "ROOT", fmt.Sprintf("%q", root))+"}", "contexture", "hook", c.host, c.event)
		if code != 0 || stderr != "" || c.want == "" && out != "" || !strings.Contains(out, c.want) || c.want != "" && !strings.Contains(out, "Rules that the person set") {
			t.Errorf("%s %s %s: %d, %s, %s", c.host, c.event, c.input, code, stderr, out)
		}
	}
}

// TestPlacesAreATrial checks that places are named with a prompt, and no longer where they did not
// pay.
func TestPlacesAreATrial(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	root := servertest.Tree(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", "store/pool.go": "package store\n\n// DrainPool closes idle connections of the pool.\nfunc DrainPool() {}\n",
	})
	e := servertest.Connect(t, serveShared(t, s.state), servertest.Options{Roots: []string{root}})
	e.Initialize(servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	for level, want := range []bool{true, true, false} {
		if err := hosts.WriteTrial(s.state, root, receipt.Trial{Level: level}); err != nil {
			t.Fatal(err)
		}
		input := fmt.Sprintf(`{"session_id":"s%d","cwd":%q,"prompt":"Where does DrainPool close idle connections of the pool?"}`, level, root)
		out, stderr, code := s.run(input, "contexture", "hook", "claude-code", "UserPromptSubmit")
		if code != 0 || stderr != "" || strings.Contains(out, "store/pool.go:") != want {
			t.Errorf("level %d: %d, %s, %s", level, code, stderr, out)
		}
	}
}

// TestGivenIsKept checks that what a prompt was given is kept, with the prompt, but no secret of
// it, and that a person can read it.
func TestGivenIsKept(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	root := servertest.Tree(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", "store/pool.go": "package store\n\n// DrainPool closes idle connections of the pool.\nfunc DrainPool() {}\n",
	})
	e := servertest.Connect(t, serveShared(t, s.state), servertest.Options{Roots: []string{root}})
	e.Initialize(servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	secret := "ghp_" + "x7Kq2mVbN4tR9wLz" + "P1sYd8FhJ3cUaE6gWoTi"
	input := fmt.Sprintf(`{"session_id":"s","cwd":%q,"prompt":"Where does DrainPool close connections of the pool? %s"}`, root, secret)
	if out, stderr, code := s.run(input, "contexture", "hook", "claude-code", "UserPromptSubmit"); code != 0 || !strings.Contains(out, "store/pool.go:") {
		t.Fatalf("%d, %s, %s", code, stderr, out)
	}
	given, err := hosts.ReadTexts(s.state, time.Now())
	if err != nil || len(given) != 1 {
		t.Fatalf("%v, %v", given, err)
	}
	for _, g := range given {
		if !strings.Contains(g.Text, "store/pool.go:") || !strings.HasPrefix(g.Prompt, "Where does DrainPool close connections of the pool? [REDACTED:") || strings.Contains(g.Prompt, secret) {
			t.Errorf("kept %+v", g)
		}
	}
	out, stderr, code := s.run("", "contexture", "receipts", "--root", root, "--text", "latest")
	if code != 0 || !strings.Contains(out, "Where does DrainPool") || !strings.Contains(out, "    store/pool.go:") {
		t.Errorf("%d, %s, %s", code, stderr, out)
	}
}

// TestHookNeverFails checks that a hook exits with 0 and prints only the host's form, whatever goes
// wrong.
func TestHookNeverFails(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	root := servertest.Tree(t, map[string]string{".git/HEAD": "", "a.go": "package a\n"})
	good := `{"session_id":"s","cwd":"` + root + `","prompt":"what is in a.go?"}`
	nowhere := `{"session_id":"s","cwd":"` + s.home + `"}`
	long := strings.Repeat("x", hookInput)
	for name, c := range map[string]struct{ input, args, stdout, stderr string }{
		"unknown host":       {good, "clippy Stop", "", `unknown host "clippy"`},
		"unknown event":      {good, "claude-code Stopp", "", `unknown event "Stopp" of claude-code`},
		"no event":           {good, "claude-code", "", "takes HOST and EVENT"},
		"unknown flag":       {nowhere, "claude-code Stop --verbose", "", ""},
		"wrong flag":         {nowhere, "claude-code Stop --offline=maybe", "", "invalid argument"},
		"empty":              {"", "claude-code UserPromptSubmit", "", "is not JSON"},
		"empty, to Cursor":   {"", "cursor beforeSubmitPrompt", `{"continue":true}`, "is not JSON"},
		"a folder that went": {`{"session_id":"s","cwd":"` + s.home + `/gone","prompt":"p"}`, "claude-code UserPromptSubmit", "", ""},
		"a relative folder":  {`{"session_id":"s","cwd":"here","prompt":"p"}`, "claude-code UserPromptSubmit", "", ""},
		"the home directory": {`{"session_id":"s","cwd":"` + s.home + `","prompt":"p"}`, "claude-code UserPromptSubmit", "", ""},
		"no state directory": {good, "claude-code UserPromptSubmit --state-dir /dev/null/x", "", ""},
		"too much":           {`{"session_id":"` + long + `"}`, "claude-code UserPromptSubmit", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			out, stderr, code := s.run(c.input, append([]string{"contexture", "hook"}, strings.Fields(c.args)...)...)
			if code != 0 || strings.TrimSpace(out) != c.stdout || !strings.Contains(stderr, c.stderr) || c.stderr == "" && stderr != "" {
				t.Errorf("%d, %q, %q", code, out, stderr)
			}
		})
	}
	if daemonRuns(t, s.state) {
		t.Error("a hook that cannot answer starts a daemon")
	}
}

// TestPluginAnswersOnce checks that the hooks of a host's plugin are silent if contexture install
// has added its own, which answer.
func TestPluginAnswersOnce(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	root := servertest.Tree(t, map[string]string{".git/HEAD": "", "pool.go": "package pool\n\n// Acquire waits for a free connection.\nfunc Acquire() {}\n"})
	e := servertest.Connect(t, serveShared(t, s.state), servertest.Options{Roots: []string{root}})
	e.Initialize(servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	session := 0
	answers := func(flags ...string) bool {
		session++
		args := append([]string{"contexture", "hook", "claude-code", "UserPromptSubmit"}, flags...)
		out, stderr, code := s.run(fmt.Sprintf(`{"session_id":"%d","cwd":%q,"prompt":"who waits in pool.Acquire?"}`, session, root), args...)
		if code != 0 || stderr != "" {
			t.Fatalf("%d, %s", code, stderr)
		}
		return strings.Contains(out, "pool.go:4  func Acquire")
	}
	if !answers("--plugin") {
		t.Error("the plugin alone does not answer")
	}
	if _, stderr, code := s.run("", "contexture", "install", "claude-code"); code != 0 {
		t.Fatal(stderr)
	}
	if answers("--plugin") {
		t.Error("the plugin answers beside the hooks of contexture install")
	}
	if !answers() {
		t.Error("the hooks of contexture install do not answer")
	}
}

// TestPluginAsksForConsent checks that the plugin's first session says that nothing is captured and
// how to agree, once, and never to a person who has decided.
func TestPluginAsksForConsent(t *testing.T) {
	t.Parallel()
	root := servertest.Tree(t, map[string]string{".git/HEAD": "", "a.go": "package a\n"})
	for _, decided := range []bool{false, true} {
		s := newStranger(t)
		if decided {
			s.done("capture", "off", "claude-code")
		}
		for i := range 2 {
			out, stderr, code := s.run(fmt.Sprintf(`{"session_id":"%d","cwd":%q,"source":"startup"}`, i, root), "contexture", "hook", "claude-code", "SessionStart", "--plugin")
			if asks := strings.Contains(out, `{"systemMessage":"Contexture `) && strings.Contains(out, "contexture capture on claude-code"); code != 0 || asks != (i == 0 && !decided) {
				t.Errorf("decided %t, session %d: %d, %s, %s", decided, i, code, out, stderr)
			}
		}
	}
}

// TestHookIsPrompt checks that a hook exits in time if its input does not end, and if the daemon
// hangs.
func TestHookIsPrompt(t *testing.T) {
	s := newStranger(t)
	s.env = append(s.env, "CONTEXTURE_HOOK_TIME=")
	root := servertest.Tree(t, map[string]string{".git/HEAD": "", "a.go": "package a\n"})
	e := servertest.Connect(t, serveShared(t, s.state), servertest.Options{Roots: []string{root}})
	e.Initialize(servertest.Options{Roots: []string{root}})
	e.AwaitIdle()
	pid := daemonOf(s.state)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	for name, input := range map[string]string{"daemon": `{"session_id":"s","cwd":"` + root + `","prompt":"what is in a.go?"}`, "input": ""} {
		cmd := exec.Command("contexture", "hook", "claude-code", "UserPromptSubmit")
		cmd.Env = s.env
		in, err := cmd.StdinPipe() // stays open
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		cmd.Stdout = &out
		begun := time.Now()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write([]byte(input)); err != nil {
			t.Fatal(err)
		}
		if name == "daemon" {
			if err := in.Close(); err != nil {
				t.Fatal(err)
			}
		}
		err = cmd.Wait()
		if took := time.Since(begun); err != nil || out.Len() > 0 || took > servertest.Patience/2 {
			t.Errorf("%s: %v after %v, %s", name, err, took, out.Bytes())
		}
	}
}

// TestHookReplacesAnOlderDaemon checks that the hook of a newer build replaces the older daemon, so
// that prompts have their context again.
func TestHookReplacesAnOlderDaemon(t *testing.T) {
	s := newStranger(t)
	root := servertest.Tree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "pool.go": "package pool\n\n// Acquire waits for a free connection.\nfunc Acquire() {}\n"})
	e := servertest.Connect(t, serveShared(t, s.state), servertest.Options{})
	e.Initialize(servertest.Options{Roots: []string{root}})
	older, newer := daemonOf(s.state), newerBuild(t)
	session := 0
	if !until(func() bool {
		session++
		out, _, code := s.run(fmt.Sprintf(`{"session_id":"%d","cwd":%q,"prompt":"who waits in pool.Acquire?"}`, session, root), newer, "hook", "claude-code", "UserPromptSubmit")
		return code == 0 && strings.Contains(out, "pool.go:4  func Acquire")
	}) {
		t.Fatal("the newer build's hook gets no context")
	}
	if daemonOf(s.state) == older {
		t.Error("the older daemon answers")
	}
}
