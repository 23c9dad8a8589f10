package receipt

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Look is a look-up of an assistant: a file that it read, or a search or a listing.
type Look struct {
	Search bool // else it reads a file
	// Files are the file that it read, or those that a search listed, as the call or its result has
	// them.
	Files []string
	// Lines means that a search listed more than names of files.
	Lines  bool
	Tokens int // of its result
	Call   string
}

// act is a tool call, as far as receipts need it.
type act struct {
	looks   []Look
	changes bool     // it changed files
	edited  []string // those of them that are known
}

// Arguments by the names that tools give them.
var (
	pathNames    = []string{"path", "file", "uri", "filename", "dir", "folder"}
	searchNames  = []string{"pattern", "query", "glob", "regex", "search"}
	changeNames  = []string{"content", "new_string", "newstring", "new_str", "old_string", "edits", "patch", "diff", "replace", "replacement", "insert", "code_edit"}
	commandNames = []string{"command", "cmd", "script"}
)

// patched matches the line of a patch that names the file that it changes.
var patched = regexp.MustCompile(`(?m)^\*\*\* (?:Update|Add|Delete) File: (.+)$`)

// actOf reads a tool call: by its arguments, since hosts name their tools differently.
func actOf(c dialogue.ToolCall) act {
	result := resultText(c.Result)
	call := Look{Tokens: tokens(result)}
	var args map[string]any
	text := ""
	if json.Unmarshal(c.Arguments, &args) != nil && json.Unmarshal(c.Arguments, &text) != nil {
		return act{}
	}
	if list := patched.FindAllStringSubmatch(text+"\n"+strings.Join(texts(args), "\n"), -1); list != nil {
		a := act{changes: true}
		for _, m := range list {
			a.edited = append(a.edited, strings.TrimSpace(m[1]))
		}
		return a
	}
	file, sought := valueOf(args, pathNames), valueOf(args, searchNames)
	switch command := valueOf(args, commandNames); {
	case has(args, changeNames):
		a := act{changes: true}
		if file != "" {
			a.edited = []string{file}
		}
		return a
	case command != "":
		return shellAct(c.Name, command, result)
	case sought != "" || file != "" && isListing(c.Name):
		call.Search, call.Call = true, strings.TrimSpace(c.Name+" "+sought+" "+file)
		call.Files, call.Lines = listed(result)
	case file != "":
		call.Files, call.Call = []string{file}, c.Name+" "+file
	default:
		return act{}
	}
	return act{looks: []Look{call}}
}

// isListing reports whether a tool lists what is in a folder.
func isListing(tool string) bool {
	low := strings.ToLower(tool)
	return low == "ls" || strings.Contains(low, "list") || strings.Contains(low, "glob")
}

// Programs that print a file, and those that search or list files.
var (
	printers  = map[string]bool{"cat": true, "head": true, "tail": true, "sed": true, "nl": true, "less": true, "bat": true, "more": true, "get-content": true}
	searchers = map[string]bool{"grep": true, "egrep": true, "rg": true, "ag": true, "ack": true, "find": true, "fd": true, "ls": true, "tree": true, "select-string": true, "dir": true}
)

// shellAct reads a command: the first program of each of its pipelines tells what it does.
func shellAct(tool, command, result string) act {
	var a act
	for part := range strings.FieldsFuncSeq(strings.NewReplacer("&&", "\n", "||", "\n", ";", "\n").Replace(command), func(r rune) bool { return r == '\n' }) {
		first, _, _ := strings.Cut(part, "|")
		words := strings.Fields(first)
		if len(words) == 0 || words[0] == "cd" {
			continue
		}
		program := strings.ToLower(path.Base(words[0]))
		if program == "git" && len(words) > 1 && (words[1] == "grep" || words[1] == "ls-files") {
			program, words = "grep", words[1:]
		}
		l := Look{Search: searchers[program], Tokens: tokens(result), Call: tool + " " + command}
		switch {
		case l.Search:
			l.Files, l.Lines = listed(result)
		case printers[program] && !strings.Contains(first, ">"):
			for _, w := range words[1:] {
				if w = strings.Trim(w, `"'`); !strings.HasPrefix(w, "-") && path.Ext(w) != "" {
					l.Files = []string{w}
				}
			}
			if l.Files == nil {
				continue
			}
		default:
			continue
		}
		a.looks = append(a.looks, l)
		break // one result has the tokens of one look-up
	}
	return a
}

// place matches a line of a search's result that shows a line of a file.
var place = regexp.MustCompile(`^[^\s:]+[:-]\d+[:-]`)

// listed returns the files that a search's result names alone on their lines. lines means that it
// shows more.
func listed(result string) (files []string, lines bool) {
	for line := range strings.Lines(result) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case place.MatchString(line) || strings.ContainsAny(line, " \t") || path.Ext(line) == "":
			lines = true
		default:
			files = append(files, line)
		}
	}
	return files, lines
}

// valueOf returns the first text argument with one of some names.
func valueOf(args map[string]any, names []string) string {
	for _, k := range slices.Sorted(maps.Keys(args)) {
		low := strings.ToLower(k)
		if !slices.ContainsFunc(names, func(n string) bool { return low == n || strings.HasSuffix(low, "_"+n) || strings.HasSuffix(low, n) }) {
			continue
		}
		switch v := args[k].(type) {
		case string:
			if v != "" {
				return v
			}
		case []any: // ["bash", "-lc", "rg retry"]
			if list := texts(v); len(list) > 0 {
				return list[len(list)-1]
			}
		}
	}
	return ""
}

func has(args map[string]any, names []string) bool {
	for k := range args {
		if slices.Contains(names, strings.ToLower(k)) {
			return true
		}
	}
	return false
}

// texts returns the strings in a JSON value.
func texts(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			out = append(out, texts(e)...)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			out = append(out, texts(v[k])...)
		}
	}
	return out
}

// resultText returns the text of a call's result.
func resultText(raw json.RawMessage) string {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	return strings.Join(texts(v), "\n")
}
