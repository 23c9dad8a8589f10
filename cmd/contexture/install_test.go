//go:build linux || darwin

package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/capture"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestStranger plays a person who has Claude Code and runs one command: the start of the session
// prepares the workspace, the tools answer the protocol's handshake, and the first prompt comes
// with the code that it is about.
func TestStranger(t *testing.T) {
	t.Parallel()
	s := newStranger(t, ".claude")
	root := servertest.Tree(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", "pool/pool.go": "package pool\n\n// Acquire waits for a free connection and retries three times.\nfunc Acquire() error { return nil }\n",
	})
	if out := s.done("install", "--capture"); !strings.Contains(out, "Claude Code\n  ~/.claude.json") || strings.Contains(out, "Codex") {
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
	s.done("search", "--root", root, "Acquire") // waits until the index is ready, as a person who thinks does
	got := settings.fire(s, "UserPromptSubmit", session(map[string]any{"prompt": "where are connections retried in pool.Acquire?"}))
	if !strings.Contains(got, "pool/pool.go:4  func Acquire") || strings.Contains(got, "where are connections retried") {
		t.Errorf("the first prompt comes with\n%s", got)
	}
	if again := settings.fire(s, "UserPromptSubmit", session(map[string]any{"prompt": "where are connections retried in pool.Acquire?"})); again != "" {
		t.Errorf("what the model has comes again:\n%s", again)
	}
	settings.fire(s, "SessionStart", session(map[string]any{"source": "compact"}))
	if again := settings.fire(s, "UserPromptSubmit", session(map[string]any{"prompt": "where are connections retried in pool.Acquire?"})); !strings.Contains(again, "pool/pool.go:4  func Acquire") {
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

// TestElevenHosts checks that install --all followed by uninstall restores a home directory with
// all hosts.
func TestElevenHosts(t *testing.T) {
	t.Parallel()
	for name, dress := range map[string]func(string) string{
		"as they are": func(text string) string { return text },
		"with CRLF": func(text string) string {
			return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
		},
		"with a byte order mark":         func(text string) string { return "\uFEFF" + text },
		"with empty lines at either end": func(text string) string { return "\n\n" + text + "\n\n" },
		"with a byte order mark and CRLF": func(text string) string {
			return "\uFEFF" + strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
		},
	} {
		t.Run(name, func(t *testing.T) { elevenHosts(t, dress, false) })
	}
	t.Run("behind links", func(t *testing.T) { elevenHosts(t, func(text string) string { return text }, true) })
}

// elevenHosts installs into a home with configurations of eleven hosts, prepared by dress, and
// uninstalls. linked puts the files in another folder behind links, as people with a repository of
// dotfiles do.
func elevenHosts(t *testing.T, dress func(string) string, linked bool) {
	s := newStranger(t, ".claude", ".codex", ".cursor", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings", ".config/opencode", ".gemini", ".config/zed",
		".continue", ".codeium/windsurf", ".config/nvim")
	for name, text := range map[string]string{
		".claude.json": `{"numStartups":3}`, ".claude/settings.json": "{\n\t\"model\": \"opus\"\n}", ".codex/config.toml": "model = \"x\" # mine", ".cursor/mcp.json": "{}\n",
		".config/Code/User/settings.json": "// mine\n{\n}\n", ".config/opencode/opencode.jsonc": "{ /* nothing */ }", ".gemini/settings.json": "{\r\n  \"ui\": {}\r\n}\r\n",
		".config/zed/settings.json": "{\n  \"vim_mode\": true,\n}\n", ".continue/config.yaml": "name: Mine\nmodels: []", ".codeium/windsurf/mcp_config.json": "",
		".config/nvim/init.lua": "vim.o.number = true\n", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json": `{"mcpServers":{}}`,
	} {
		path := filepath.Join(s.home, name)
		if linked {
			kept := filepath.Join(s.home, "dotfiles", strings.ReplaceAll(name, "/", "-"))
			if err := errors.Join(os.MkdirAll(filepath.Dir(kept), 0o700), os.Symlink(kept, path)); err != nil {
				t.Fatal(err)
			}
			path = kept
		}
		if err := os.WriteFile(path, []byte(dress(text)), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	was := tree(t, s.home)
	s.done("install", "--all", "--dry-run")
	if now := tree(t, s.home); !maps.Equal(was, now) {
		t.Fatalf("--dry-run writes: %v", now)
	}
	s.done("install", "--all", "--capture")
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

// tree returns everything below a folder: content and mode by path.
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
		if info.Mode().Type() == fs.ModeSymlink {
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text = []byte(to)
		}
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

// TestInstallKeepsADecision checks that an installation does not override a person who switched
// capture off, and that an uninstallation is not mistaken for such a decision.
func TestInstallKeepsADecision(t *testing.T) {
	t.Parallel()
	s := newStranger(t, ".codex", ".gemini")
	if err := capture.SetConsent(s.state, capture.Codex, false); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		out := s.done("install", "--capture")
		if on, err := capture.Consent(s.state); err != nil || on[capture.Codex] || !on[capture.Gemini] || !strings.Contains(out, "contexture capture on codex") {
			t.Errorf("consent is %v, %v\n%s", on, err, out)
		}
		s.done("uninstall")
	}
}

// TestCaptureIsAsked checks that an installation switches capture on only for who agrees: by the
// flag, or by yes in a terminal, where the question comes once and not again after an answer.
func TestCaptureIsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		terminal bool
		flag     optional
		answer   string
		want     captureChoice
		asked    bool
	}{
		"no terminal":          {answer: "y\n", want: captureUnasked},
		"no terminal, agreed":  {flag: optional{true, true}, want: captureAgreed},
		"no terminal, refused": {flag: optional{true, false}, want: captureRefused},
		"agreed before":        {terminal: true, flag: optional{true, true}, want: captureAgreed},
		"yes":                  {terminal: true, answer: "Yes\n", want: captureAgreed, asked: true},
		"y at last":            {terminal: true, answer: "what?\ny\n", want: captureAgreed, asked: true},
		"no":                   {terminal: true, answer: "n\n", want: captureRefused, asked: true},
		"return":               {terminal: true, answer: "\n", want: captureRefused, asked: true},
		"the end of the input": {terminal: true, want: captureRefused, asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			f := &flags{env: &environment{stdin: io.NopCloser(strings.NewReader(c.answer)), stderr: &stderr, in: terminal{On: c.terminal}, err: terminal{On: c.terminal}}}
			o := installer{f: f, m: &hosts.Machine{StateDir: t.TempDir()}, capture: c.flag}
			if err := capture.SetConsent(o.m.StateDir, capture.Gemini, false); err != nil {
				t.Fatal(err)
			}
			var list []hosts.Host
			for _, name := range []string{hosts.ClaudeCode, hosts.Codex, hosts.Gemini, hosts.Zed} {
				h, err := hosts.ByName(name)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, h)
			}
			got, err := o.askCapture(t.Context(), list)
			if err != nil || got[hosts.ClaudeCode] != c.want || got[hosts.Codex] != c.want || got[hosts.Gemini] != captureOff || got[hosts.Zed] != captureNone {
				t.Errorf("%v, %v", got, err)
			}
			if text := stderr.String(); strings.Contains(text, "Capture the conversations of Claude Code, Codex?") != c.asked {
				t.Errorf("asks %q", text)
			}
		})
	}
}

