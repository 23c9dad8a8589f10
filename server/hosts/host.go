package hosts

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Names of the hosts, as used on the command line and by hooks.
const (
	ClaudeCode = "claude-code"
	Codex      = "codex"
	Cursor     = "cursor"
	VSCode     = "vscode"
	OpenCode   = "opencode"
	Gemini     = "gemini"
	Zed        = "zed"
	Cline      = "cline"
	Continue   = "continue"
	Windsurf   = "windsurf"
	Neovim     = "neovim"
)

// Host is a program in which assistants run.
type Host struct {
	Name  string // on the command line
	Title string // for people
	// Source is the name under which its conversations are captured; "" if it keeps none that can
	// be read.
	Source string
	// Note is what the person must still do in the host, in one sentence; "" for nothing.
	Note string

	programs []string // names of its executables
	folders  func(Environment) []string
	files    func(Environment, Program) []file
	// client reports whether this program's extension or plugin is installed in the host; nil if
	// there is none to install. Without it, nothing reads the setting of where the program is.
	client func(Environment) bool
	hooks  *hookSwitch // nil if the host has no setting that stops all hooks
}

// file is a configuration file and what is written to it.
type file struct {
	path  string
	what  string // for people
	write writer
}

// All returns the hosts in display order.
func All() []Host {
	return []Host{
		{Name: ClaudeCode, Title: "Claude Code", Source: ClaudeCode, programs: []string{"claude"}, folders: one(claudeFolder), files: claudeFiles,
			hooks: &hookSwitch{claudeSettings, []string{"disableAllHooks"}, "true"}},
		{Name: Codex, Title: "Codex", Source: Codex, programs: []string{"codex"}, folders: one(codexFolder), files: codexFiles,
			Note: "Open Codex once and trust the hooks with /hooks: until then it runs none."},
		{Name: Cursor, Title: "Cursor", Source: Cursor, programs: []string{"cursor", "cursor-agent"}, folders: one(inHome(".cursor")), files: cursorFiles},
		{Name: VSCode, Title: "VS Code", Source: VSCode, programs: []string{"code"}, folders: one(codeFolder), files: codeFiles, client: codeExtension},
		{Name: OpenCode, Title: "OpenCode", Source: OpenCode, programs: []string{"opencode"}, folders: one(openCodeFolder), files: openCodeFiles},
		{Name: Gemini, Title: "Gemini CLI", Source: Gemini, programs: []string{"gemini"}, folders: one(geminiFolder), files: geminiFiles,
			hooks: &hookSwitch{geminiSettings, []string{"hooksConfig", "enabled"}, "false"}},
		{Name: Zed, Title: "Zed", programs: []string{"zed", "zeditor"}, folders: one(zedFolder), files: zedFiles},
		{Name: Cline, Title: "Cline", Source: Cline, programs: []string{"cline"}, folders: clineFolders, files: clineFiles},
		{Name: Continue, Title: "Continue", Source: Continue, programs: []string{"cn"}, folders: one(continueFolder), files: continueFiles},
		{Name: Windsurf, Title: "Windsurf", programs: []string{"windsurf"}, folders: one(inHome(".codeium", "windsurf")), files: windsurfFiles},
		{Name: Neovim, Title: "Neovim", programs: []string{"nvim"}, folders: one(neovimFolder), files: neovimFiles, client: neovimPlugin},
	}
}

// Names returns the names of all hosts.
func Names() (out []string) {
	for _, h := range All() {
		out = append(out, h.Name)
	}
	return out
}

// UnknownError reports that there is no host with a name.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("unknown host %q; the hosts are %s", e.Name, strings.Join(Names(), ", "))
}

// ByName returns the host with a name. Error: *UnknownError.
func ByName(name string) (Host, error) {
	all := All()
	if i := slices.IndexFunc(all, func(h Host) bool { return h.Name == name }); i >= 0 {
		return all[i], nil
	}
	return Host{}, &UnknownError{name}
}

// Environment holds what determines the paths of configurations.
type Environment struct {
	OS     string // as runtime.GOOS
	Home   string // absolute
	Getenv func(string) string
	// Exists reports whether a path exists.
	Exists func(path string) bool
	// ReadFile reads a file; nil if files are not read.
	ReadFile func(path string) ([]byte, error)
	// InPath reports whether a folder of PATH contains an executable of a name.
	InPath func(name string) bool
	// List returns the names in a folder, and Read the content of a file; both nil if the path
	// cannot be read.
	List func(folder string) []string
	Read func(path string) []byte
}

// Where returns the folder or executable by which the host was found on this machine; "" if it was
// not found.
func (h Host) Where(env Environment) string {
	for _, folder := range h.folders(env) {
		if env.Exists(folder) {
			return folder
		}
	}
	for _, name := range h.programs {
		if env.InPath(name) {
			return name
		}
	}
	return ""
}

// one adapts a function for a host with one folder.
func one(folder func(Environment) string) func(Environment) []string {
	return func(env Environment) []string { return []string{folder(env)} }
}

