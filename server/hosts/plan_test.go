package hosts

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBrokenConfiguration checks that a file that cannot be read is named with what is wrong, and
// that nothing of its host is written.
func TestBrokenConfiguration(t *testing.T) {
	for name, c := range map[string]struct{ host, path, text, want string }{
		"JSON":           {ClaudeCode, ".claude/settings.json", "{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3: "},
		"not an object":  {Cursor, ".cursor/mcp.json", "[]", "is not a JSON object"},
		"servers a list": {Zed, ".config/zed/settings.json", "{\"context_servers\": []}", "context_servers is not an object"},
		"hooks a text":   {Codex, ".codex/hooks.json", "{\"hooks\": {\"Stop\": \"x\"}}", "hooks.Stop is not a list"},
		"TOML":           {Codex, ".codex/config.toml", "a = 1\nb = \n", "line 2: "},
		"TOML on a line": {Codex, ".codex/config.toml", "mcp_servers = {a = {command = \"x\"}}\n", "write it as tables"},
		"YAML":           {Continue, ".continue/config.yaml", "a: [1\n", "line 1"},
		"YAML on a line": {Continue, ".continue/config.yaml", "mcpServers: [{name: a, command: b}]\n", "is on one line"},
		"two documents":  {Continue, ".continue/config.yaml", "a: 1\n---\nb: 2\n", "more than one document"},
		"YAML mapping":   {Continue, ".continue/config.yaml", "mcpServers:\n  a: b\n", "is not a list"},
		"NUL bytes":      {Gemini, ".gemini/settings.json", "{\"a\": \x00}", "line 1, column 7: invalid character '\\u0000'"},
		"not UTF-8":      {Gemini, ".gemini/settings.json", "{\"a\": \"\xff\"}", "is not UTF-8"},
		"plugin":         {OpenCode, ".config/opencode/plugins/contexture.js", "export const Mine = 1\n", "was not written by this program"},
		"skill":          {Gemini, ".gemini/skills/contexture/SKILL.md", "---\nname: contexture\n---\nmine\n", "was not written by this program"},
		"sub-agent":      {ClaudeCode, ".claude/agents/contexture-search.md", "---\nname: contexture-search\n---\nmine\n", "was not written by this program"},
		"TOML sub-agent": {Codex, ".codex/agents/contexture-search.toml", "name = \"contexture-search\"\n", "was not written by this program"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			writeTree(t, home, map[string]string{c.path: c.text})
			was := readTree(t, home)
			m := machineAt(t, home, nil)
			_, err := m.PlanInstall(host(t, c.host), opt)
			var file *FileError
			if !errors.As(err, &file) || file.Path != filepath.Join(home, c.path) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if now := readTree(t, home); !maps.Equal(was, now) {
				t.Errorf("files are %v", now)
			}
		})
	}
}

