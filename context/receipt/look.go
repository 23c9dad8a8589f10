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

// actOf reads a tool call.
func actOf(c dialogue.ToolCall) act {
	did, result := c.Deed(), resultText(c.Result)
	l := Look{Tokens: tokens(result)}
	switch {
	case did.Changes:
		return act{changes: true, edited: did.Changed}
	case did.Sought != "" || did.Path != "" && isListing(c.Name):
		l.Search, l.Call = true, strings.TrimSpace(c.Name+" "+did.Sought+" "+did.Path)
		l.Files, l.Lines = listed(result)
	case did.Command != "":
		return shellAct(c.Name, did.Command, result)
	case did.Path != "":
		l.Files, l.Call = []string{did.Path}, c.Name+" "+did.Path
	default:
		return act{}
	}
	return act{looks: []Look{l}}
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

// shellAct reads a command: the first program of a pipeline decides what it does.
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
