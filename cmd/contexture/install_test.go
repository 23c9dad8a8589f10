//go:build linux || darwin

package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/capture"
	"github.com/contexture-dev/contexture/server/servertest"
)

// stranger is a person with a fresh home directory, a state directory, and the program in PATH.
type stranger struct {
	t           *testing.T
	home, state string
	env         []string
}

func newStranger(t *testing.T, folders ...string) *stranger {
	t.Helper()
	s := &stranger{t: t, home: t.TempDir(), state: stateDir(t)}
	for _, f := range folders {
		if err := os.MkdirAll(filepath.Join(s.home, f), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, setting := range os.Environ() {
		switch name, _, _ := strings.Cut(setting, "="); name {
		case "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "OPENCODE_CONFIG_DIR", "CONTINUE_GLOBAL_DIR", "CLINE_DIR",
			"CLINE_DATA_DIR", "CLINE_MCP_SETTINGS_PATH", "NVIM_APPNAME", "OLLAMA_HOST", "HOME", "CONTEXTURE_STATE_DIR", "CONTEXTURE_HOOK_TIME":
		default:
			s.env = append(s.env, setting)
		}
	}
	// Machines that run tests are busy: what is measured elsewhere is not waited for here.
	s.env = append(s.env, "HOME="+s.home, "CONTEXTURE_STATE_DIR="+s.state, "OLLAMA_HOST=", "CONTEXTURE_HOOK_TIME=20s")
	t.Cleanup(func() { // what hooks started ends before the daemon does, or it would start another
		none := func() bool {
			marks, err := filepath.Glob(filepath.Join(s.state, "hosts", "ready", "*"))
			return err == nil && len(marks) == 0
		}
		if !until(none) {
			t.Error("a workspace is not made ready")
		}
	})
	return s
}

// run runs a program with standard input, and returns what it prints.
func (s *stranger) run(input string, args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Stdin = s.env, strings.NewReader(input)
	cmd.Dir = s.home
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	if failed := cmd.Run(); failed != nil && cmd.ProcessState == nil {
		s.t.Fatal(failed)
	}
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

// done runs the program, which must succeed.
func (s *stranger) done(args ...string) string {
	s.t.Helper()
	out, stderr, code := s.run("", append([]string{"contexture"}, args...)...)
	if code != 0 {
		s.t.Fatalf("%v: %d, %s", args, code, stderr)
	}
	return out
}

// read reads a JSON file of the home directory.
func (s *stranger) read(name string, into any) {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.home, name))
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// claude is what Claude Code reads of its settings.
type claude struct {
	Hooks map[string][]struct {
		Matcher string
		Hooks   []struct {
			Type, Command string
			Timeout       int
		}
	}
}

// fire runs the hooks of an event as Claude Code does: each command by the shell, the event's JSON on standard input,
// and reads the context that the answer adds.
func (c *claude) fire(s *stranger, event string, input map[string]any) (context string) {
	s.t.Helper()
	input["hook_event_name"], input["permission_mode"] = event, "default"
	text, err := json.Marshal(input)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, group := range c.Hooks[event] {
		for _, h := range group.Hooks {
			out, stderr, code := s.run(string(text), "sh", "-c", h.Command)
			if code != 0 || stderr != "" {
				s.t.Fatalf("%s: %d, %s", event, code, stderr)
			}
			if out == "" {
				continue
			}
			var answer struct {
				HookSpecificOutput struct{ HookEventName, AdditionalContext string }
			}
			d := json.NewDecoder(strings.NewReader(out))
			d.DisallowUnknownFields()
			if err := d.Decode(&answer); err != nil || answer.HookSpecificOutput.HookEventName != event {
				s.t.Fatalf("%s answers %s, %v", event, out, err)
			}
			context += answer.HookSpecificOutput.AdditionalContext
		}
	}
	return context
}

// TestStranger plays a person who has Claude Code and types one command: the session's start makes the workspace ready,
// the tools answer the protocol's handshake, and the first prompt comes with the code that it is about.
func TestStranger(t *testing.T) {
	s := newStranger(t, ".claude")
	root := servertest.Tree(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", "pool/pool.go": "package pool\n\n// Acquire waits for a free connection and retries three times.\nfunc Acquire() error { return nil }\n",
	})
	if out := s.done("install"); !strings.Contains(out, "Claude Code\n  ~/.claude.json") || strings.Contains(out, "Codex") {
		t.Errorf("install prints\n%s", out)
	}
	var settings claude
	s.read(".claude/settings.json", &settings)
	session := func(more map[string]any) map[string]any {
		in := map[string]any{"session_id": "0b5e", "transcript_path": filepath.Join(s.home, ".claude/projects/x/0b5e.jsonl"), "cwd": filepath.Join(root, "pool")}
		maps.Copy(in, more)
		return in
	}
	if got := settings.fire(s, "SessionStart", session(map[string]any{"source": "startup"})); got != "" {
		t.Errorf("the start adds %q", got)
	}
	s.handshake(root)
	if !until(func() bool { return daemonRuns(t, s.state) }) {
		t.Fatal("the start of the session brings no daemon up")
	}
	s.done("search", "--root", root, "Acquire") // waits until the index is there, as a person who thinks does
	got := settings.fire(s, "UserPromptSubmit", session(map[string]any{"prompt": "where are connections retried in pool.Acquire?"}))
	if !strings.Contains(got, "retries three times") || !strings.Contains(got, "pool/pool.go") || strings.Contains(got, "where are connections retried") {
		t.Errorf("the first prompt comes with\n%s", got)
	}
	if again := settings.fire(s, "UserPromptSubmit", session(map[string]any{"prompt": "where are connections retried in pool.Acquire?"})); again != "" {
		t.Errorf("what the model has comes again:\n%s", again)
	}
	settings.fire(s, "SessionStart", session(map[string]any{"source": "compact"}))
	if again := settings.fire(s, "UserPromptSubmit", session(map[string]any{"prompt": "where are connections retried in pool.Acquire?"})); !strings.Contains(again, "retries three times") {
		t.Errorf("after a compaction the prompt comes with\n%s", again)
	}
	for _, quiet := range []string{"commit this", "/compact", "thanks!"} {
		if got := settings.fire(s, "UserPromptSubmit", session(map[string]any{"prompt": quiet})); got != "" {
			t.Errorf("%q comes with\n%s", quiet, got)
		}
	}
	if got := settings.fire(s, "Stop", session(map[string]any{"stop_hook_active": false})); got != "" {
		t.Errorf("the end adds %q", got)
	}
	if on, err := capture.Consent(s.state); err != nil || !on[capture.ClaudeCode] || len(on) != 1 {
		t.Errorf("consent is %v, %v", on, err)
	}
}

// handshake starts the server that Claude Code's configuration names and shakes hands with it.
func (s *stranger) handshake(root string) {
	s.t.Helper()
	var config struct {
		McpServers map[string]struct {
			Type, Command string
			Args          []string
		}
	}
	s.read(".claude.json", &config)
	server := config.McpServers["contexture"]
	cmd := exec.Command(server.Command, server.Args...)
	cmd.Env, cmd.Dir = s.env, root
	in, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	stop := time.AfterFunc(servertest.Patience, func() { _ = cmd.Process.Kill() })
	defer stop.Stop()
	replies := json.NewDecoder(out)
	ask := func(request string, want string) {
		s.t.Helper()
		if _, err := in.Write([]byte(request + "\n")); err != nil {
			s.t.Fatal(err)
		}
		for want != "" {
			var reply json.RawMessage
			if err := replies.Decode(&reply); err != nil {
				s.t.Fatalf("%s: %v", request, err)
			}
			if bytes.Contains(reply, []byte(`"id":`)) && !bytes.Contains(reply, []byte(`"method":`)) {
				if !bytes.Contains(reply, []byte(want)) {
					s.t.Errorf("%s answers %s", request, reply)
				}
				return
			}
		}
	}
	ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1"}}}`, `"serverInfo"`)
	ask(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "")
	ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `"recall"`)
	if err := in.Close(); err != nil {
		s.t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		s.t.Error(err)
	}
}