// TestInstallAloneCapturesNothing checks that an installation without a terminal and without the
// flag leaves capture off and says how to switch it on.
func TestInstallAloneCapturesNothing(t *testing.T) {
	t.Parallel()
	s := newStranger(t, ".codex")
	out := s.done("install")
	if on, err := capture.Consent(s.state); err != nil || len(on) != 0 || !strings.Contains(out, "conversations are not captured; contexture capture on codex") {
		t.Errorf("consent is %v, %v\n%s", on, err, out)
	}
}

// TestOneHostIsBroken checks that a host's broken configuration is reported and left unchanged, and
// that the other hosts are set up.
func TestOneHostIsBroken(t *testing.T) {
	t.Parallel()
	s := newStranger(t, ".cursor", ".gemini")
	path := filepath.Join(s.home, ".cursor", "hooks.json")
	if err := os.WriteFile(path, []byte("{\n  \"version\" 1\n}"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, stderr, code := s.run("", "contexture", "install")
	if code != 1 || !strings.Contains(stderr, "Cursor: nothing was written: "+path+": line 2, column 13: ") || strings.Contains(out, "Cursor") || !strings.Contains(out, "Gemini CLI\n") {
		t.Errorf("%d\n%s\n%s", code, out, stderr)
	}
	if _, err := os.Lstat(filepath.Join(s.home, ".cursor", "mcp.json")); err == nil {
		t.Error("a part of Cursor is set up")
	}
}

// TestInstallWords checks what install and uninstall print: what was written, what was left out
// since no extension reads it, what to do next, and what was removed.
func TestInstallWords(t *testing.T) {
	t.Parallel()
	s := newStranger(t, ".cursor", ".config/Code/User", ".config/nvim")
	if err := os.WriteFile(filepath.Join(s.home, ".cursor", "mcp.json"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	has := func(text string, lines ...string) {
		t.Helper()
		for _, line := range lines {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), line) {
				t.Errorf("there is no %q in\n%s", line, text)
			}
		}
	}
	has(s.done("install", "--dry-run"), "# Neovim: ~/.config/nvim/plugin/contexture_program.lua not written: Neovim does not have Contexture's extension")
	out, stderr, _ := s.run("", "contexture", "install")
	has(out, "~/.cursor/mcp.json MCP server", "~/.config/Code/User/settings.json not written: VS Code does not have Contexture's extension",
		"Neovim ~/.config/nvim/plugin/contexture_program.lua not written: ")
	has(stderr, "Restart the programs above if they are running", "contexture uninstall")
	has(s.done("uninstall"), "~/.cursor/mcp.json MCP server: entry removed", "~/.cursor/hooks.json hooks: file removed")
}

// TestHooksThatAreOff checks that install and doctor name a host's own setting that stops all
// hooks, and only that of a host which was set up.
func TestHooksThatAreOff(t *testing.T) {
	t.Parallel()
	s := newStranger(t, ".claude", ".gemini")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(s.home, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".claude/settings.json", "{\n  // none for now\n  \"disableAllHooks\": true,\n}\n")
	write(".gemini/settings.json", `{"hooksConfig": {"enabled": false}}`)
	const claude, gemini = "Claude Code runs no hooks: disableAllHooks is true in ~/.claude/settings.json.", "Gemini CLI runs no hooks: hooksConfig.enabled is false in ~/.gemini/settings.json."
	says := func(out, want string, is bool) {
		t.Helper()
		if strings.Contains(strings.Join(strings.Fields(out), " "), want) != is {
			t.Errorf("%q is in it: %t\n%s", want, !is, out)
		}
	}
	says(s.done("install", "--dry-run"), claude, true)
	says(s.done("install", "claude-code"), claude, true)
	examined, _, _ := s.run("", "contexture", "doctor", "--root", t.TempDir())
	says(examined, "Claude Code runs none: disableAllHooks is true in ~/.claude/settings.json", true)
	says(examined, "Gemini CLI runs none", false)
	says(s.done("install", "gemini"), gemini, true)
	says(s.done("uninstall"), "runs no hooks", false)
	write(".claude/settings.json", `{"disableAllHooks": false}`)
	write(".gemini/settings.json", `{"hooksConfig": {"enabled": true}}`)
	says(s.done("install"), "runs no hooks", false)
}

// TestInstallUsage checks that a wrong command line is rejected before anything is read.
func TestInstallUsage(t *testing.T) {
	for line, want := range map[string]string{
		"install clippy":           `unknown host "clippy"; the hosts are claude-code, codex, `,
		"uninstall clippy":         `unknown host "clippy"`,
		"install --all codex":      "takes either names of hosts or --all",
		"install":                  "no assistant was found on this machine; name one (claude-code, ",
		"install zed":              "was built by go run and is gone when it ends",
		"install --dry-run=maybe":  "--dry-run must be true or false",
		"install --state-dir= zed": "--state-dir: is empty",
	} {
		code, stderr := runWith(t, strings.Fields(line)...)
		if code == 0 || !strings.Contains(stderr, want) || internals.MatchString(stderr) {
			t.Errorf("%s: %d, %s, want %q", line, code, stderr, want)
		}
	}
	if code, stderr := runWith(t, "uninstall"); code != 0 || !strings.HasPrefix(stderr, "Nothing to remove: ") {
		t.Errorf("uninstall: %d, %s", code, stderr)
	}
}

// TestDryRun checks that --dry-run prints a diff that a patch program could apply, and that
// uninstall's is its reverse.
func TestDryRun(t *testing.T) {
	t.Parallel()
	s := newStranger(t, ".codex")
	path := filepath.Join(s.home, ".codex", "config.toml")
	if err := os.WriteFile(path, []byte("model = \"x\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := s.done("install", "codex", "--capture", "--dry-run")
	for _, want := range []string{"--- ~/.codex/config.toml\n+++ ~/.codex/config.toml\n", "+[mcp_servers.contexture]\n", "--- /dev/null\n+++ ~/.codex/hooks.json\n", "# Codex: conversations are captured from now on"} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
	s.done("install", "codex", "--capture")
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
