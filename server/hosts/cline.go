package hosts

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// clineSettings is the name of Cline's file of servers.
const clineSettings = "cline_mcp_settings.json"

func clineFolders(env Environment) []string {
	return []string{filepath.Dir(filepath.Dir(clineData(env))), clineExtension(env)}
}

// clineData returns the file of servers that all clients of Cline share.
func clineData(env Environment) string {
	if path, ok := env.named("CLINE_MCP_SETTINGS_PATH"); ok {
		return path
	}
	if dir, ok := env.named("CLINE_DATA_DIR"); ok {
		return filepath.Join(dir, "settings", clineSettings)
	}
	if dir, ok := env.named("CLINE_DIR"); ok {
		return filepath.Join(dir, "data", "settings", clineSettings)
	}
	return env.home(".cline", "data", "settings", clineSettings)
}

// clineExtension returns the storage of Cline's extension in VS Code.
func clineExtension(env Environment) string {
	return filepath.Join(codeFolder(env), "globalStorage", "saoudrizwan.claude-dev")
}

func clineFiles(env Environment, p Program) (out []file) {
	write := jsonFile{entries: []jsonEntry{inServers("mcpServers", server(p))}}
	if env.Exists(clineExtension(env)) {
		out = append(out, file{filepath.Join(clineExtension(env), "settings", clineSettings), whatServer, write})
	}
	if len(out) == 0 || env.Exists(clineFolders(env)[0]) {
		out = append(out, file{clineData(env), whatServer, write})
	}
	if env.OS == "windows" { // where hooks are PowerShell files, and only PowerShell knows the folder
		return out
	}
	return append(out, own(Cline, filepath.Join(documents(env), "Cline", "Hooks"), p)...)
}

// documents returns the person's folder of documents as Cline finds it: on Linux by the program
// xdg-user-dir, which answers with the home directory where none is set.
func documents(env Environment) string {
	if env.OS != "linux" || env.Read == nil || !env.InPath("xdg-user-dir") {
		return env.home("Documents")
	}
	dir := env.Getenv("XDG_DOCUMENTS_DIR")
	for line := range strings.Lines(string(env.Read(env.config("user-dirs.dirs")))) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "XDG_DOCUMENTS_DIR="); ok {
			dir = strings.ReplaceAll(strings.Trim(value, `"`), "$HOME", env.Home)
		}
	}
	return cmp.Or(dir, env.Home)
}

// clineHooks returns the hooks of Cline: an executable file for each event, named after it.
func clineHooks(events ...string) (out []ownFile) {
	for _, event := range events {
		out = append(out, ownFile{whatHooks, event, func(p Program) string {
			// Cline shows each failure of a hook: without the program there is nothing to run.
			return "#!/bin/sh\n# " + wholeMark + "\ntest -x " + p.quote(p.Path) + " || exit 0\nexec " + hookCommand{p, Cline, event}.String() + "\n"
		}})
	}
	return out
}

// clineInput is what Cline passes to a hook. Its extension leaves out members that are false or
// empty.
type clineInput struct {
	Version string   `json:"clineVersion"`
	Hook    string   `json:"hookName"`
	Task    string   `json:"taskId"`
	Roots   []string `json:"workspaceRoots"`
	Prompt  struct {
		Text string `json:"prompt"`
	} `json:"userPromptSubmit"`
	Before  clineCall `json:"preToolUse"`
	After   clineCall `json:"postToolUse"`
	Compact struct {
		Strategy string `json:"compactionStrategy"`
	} `json:"preCompact"`
}

// clineCall is a call of a tool.
type clineCall struct {
	Parameters json.RawMessage `json:"parameters"`
	Result     string          `json:"result"`
	Success    bool            `json:"success"`
}

func (c clineCall) deed() dialogue.Action {
	call := dialogue.ToolCall{Arguments: c.Parameters}
	return call.Deed()
}

// clineFailed matches what Cline writes before the output of a command that failed.
var clineFailed = regexp.MustCompile(`^Command failed with exit code \d+\.\s+Output:\n`)

// ClineOutput returns the output of a command without the heading that Cline gives to those that
// failed, and whether it has that.
func ClineOutput(result string) (output string, failed bool) {
	head := clineFailed.FindString(result)
	return result[len(head):], head != ""
}

// failure returns the output of a call that failed, "" if it did not. A command that ran counts as
// a success of its call whatever its exit code.
func (c clineCall) failure() string {
	text := c.text()
	if c.Success && (c.deed().Command == "" || !exitCode.MatchString(text)) {
		return ""
	}
	text, _ = ClineOutput(text)
	return text
}

// text returns the text of a result: it is text, or a list of blocks of text, or of the results of
// several commands, of which those that failed count.
func (c clineCall) text() string {
	var list []struct {
		Text, Error string
		Result      any
		Success     bool
	}
	if json.Unmarshal([]byte(c.Result), &list) != nil {
		return c.Result
	}
	var parts []string
	for _, r := range list {
		if !r.Success {
			parts = append(parts, r.Text, r.Error, asText(r.Result))
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n")
}

// clineDrops matches the versions of Cline's extension that run the hooks at the start of a task
// and before a prompt, but discard their context: issue 13554 of cline/cline.
var clineDrops = regexp.MustCompile(`^4\.(?:0\.|1\.(?:\d|1[0-7])$)`)

// readCline sets the fields of e from Cline's input.
func (e *Event) readCline(input []byte) error {
	var in clineInput
	if err := json.Unmarshal(input, &in); err != nil {
		return err
	}
	e.Session, e.Text = in.Task, in.Prompt.Text
	if len(in.Roots) > 0 {
		e.Dir = in.Roots[0]
	}
	switch e.Kind {
	case Start, Prompt:
		// Cline's other clients name the event in their own way, and start these hooks detached.
		e.Discarded = in.Hook != "" && in.Hook != e.Name || clineDrops.MatchString(in.Version)
	case Editing:
		e.File = firstText(in.Before.deed().Changed)
	case Failed:
		e.Output = in.After.failure()
		var several []string
		if ran := in.After.deed().Command; e.Output != "" && json.Unmarshal([]byte(ran), &several) != nil {
			e.Command = ran
		}
	case Compacting:
		if in.Compact.Strategy == "auto-condense" { // the answer is appended to the summary
			e.Kind = Compacted
		}
	}
	return nil
}

// firstText returns the first of some texts, else "".
func firstText(list []string) string {
	if len(list) > 0 {
		return list[0]
	}
	return ""
}
