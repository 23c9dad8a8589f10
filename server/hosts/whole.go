package hosts

import (
	"bytes"
	_ "embed"
	"errors"
	"path/filepath"
	"strings"
)

// wholeMark marks files that belong only to the program.
const wholeMark = "Written by `contexture install`, removed by `contexture uninstall`."

// ownFile is a file that belongs only to the program, such as a plugin or a text for a host's
// model.
type ownFile struct {
	what string // for people
	path string // below the folder of the host, with slashes
	// text returns the content, which contains wholeMark.
	text func(Program) string
}

const (
	skillPath = "skills/" + programName + "/SKILL.md"
	agentName = programName + "-search"
	agentPath = "agents/" + agentName + ".md"
)

// ownedFiles are the program's own files of each host. All of them are installed, compared and
// removed in the same way.
var ownedFiles = map[string][]ownFile{
	ClaudeCode: {
		{whatSkill, skillPath, SkillText},
		{whatAgent, agentPath, agentText("name: "+agentName, "tools: Bash, Read")},
	},
	Codex: {
		{whatSkill, skillPath, SkillText},
		{whatAgent, "agents/" + agentName + ".toml", agentTOML},
	},
	Cursor: {
		{whatSkill, skillPath, SkillText},
		// Not readonly: that refuses commands which write, and a search may build the index.
		{whatAgent, agentPath, agentText("name: " + agentName)},
	},
	OpenCode: {
		{whatPlugin, "plugins/" + programName + ".js", pluginText},
		{whatAgent, agentPath, agentText("mode: subagent", "permission:", "  edit: deny")}, // its name is the file's
	},
	Gemini: {
		{whatSkill, skillPath, SkillText},
		{whatAgent, agentPath, agentText("name: "+agentName, "tools:", "  - run_shell_command", "  - read_file")},
	},
	Cline: clineHooks("TaskStart", "TaskResume", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "TaskComplete"),
	Neovim: {
		{whatProgram, "plugin/" + neovimFile, func(p Program) string {
			return "-- " + wholeMark + "\nvim.g.contexture_program = " + tomlString(p.Path) + "\n"
		}},
	},
}

// own returns the program's own files in the folder of a host.
func own(host, folder string, p Program) (out []file) {
	for _, o := range ownedFiles[host] {
		out = append(out, file{filepath.Join(folder, filepath.FromSlash(o.path)), o.what, wholeFile{o.text(p), folder, o.what == whatHooks}})
	}
	return out
}

//go:embed skill.md
var skill string

// SkillText returns the skill that tells a host's model what to ask this program for: what an
// installation writes, and what the server for the Model Context Protocol serves. Of a skill only
// its description is always before the model.
func SkillText(p Program) string { return withProgram(skill, p) }

// agentDescription tells a host's model when to delegate to the sub-agent. It is always before the
// model. It contains nothing that YAML or TOML would need quoted.
const agentDescription = "Prefer this agent to searching this code base yourself for where or how something is done, or for why and what was decided. " +
	"It answers with places, one line each, and keeps the text of files out of your context. Not for a string, symbol or file whose name you know, and not to change anything."

//go:embed agent.md
var agent string

// agentText returns the definition of a sub-agent that searches by this program, as Markdown with
// the fields of a host in its head.
func agentText(head ...string) func(Program) string {
	return func(p Program) string {
		return "---\n" + strings.Join(head, "\n") + "\ndescription: " + agentDescription + "\n---\n\n" +
			withProgram(agent, p) + "\n<!-- " + wholeMark + " -->\n"
	}
}

// agentTOML returns the same definition as Codex reads it.
func agentTOML(p Program) string {
	body := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(withProgram(agent, p))
	return "# " + wholeMark + "\nname = " + tomlString(agentName) + "\ndescription = " + tomlString(agentDescription) +
		"\ndeveloper_instructions = \"\"\"\n" + body + "\"\"\"\n"
}

// withProgram returns a text for a model whose lists of commands start the program where it is.
func withProgram(text string, p Program) string {
	return strings.ReplaceAll(text, "- `contexture ", "- `"+p.shell()+" ")
}

//go:embed opencode.js
var openCodePlugin string

// pluginText returns OpenCode's plugin.
func pluginText(p Program) string {
	program := layout{}.oneLine(append([]any{p.Path}, words(p.Args)...), false)
	return strings.ReplaceAll(openCodePlugin, `["contexture"]`, program)
}

// wholeFile writes a file that belongs only to the program: its text contains wholeMark. within is
// the folder of the host.
type wholeFile struct {
	text, within string
	// hook marks an executable hook, whose name the host prescribes: a person's own one stays.
	hook bool
}

func (f wholeFile) install(data, original []byte) (out []byte, kept []string, err error) {
	if len(data) > 0 && !bytes.Contains(data, []byte(wholeMark)) {
		if f.hook {
			return data, []string{"hook"}, nil
		}
		return nil, nil, errors.New("is there already and was not written by this program: rename or remove it")
	}
	if string(data) == f.text {
		return data, nil, nil
	}
	return []byte(f.text), nil, nil
}

func (f wholeFile) remove(data, _ []byte) ([]byte, error) {
	if !bytes.Contains(data, []byte(wholeMark)) {
		return data, nil
	}
	return nil, nil
}

func (f wholeFile) blank(data []byte) bool { return len(data) == 0 }