// inHome returns a folder below the home directory.
func inHome(parts ...string) func(Environment) string {
	return func(env Environment) string { return env.home(parts...) }
}

func (e Environment) home(parts ...string) string {
	return filepath.Join(append([]string{e.Home}, parts...)...)
}

// named returns the folder that an environment variable names, if it is an absolute path.
func (e Environment) named(variable string) (string, bool) {
	path := e.Getenv(variable)
	return filepath.Clean(path), filepath.IsAbs(path)
}

// config returns a path in the person's configuration folder, which is XDG's on every platform, as
// for these hosts.
func (e Environment) config(parts ...string) string {
	if dir, ok := e.named("XDG_CONFIG_HOME"); ok {
		return filepath.Join(append([]string{dir}, parts...)...)
	}
	return e.home(append([]string{".config"}, parts...)...)
}

// application returns a path in the platform's folder for application data, as VS Code and similar
// programs use it.
func (e Environment) application(parts ...string) string {
	switch e.OS {
	case "darwin":
		return e.home(append([]string{"Library", "Application Support"}, parts...)...)
	case "windows":
		if dir, ok := e.named("AppData"); ok {
			return filepath.Join(append([]string{dir}, parts...)...)
		}
		return e.home(append([]string{"AppData", "Roaming"}, parts...)...)
	}
	return e.config(parts...)
}

// server returns the entry of this program in a host's list of servers.
func server(p Program, before ...field) fields {
	command, args := p.command("mcp")
	return append(fields(before), field{"command", command}, field{"args", args})
}

// inServers adds the program's entry to the list of servers of a JSON file.
func inServers(list string, entry any) jsonEntry {
	return jsonEntry{path: []string{list}, key: programName, value: entry}
}

// Display names of what is written.
const (
	whatServer  = "MCP server"
	whatHooks   = "hooks"
	whatProgram = "place of the program"
	whatPlugin  = "plugin"
	whatSkill   = "skill"
	whatAgent   = "sub-agent"
)

func claudeFolder(env Environment) string {
	if dir, ok := env.named("CLAUDE_CONFIG_DIR"); ok {
		return dir
	}
	return env.home(".claude")
}

func claudeSettings(env Environment) string {
	return filepath.Join(claudeFolder(env), "settings.json")
}

func claudeFiles(env Environment, p Program) []file {
	servers := env.home(".claude.json")
	if dir, ok := env.named("CLAUDE_CONFIG_DIR"); ok {
		servers = filepath.Join(dir, ".claude.json")
	}
	return append([]file{
		{servers, whatServer, jsonFile{entries: []jsonEntry{inServers("mcpServers", server(p, field{"type", "stdio"}))}}},
		{claudeSettings(env), whatHooks, jsonFile{hooks: grouped(p, ClaudeCode, hookSeconds, "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUseFailure", "SubagentStart", "Stop")}},
	}, own(ClaudeCode, claudeFolder(env), p)...)
}

// hookSeconds is the time after which a host may stop waiting for a hook, which answers much
// earlier or never.
const hookSeconds = 5

// grouped returns hooks in the form of Claude Code: groups of commands.
func grouped(p Program, host string, timeout int, events ...string) (out []jsonHook) {
	for _, event := range events {
		c := hookCommand{p, host, event}
		handler := fields{{"type", "command"}, {"command", c.String()}, {"timeout", timeout}}
		group := fields{{"hooks", []any{handler}}}
		if m := matchers[host][event]; m != "" {
			group = append(fields{{"matcher", m}}, group...)
		}
		out = append(out, jsonHook{event, c, group})
	}
	return out
}

func codexFolder(env Environment) string {
	if dir, ok := env.named("CODEX_HOME"); ok {
		return dir
	}
	return env.home(".codex")
}

func codexFiles(env Environment, p Program) []file {
	config, hooks := filepath.Join(codexFolder(env), "config.toml"), grouped(p, Codex, hookSeconds, "SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart", "Stop")
	if env.ReadFile != nil {
		// Codex warns of hooks in both files: the program's are where the person's are.
		if data, err := env.ReadFile(config); err == nil && hasTOMLHooks(data) {
			return append([]file{{config, whatServer + ", " + whatHooks, tomlFile{program: p, hooks: hooks}}}, own(Codex, codexFolder(env), p)...)
		}
	}
	return append([]file{
		{config, whatServer, tomlFile{program: p}},
		{filepath.Join(codexFolder(env), "hooks.json"), whatHooks, jsonFile{hooks: hooks}},
	}, own(Codex, codexFolder(env), p)...)
}

func cursorFiles(env Environment, p Program) []file {
	hooks := jsonFile{entries: []jsonEntry{{key: "version", value: 1, frame: true}}}
	for _, event := range []string{"sessionStart", "beforeSubmitPrompt", "postToolUse", "preCompact", "stop"} {
		c := hookCommand{p, Cursor, event}
		// No timeout: versions disagree on whether it is in seconds or in milliseconds.
		hook := fields{{"command", c.String()}}
		if m := matchers[Cursor][event]; m != "" {
			hook = append(hook, field{"matcher", m})
		}
		hooks.hooks = append(hooks.hooks, jsonHook{event, c, hook})
	}
	return append([]file{
		{env.home(".cursor", "mcp.json"), whatServer, jsonFile{entries: []jsonEntry{inServers("mcpServers", server(p))}}},
		{env.home(".cursor", "hooks.json"), whatHooks, hooks},
	}, own(Cursor, env.home(".cursor"), p)...)
}

