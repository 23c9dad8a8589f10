//go:build linux || darwin

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/servertest"
)

// stranger is a person with a new home directory, a state directory, and the program in PATH.
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
			"CLINE_DATA_DIR", "CLINE_MCP_SETTINGS_PATH", "XDG_DOCUMENTS_DIR", "NVIM_APPNAME", "OLLAMA_HOST", "HOME", "CONTEXTURE_STATE_DIR", "CONTEXTURE_HOOK_TIME":
		default:
			s.env = append(s.env, setting)
		}
	}
	// Machines that run tests are busy, so times that benchmarks measure are not limited here.
	s.env = append(s.env, "HOME="+s.home, "CONTEXTURE_STATE_DIR="+s.state, "OLLAMA_HOST=", "CONTEXTURE_HOOK_TIME=20s")
	t.Cleanup(func() { // processes started by hooks must end before the daemon, or they would start another
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

// claude holds the settings that Claude Code reads.
type claude struct {
	Hooks map[string][]struct {
		Matcher string
		Hooks   []struct {
			Type, Command string
			Timeout       int
		}
	}
}

// fire runs the hooks of an event as Claude Code does: each command in the shell, with the event's
// JSON on standard input, and returns the context that the answer adds.
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