// TestCompaction holds that rules, decisions and open questions come back: at once where the host takes them then, and
// with the next prompt where it does not.
func TestCompaction(t *testing.T) {
	s := newStranger(t)
	root := servertest.Tree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a.go": "package a\n\n// Login checks a password.\nfunc Login() {}\n"})
	e := servertest.Connect(t, serveShared(t, s.state), servertest.Options{Roots: []string{root}})
	e.Initialize(servertest.Options{Roots: []string{root}})
	e.MustExecute("contexture.knowledge.put", map[string]any{"kind": "rule", "title": "Errors", "content": "Wrap errors with the operation's name.", "topics": []string{}, "keywords": []string{}}, nil)
	for _, id := range []string{"claude-code/s", "cursor/s"} {
		e.MustExecute("contexture.conversation.append", map[string]any{"conversationId": id, "messages": []map[string]any{
			{"role": "user", "content": "We decided to hash passwords with bcrypt. Which cost should we take?"}, {"role": "assistant", "content": "Let me measure."},
		}}, nil)
	}
	now, stderr, code := s.run(`{"session_id":"s","cwd":"`+root+`","source":"compact"}`, "contexture", "hook", "claude-code", "SessionStart")
	for _, want := range []string{"Wrap errors with the operation's name.", "bcrypt"} {
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

// TestHookHoldsNothingUp holds that a hook exits with 0 and prints nothing but the host's form, whatever goes wrong.
func TestHookHoldsNothingUp(t *testing.T) {
	s := newStranger(t)
	root := servertest.Tree(t, map[string]string{".git/HEAD": "", "a.go": "package a\n"})
	good := `{"session_id":"s","cwd":"` + root + `","prompt":"what is in a.go?"}`
	nowhere := `{"session_id":"s","cwd":"` + s.home + `"}`
	long := strings.Repeat("x", hookInput)
	for name, c := range map[string]struct{ input, args, stdout, stderr string }{
		"unknown host":       {good, "clippy Stop", "", `there is no host "clippy"`},
		"unknown event":      {good, "claude-code Stopp", "", `event "Stopp" of claude-code is unknown`},
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

// TestHookIsPrompt holds that a hook leaves in time where its input does not end, and where the daemon hangs.
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

// TestElevenHosts holds that a home directory with all hosts is after install --all and uninstall what it was.
func TestElevenHosts(t *testing.T) {
	s := newStranger(t, ".claude", ".codex", ".cursor", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings", ".config/opencode", ".gemini", ".config/zed",
		".continue", ".codeium/windsurf", ".config/nvim")
	for name, text := range map[string]string{
		".claude.json": `{"numStartups":3}`, ".claude/settings.json": "{\n\t\"model\": \"opus\"\n}", ".codex/config.toml": "model = \"x\" # mine", ".cursor/mcp.json": "{}\n",
		".config/Code/User/settings.json": "// mine\n{\n}\n", ".config/opencode/opencode.jsonc": "{ /* nothing */ }", ".gemini/settings.json": "{\r\n  \"ui\": {}\r\n}\r\n",
		".config/zed/settings.json": "{\n  \"vim_mode\": true,\n}\n", ".continue/config.yaml": "name: Mine\nmodels: []", ".codeium/windsurf/mcp_config.json": "",
		".config/nvim/init.lua": "vim.o.number = true\n", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json": `{"mcpServers":{}}`,
	} {
		if err := os.WriteFile(filepath.Join(s.home, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	was := tree(t, s.home)
	s.done("install", "--all", "--dry-run")
	if now := tree(t, s.home); !maps.Equal(was, now) {
		t.Fatalf("--dry-run writes: %v", now)
	}
	s.done("install", "--all")
	installed := tree(t, s.home)
	s.done("install", "--all")
	if now := tree(t, s.home); !maps.Equal(installed, now) || maps.Equal(was, now) {
		t.Error("a second installation changes something, or the first did nothing")
	}
	s.done("uninstall")
	if now := tree(t, s.home); !maps.Equal(was, now) {
		t.Errorf("after it there is\n%v\nwas\n%v", now, was)
	}
	on, err := capture.Consent(s.state)
	if err != nil {
		t.Fatal(err)
	}
	for source, is := range on {
		if is {
			t.Errorf("%s is still captured", source)
		}
	}
}

// tree is all below a folder: content and mode by path.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := []byte{}
		if info.Mode().IsRegular() {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		out[path] = info.Mode().String() + " " + string(text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestInstallKeepsADecision holds that who switched capture off is not overruled, and that an uninstallation of the
// program's own is not taken for such a decision.
func TestInstallKeepsADecision(t *testing.T) {
	s := newStranger(t, ".codex", ".gemini")
	if err := capture.SetConsent(s.state, capture.Codex, false); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		out := s.done("install")
		if on, err := capture.Consent(s.state); err != nil || on[capture.Codex] || !on[capture.Gemini] || !strings.Contains(out, "contexture capture on codex") {
			t.Errorf("consent is %v, %v\n%s", on, err, out)
		}
		s.done("uninstall")
	}
}

// TestOneHostIsBroken holds that one host's broken configuration is named and left, and that the others are set up.
func TestOneHostIsBroken(t *testing.T) {
	s := newStranger(t, ".cursor", ".gemini")
	path := filepath.Join(s.home, ".cursor", "hooks.json")
	if err := os.WriteFile(path, []byte("{\n  \"version\" 1\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, stderr, code := s.run("", "contexture", "install")
	if code != 1 || !strings.Contains(stderr, "Cursor: nothing was written: "+path+": line 2: ") || strings.Contains(out, "Cursor") || !strings.Contains(out, "Gemini CLI\n") {
		t.Errorf("%d\n%s\n%s", code, out, stderr)
	}
	if _, err := os.Lstat(filepath.Join(s.home, ".cursor", "mcp.json")); err == nil {
		t.Error("a part of Cursor is set up")
	}
}

// TestInstallUsage holds what is said to a wrong command line, before anything is looked at.
func TestInstallUsage(t *testing.T) {
	for line, want := range map[string]string{
		"install clippy":           `there is no host "clippy"; there are claude-code, codex, `,
		"uninstall clippy":         `there is no host "clippy"`,
		"install --all codex":      "takes either names of hosts or --all",
		"install":                  "no host was found here; name one (claude-code, ",
		"install zed":              "was built by go run and is gone when it ends",
		"install --dry-run=maybe":  "--dry-run must be true or false",
		"install --state-dir= zed": "--state-dir: is empty",
	} {
		code, stderr := runWith(t, strings.Fields(line)...)
		if code == 0 || !strings.Contains(stderr, want) || internals.MatchString(stderr) {
			t.Errorf("%s: %d, %s, want %q", line, code, stderr, want)
		}
	}
	if code, stderr := runWith(t, "uninstall"); code != 0 || stderr != "Nothing is installed.\n" {
		t.Errorf("uninstall: %d, %s", code, stderr)
	}
}

// TestDryRun holds that --dry-run prints what a patch program could apply, and that uninstall's is its reverse.
func TestDryRun(t *testing.T) {
	s := newStranger(t, ".codex")
	path := filepath.Join(s.home, ".codex", "config.toml")
	if err := os.WriteFile(path, []byte("model = \"x\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := s.done("install", "codex", "--dry-run")
	for _, want := range []string{"--- ~/.codex/config.toml\n+++ ~/.codex/config.toml\n", "+[mcp_servers.contexture]\n", "--- /dev/null\n+++ ~/.codex/hooks.json\n", "# Codex: conversations are captured from now on"} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
	s.done("install", "codex")
	if out := s.done("install", "codex", "--dry-run"); !strings.Contains(out, "# Codex: nothing to write\n") {
		t.Errorf("a second time: %s", out)
	}
	out = s.done("uninstall", "--dry-run")
	for _, want := range []string{"-[mcp_servers.contexture]\n", "--- ~/.codex/hooks.json\n+++ /dev/null\n", "# Codex: conversations are no longer captured"} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
	if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "contexture") {
		t.Errorf("uninstall --dry-run writes: %s, %v", data, err)
	}
}