func codeFolder(env Environment) string { return env.application("Code", "User") }

func codeFiles(env Environment, p Program) []file {
	hooks := jsonFile{}
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "SubagentStart", "PreCompact", "Stop"} {
		c := hookCommand{p, VSCode, event}
		hooks.hooks = append(hooks.hooks, jsonHook{event, c, fields{{"type", "command"}, {"command", c.String()}, {"timeout", hookSeconds}}})
	}
	return []file{
		{filepath.Join(codeFolder(env), "mcp.json"), whatServer, jsonFile{entries: []jsonEntry{inServers("servers", server(p, field{"type", "stdio"}))}}},
		{filepath.Join(codeFolder(env), "settings.json"), whatProgram, jsonFile{entries: []jsonEntry{{key: "contexture.client.path", value: p.Path}}}},
		{env.home(".copilot", "hooks", programName+".json"), whatHooks, hooks},
	}
}

func openCodeFolder(env Environment) string {
	if dir, ok := env.named("OPENCODE_CONFIG_DIR"); ok {
		return dir
	}
	return env.config("opencode")
}

func openCodeFiles(env Environment, p Program) []file {
	config := filepath.Join(openCodeFolder(env), "opencode.json")
	if other := config + "c"; env.Exists(other) {
		config = other
	}
	command, args := p.command("mcp")
	entry := fields{{"type", "local"}, {"command", append([]any{command}, args...)}, {"enabled", true}}
	return append([]file{{config, whatServer, jsonFile{entries: []jsonEntry{inServers("mcp", entry)}}}}, own(OpenCode, openCodeFolder(env), p)...)
}

func words(list []string) (out []any) {
	for _, w := range list {
		out = append(out, w)
	}
	return out
}

func geminiFolder(env Environment) string {
	if dir, ok := env.named("GEMINI_CLI_HOME"); ok {
		return filepath.Join(dir, ".gemini")
	}
	return env.home(".gemini")
}

func geminiSettings(env Environment) string {
	return filepath.Join(geminiFolder(env), "settings.json")
}

func geminiFiles(env Environment, p Program) []file {
	return append([]file{{geminiSettings(env), whatServer + ", " + whatHooks, jsonFile{
		entries: []jsonEntry{inServers("mcpServers", server(p))},
		hooks:   grouped(p, Gemini, hookSeconds*1000, "SessionStart", "BeforeAgent", "AfterTool", "PreCompress", "AfterAgent"),
	}}}, own(Gemini, geminiFolder(env), p)...)
}

func zedFolder(env Environment) string {
	if env.OS == "windows" {
		return env.application("Zed")
	}
	return env.config("zed")
}

func zedFiles(env Environment, p Program) []file {
	return []file{{filepath.Join(zedFolder(env), "settings.json"), whatServer, jsonFile{entries: []jsonEntry{inServers("context_servers", server(p))}}}}
}

func continueFolder(env Environment) string {
	if dir, ok := env.named("CONTINUE_GLOBAL_DIR"); ok {
		return dir
	}
	return env.home(".continue")
}

func continueFiles(env Environment, p Program) []file {
	config := filepath.Join(continueFolder(env), "config.yaml")
	if !env.Exists(config) && env.Exists(filepath.Join(continueFolder(env), "config.json")) {
		// A config.yaml would replace the person's config.json, so the entry has a file of its own.
		return []file{{filepath.Join(continueFolder(env), "mcpServers", programName+".json"), whatServer, jsonFile{entries: []jsonEntry{inServers("mcpServers", server(p))}}}}
	}
	return []file{{config, whatServer, yamlFile{p, []string{"name: Local Config", "version: 1.0.0", "schema: v1"}}}}
}

func windsurfFiles(env Environment, p Program) []file {
	return []file{{env.home(".codeium", "windsurf", "mcp_config.json"), whatServer, jsonFile{entries: []jsonEntry{inServers("mcpServers", server(p))}}}}
}

// neovimFile is the name of the file that tells the plugin where the program is.
const neovimFile = programName + "_program.lua"

// neovimName returns the name of Neovim's folders.
func (e Environment) neovimName() string { return cmp.Or(e.Getenv("NVIM_APPNAME"), "nvim") }

func neovimFolder(env Environment) string {
	app := env.neovimName()
	if _, set := env.named("XDG_CONFIG_HOME"); env.OS == "windows" && !set {
		if dir, ok := env.named("LocalAppData"); ok {
			return filepath.Join(dir, app)
		}
		return env.home("AppData", "Local", app)
	}
	return env.config(app)
}

func neovimFiles(env Environment, p Program) []file { return own(Neovim, neovimFolder(env), p) }
