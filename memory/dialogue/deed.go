package dialogue

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Action is what a tool call does, told from its arguments by the names that tools give them: hosts
// name their tools differently.
type Action struct {
	Command string   // that it runs, "" for none
	Path    string   // of the file or folder that it is about, "" for none
	Sought  string   // the pattern or words that it looks for, "" for none
	Changes bool     // it changes a file
	Changed []string // the files that it changes, as far as they are known
}

// patched matches the line of a patch that names a file.
var patched = regexp.MustCompile(`(?m)^\*\*\* (?:Update|Add|Delete) File: (.+)$`)

// Deed returns what the call does.
func (c *ToolCall) Deed() (d Action) {
	var args map[string]any
	if json.Unmarshal(c.Arguments, &args) != nil {
		var text string
		if json.Unmarshal(c.Arguments, &text) != nil {
			return d
		}
		args = map[string]any{"input": text}
	}
	names := slices.Sorted(maps.Keys(args))
	writes := false
	for _, k := range names {
		writes = d.take(strings.ToLower(k), textOf(args[k])) || writes
	}
	d.Changes = d.Changes || writes && d.Path != ""
	if d.Command == "" && d.Path == "" && d.Sought == "" && !d.Changes && !writes {
		d.Command = onlyCommand(names, args)
	}
	if d.Changes && d.Path != "" && d.Changed == nil {
		d.Changed = []string{d.Path}
	}
	return d
}

// take reads one argument, whose name is in lower case. writes means that it is a new text, of a
// file if the call has a path.
func (d *Action) take(name, value string) (writes bool) {
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(name, p) })
	}
	for _, m := range patched.FindAllStringSubmatch(value, -1) {
		d.Changes, d.Changed = true, append(d.Changed, strings.TrimSpace(m[1]))
	}
	switch {
	case sought[name]:
		d.Sought = value
	case notRun[name]: // a description is no script
	case has("patch", "diff"):
		d.Changes = true
	case has("new", "content", "edit", "replace", "insert"):
		return true
	case has("path", "file", "uri"):
		d.Path = cmp.Or(d.Path, value)
	case has("cmd", "command", "script", "args"):
		d.Command = cmp.Or(d.Command, value)
	}
	return false
}

// onlyCommand returns the first argument in one line that may be a command by another name, ""
// without one: a plan is none, and a prompt is for another assistant.
func onlyCommand(names []string, args map[string]any) string {
	if args["prompt"] != nil {
		return ""
	}
	for _, k := range names {
		value, ok := args[k].(string)
		low := strings.ToLower(k)
		if ok && value != "" && !strings.Contains(value, "\n") && !sought[low] && !notRun[low] {
			return value
		}
	}
	return ""
}

// Names of arguments other than the command.
var (
	sought = map[string]bool{"pattern": true, "query": true, "glob": true, "glob_pattern": true, "regex": true, "search": true}
	notRun = map[string]bool{"url": true, "description": true, "type": true, "language": true}
)

// textOf returns a text argument; of a command that is given as its words, with a shell, what the
// shell is to run, and else the words.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var words []string
		for _, e := range v {
			w, ok := e.(string)
			if !ok {
				return ""
			}
			words = append(words, w)
		}
		if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") { // bash -lc
			return words[2]
		}
		return strings.Join(words, " ")
	}
	return ""
}

// Folder returns the folder in which the call runs, as its arguments name it, "" without one.
func (c *ToolCall) Folder() string {
	var args map[string]any
	if json.Unmarshal(c.Arguments, &args) != nil {
		return ""
	}
	for _, name := range []string{"cwd", "workdir", "working_directory", "dir_path", "directory"} {
		if folder, ok := args[name].(string); ok && folder != "" {
			return folder
		}
	}
	return ""
}