// TestFilesThatAreNotWritten checks that a file that must not be written stays as it is.
func TestFilesThatAreNotWritten(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, path string, m *Machine)
		want    string
	}{
		"read-only": {func(t *testing.T, path string, _ *Machine) { must(t, os.Chmod(path, 0o400)) }, "is read-only"},
		"another user's": {func(_ *testing.T, _ string, m *Machine) {
			m.UID, m.Owner = 1000, func(fs.FileInfo) int { return 1001 }
		}, "belongs to another user (1001, you are 1000)"},
		"a folder": {func(t *testing.T, path string, _ *Machine) { must(t, os.Remove(path)); must(t, os.Mkdir(path, 0o700)) }, "is not a regular file"},
		"a link to nothing": {func(t *testing.T, path string, _ *Machine) {
			must(t, os.Remove(path))
			must(t, os.Symlink("gone", path))
		}, "is a link to gone, which does not exist"},
		"too large": {func(t *testing.T, path string, _ *Machine) { must(t, os.Truncate(path, maxFileBytes+1)) }, "too much for a configuration"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			writeTree(t, home, map[string]string{".cursor/mcp.json": "{}"})
			m := machineAt(t, home, nil)
			c.prepare(t, filepath.Join(home, ".cursor", "mcp.json"), m)
			was := readTree(t, home)
			if _, err := m.PlanInstall(host(t, Cursor), opt); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if now := readTree(t, home); !maps.Equal(was, now) {
				t.Errorf("files are %v", now)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestReadOnlyThatNeedsNothing checks that a read-only file without changes to make is no error.
func TestReadOnlyThatNeedsNothing(t *testing.T) {
	home := t.TempDir()
	m := machineAt(t, home, nil)
	install(t, m, opt, Windsurf)
	must(t, os.Chmod(filepath.Join(home, ".codeium/windsurf/mcp_config.json"), 0o400))
	install(t, m, opt, Windsurf)
}

// TestLink checks that a file behind a link is changed in place and keeps its mode, and that the
// link stays.
func TestLink(t *testing.T) {
	home := t.TempDir()
	writeTree(t, home, map[string]string{"dotfiles/zed.json": "{\n  \"a\": 1\n}\n", ".config/zed/keep": ""})
	real := filepath.Join(home, "dotfiles", "zed.json")
	must(t, os.Chmod(real, 0o640))
	must(t, os.Symlink("../../dotfiles/zed.json", filepath.Join(home, ".config/zed/settings.json")))
	was := readTree(t, home)
	m := machineAt(t, home, nil)
	install(t, m, opt, Zed)
	now := readTree(t, home)
	if !strings.Contains(now["dotfiles/zed.json"], "/opt/bin/contexture") || now[".config/zed/settings.json@"] == "" {
		t.Errorf("files are %v", now)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	uninstall(t, m, Zed)
	if back := readTree(t, home); !maps.Equal(was, back) {
		t.Errorf("back is %v", back)
	}
}

// TestEditedMeanwhile checks that an uninstallation keeps edits made after the installation, also
// those between two installations.
func TestEditedMeanwhile(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, ".cursor", "hooks.json")
	writeTree(t, home, map[string]string{".cursor/hooks.json": "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n"})
	m := machineAt(t, home, nil)
	install(t, m, opt, Cursor)
	edit := func(old, new string) {
		data, err := os.ReadFile(path)
		must(t, err)
		if !strings.Contains(string(data), old) {
			t.Fatalf("%q is not in %s", old, data)
		}
		must(t, os.WriteFile(path, []byte(strings.Replace(string(data), old, new, 1)), 0o600))
	}
	edit(`"stop": [`, `"stop": [{"command": "mine"},`)
	install(t, m, Program{Path: "/new/place/contexture"}, Cursor)
	if data, err := os.ReadFile(path); err != nil || strings.Contains(string(data), "/opt/bin") || strings.Count(string(data), "/new/place/contexture hook") != 5 {
		t.Fatalf("%v, %s", err, data)
	}
	uninstall(t, m, Cursor)
	want := "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{\"command\": \"mine\"}\n    ]\n  }\n}\n"
	if data, err := os.ReadFile(path); err != nil || string(data) != want {
		t.Errorf("%v,\n%s", err, data)
	}
	if left := readTree(t, filepath.Join(home, ".cursor")); len(left) != 1 {
		t.Errorf("files are %v", left)
	}
}

// TestMovedProgram checks that an installation from another path replaces the entries of the old
// one, and that uninstalling removes all of them.
func TestMovedProgram(t *testing.T) {
	home := t.TempDir()
	m := machineAt(t, home, nil)
	install(t, m, opt, Names()...)
	install(t, m, Program{Path: "/my tools/it's/contexture", Args: []string{"--state-dir", "/s"}}, Names()...)
	for name, text := range readTree(t, home) {
		if strings.Contains(text, "/opt/bin") {
			t.Errorf("%s: %s", name, text)
		}
		if command := `'/my tools/it'\\''s/contexture' --state-dir /s hook `; strings.Contains(text, " hook ") && !strings.Contains(text, command) &&
			!strings.Contains(text, "\nexec "+strings.ReplaceAll(command, `\\`, `\`)) {
			t.Errorf("%s: %s", name, text)
		}
	}
	uninstall(t, m, Names()...)
	if left := readTree(t, home); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// TestOwnEntries checks that the person's own entries stay, after installing and after
// uninstalling.
func TestOwnEntries(t *testing.T) {
	home := t.TempDir()
	writeTree(t, home, map[string]string{
		".cursor/mcp.json":      `{"mcpServers": {"contexture": {"command": "contexture", "args": ["mcp", "--tools", "all"]}}}`,
		".codex/config.toml":    "[mcp_servers.contexture]\ncommand = \"/mine\"\n",
		".continue/config.yaml": "mcpServers:\n  - name: contexture\n    command: /mine\n",
	})
	was := readTree(t, home)
	m := machineAt(t, home, nil)
	for _, name := range []string{Cursor, Codex, Continue} {
		plan, err := m.PlanInstall(host(t, name), opt)
		if err != nil || len(plan.Changes[0].Kept) != 1 || plan.Changes[0].Changed() {
			t.Errorf("%s: %v, %+v", name, err, plan.Changes[0])
		}
		must(t, plan.Apply())
	}
	uninstall(t, m, Cursor, Codex, Continue)
	if now := readTree(t, home); !maps.Equal(was, now) {
		t.Errorf("files are %v", now)
	}
}

// TestLostRecord checks that an uninstallation finds what an installation wrote even if the state
// directory is gone.
func TestLostRecord(t *testing.T) {
	home := t.TempDir()
	writeTree(t, home, map[string]string{".codex/config.toml": "a = 1", ".gemini/settings.json": "{}"})
	was := readTree(t, home)
	m := machineAt(t, home, nil)
	install(t, m, opt, Codex, Gemini)
	must(t, os.RemoveAll(m.StateDir))
	uninstall(t, m, Codex, Gemini)
	if now := readTree(t, home); !maps.Equal(was, now) {
		t.Errorf("files are %v, were %v", now, was)
	}
}

// TestAllOrNothing checks that if a host's second file cannot be written, its first is left
// unchanged.
func TestAllOrNothing(t *testing.T) {
	home := t.TempDir()
	writeTree(t, home, map[string]string{".claude.json": "{}", ".claude/settings.json": "{\"a\": 1}"})
	was := readTree(t, home)
	m := machineAt(t, home, nil)
	plan, err := m.PlanInstall(host(t, ClaudeCode), opt)
	must(t, err)
	// Its folder becomes a file after the plan was made and checked.
	plan.Changes[1].existing.real = filepath.Join(home, ".claude.json", "x")
	if err := plan.Apply(); err == nil || !strings.Contains(err.Error(), "settings.json") {
		t.Fatal(err)
	}
	if now := readTree(t, home); !maps.Equal(was, now) {
		t.Errorf("files are %v, were %v", now, was)
	}
}

// TestChangedSinceThePlan checks that a plan is not applied to files that changed since it was
// made.
func TestChangedSinceThePlan(t *testing.T) {
	home := t.TempDir()
	writeTree(t, home, map[string]string{".cursor/mcp.json": "{}"})
	m := machineAt(t, home, nil)
	plan, err := m.PlanInstall(host(t, Cursor), opt)
	must(t, err)
	writeTree(t, home, map[string]string{".cursor/mcp.json": "{\"a\": 1}"})
	if err := plan.Apply(); !errors.Is(err, errMeanwhile) {
		t.Error(err)
	}
	if now := readTree(t, home); now[".cursor/mcp.json"] != "{\"a\": 1}" {
		t.Errorf("files are %v", now)
	}
}

// TestEditedPlugin checks that a plugin that the person has edited is removed, and that the edited
// copy is kept beside it.
func TestEditedPlugin(t *testing.T) {
	home := t.TempDir()
	writeTree(t, home, map[string]string{".config/nvim/init.lua": "require('contexture').setup()\n"})
	m := machineAt(t, home, nil)
	install(t, m, opt, Neovim)
	path := filepath.Join(home, ".config/nvim/plugin/contexture_program.lua")
	data, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, append(data, "-- mine\n"...), 0o600))
	uninstall(t, m, Neovim)
	if now := readTree(t, filepath.Dir(path)); len(now) != 1 || !strings.HasSuffix(now["contexture_program.lua"+edited], "-- mine\n") {
		t.Errorf("files are %v", now)
	}
}

// TestSettingNeedsExtension checks that the setting of where the program is is written only where
// something reads it, and that it is removed with the rest although the extension has gone.
func TestSettingNeedsExtension(t *testing.T) {
	const code, nvim = ".config/Code/User/settings.json", ".config/nvim/plugin/contexture_program.lua"
	for name, c := range map[string]struct {
		host, file string
		before     map[string]string
		variables  map[string]string // $HOME stands for the home directory
		want       bool
	}{
		"no extension":               {host: VSCode, file: code, before: map[string]string{code: "{}", ".vscode/extensions/other.contexture-1.0.0/x": ""}},
		"no extensions at all":       {host: VSCode, file: code},
		"extension":                  {host: VSCode, file: code, before: map[string]string{".vscode/extensions/contexture.contexture-0.2.0-linux-x64/x": ""}, want: true},
		"extension elsewhere":        {host: VSCode, file: code, before: map[string]string{"e/contexture.contexture-1.0.0/x": ""}, variables: map[string]string{"VSCODE_EXTENSIONS": "$HOME/e"}, want: true},
		"no plugin":                  {host: Neovim, file: nvim, before: map[string]string{".config/nvim/init.lua": "vim.o.number = true\n"}},
		"plugin in init.vim":         {host: Neovim, file: nvim, before: map[string]string{".config/nvim/init.vim": "lua require('contexture').setup()\n"}, want: true},
		"plugin of a plugin manager": {host: Neovim, file: nvim, before: map[string]string{".config/nvim/lua/plugins/ai.lua": "return { 'contexture-dev/contexture' }\n"}, want: true},
		"plugin as a package":        {host: Neovim, file: nvim, before: map[string]string{".local/share/nvim/site/pack/x/start/any/lua/contexture/init.lua": ""}, want: true},
		"another Neovim's plugin":    {host: Neovim, file: nvim, before: map[string]string{".config/other/init.lua": "require('contexture').setup()\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			writeTree(t, home, c.before)
			for key, value := range c.variables {
				c.variables[key] = strings.ReplaceAll(value, "$HOME", home)
			}
			m := machineAt(t, home, c.variables)
			was := readTree(t, home)
			install(t, m, opt, c.host)
			if got := strings.Contains(readTree(t, home)[c.file], opt.Path); got != c.want {
				t.Errorf("written: %t, want %t", got, c.want)
			}
			m.Env.List = func(string) []string { return nil } // nothing is installed any more
			install(t, m, opt, c.host)
			uninstall(t, m, c.host)
			if back := readTree(t, home); !maps.Equal(was, back) {
				t.Errorf("back is %v, was %v", back, was)
			}
		})
	}
}

// TestHostDetection checks that a host is found by its folder or its executable, and in the folder
// named by a variable.
func TestHostDetection(t *testing.T) {
	home := t.TempDir()
	writeTree(t, home, map[string]string{".codeium/windsurf/x": "", "over/here/x": "", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/x": ""})
	m := machineAt(t, home, map[string]string{"CODEX_HOME": filepath.Join(home, "over/here"), "CLAUDE_CONFIG_DIR": "relative"})
	m.Env.InPath = func(name string) bool { return name == "nvim" }
	for name, want := range map[string]string{
		Windsurf: home + "/.codeium/windsurf", Codex: home + "/over/here", Neovim: "nvim", ClaudeCode: "", Zed: "",
		Cline: home + "/.config/Code/User/globalStorage/saoudrizwan.claude-dev", VSCode: home + "/.config/Code/User",
	} {
		if got := host(t, name).Where(m.Env); got != want {
			t.Errorf("%s is found at %q, want %q", name, got, want)
		}
	}
}

// TestConfigurationPaths checks the paths of hosts' configurations on other systems.
func TestConfigurationPaths(t *testing.T) {
	at := func(system, name string, i int) string {
		env := Environment{OS: system, Home: "/h", Getenv: func(string) string { return "" }, Exists: func(string) bool { return false }}
		return host(t, name).files(env, opt)[i].path
	}
	for want, got := range map[string]string{
		"/h/Library/Application Support/Code/User/mcp.json":   at("darwin", VSCode, 0),
		"/h/.config/zed/settings.json":                        at("darwin", Zed, 0),
		"/h/AppData/Roaming/Code/User/mcp.json":               at("windows", VSCode, 0),
		"/h/AppData/Roaming/Zed/settings.json":                at("windows", Zed, 0),
		"/h/AppData/Local/nvim/plugin/contexture_program.lua": at("windows", Neovim, 0),
		"/h/.config/opencode/opencode.json":                   at("windows", OpenCode, 0),
		"/h/Documents/Cline/Hooks/TaskStart":                  at("darwin", Cline, 1),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
