package receipt

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

// Look is a look-up of an assistant: files that it read, or a search or a listing.
type Look struct {
	Search bool // else it reads files
	// Files are the files of the workspace that it read, or that a search's result names alone on
	// its lines.
	Files []string
	// More means that a search's result has other lines too.
	More   bool
	Tokens int       // of its result
	At     time.Time // of the call; zero if it is not known
}

// act is a tool call, as far as receipts need it.
type act struct {
	look   *Look    // nil for none
	edited []string // the files of the workspace that it changed
	blind  bool     // it changed files that are not known
}

// IsOwn reports whether a call is of one of the program's own tools: hosts write the name of the
// server, as it is installed, into that of the tool or beside it.
func IsOwn(c dialogue.ToolCall) bool {
	const server = "contexture"
	if strings.Contains(strings.ToLower(c.Name), server) {
		return true
	}
	var args struct {
		Server string `json:"server_name"`
	}
	return json.Unmarshal(c.Arguments, &args) == nil && strings.EqualFold(args.Server, server)
}

// actOf reads a tool call of an assistant that works in a folder.
func actOf(c dialogue.ToolCall, in folder) act {
	if IsOwn(c) {
		return act{}
	}
	did, result := c.Deed(), resultText(c.Result)
	l := &Look{Tokens: tokens(result)}
	switch {
	case did.Changes && c.IsError:
		return act{}
	case did.Changes:
		return act{edited: in.files(did.Changed...), blind: len(did.Changed) == 0}
	case did.Sought != "" || did.Path != "" && isListing(c.Name):
		l.Search = true
		l.Files, l.More = listed(result, in)
	case did.Command != "":
		return shellAct(did.Command, result, in, l)
	case did.Path != "":
		if !c.IsError {
			l.Files = in.files(did.Path)
		}
	default:
		return act{}
	}
	return act{look: l}
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

// shellAct reads a command, which has one result: if any of its programs prints a file, it reads,
// else if any searches or lists, it searches. What a pipe feeds only shortens what came before.
func shellAct(command, result string, in folder, l *Look) act {
	reads, searches := false, false
	for _, p := range knowledge.Programs(command) {
		words := p.Words
		name := strings.ToLower(path.Base(words[0]))
		if name == "git" && len(words) > 1 && (words[1] == "grep" || words[1] == "ls-files") {
			name, words = "grep", words[1:]
		}
		switch {
		case name == "cd" && len(words) > 1:
			in.enter(words[1])
		case p.Fed:
		case printers[name]:
			for _, file := range printed(name, words[1:]) {
				reads = true
				if !strings.ContainsAny(file, "*?$`{") { // which the shell replaces
					l.Files = append(l.Files, in.files(file)...)
				}
			}
		case searchers[name]:
			searches = true
		}
	}
	switch {
	case reads:
		if strings.TrimSpace(result) == "" { // the files are empty, or not there
			l.Files = nil
		}
		return act{look: l}
	case searches:
		l.Search = true
		l.Files, l.More = listed(result, in)
		return act{look: l}
	}
	return act{}
}

// printed returns the files that a program prints, by its arguments; nil if it writes them.
func printed(program string, args []string) (files []string) {
	for _, a := range args {
		switch {
		case strings.HasPrefix(a, ">"), program == "sed" && strings.HasPrefix(a, "-i"):
			return nil
		case a == "" || strings.HasPrefix(a, "-") || strings.HasPrefix(a, "2>") || strings.Trim(a, "+0123456789") == "":
		default:
			files = append(files, a)
		}
	}
	if program == "sed" && len(files) > 0 {
		return files[1:] // after its script
	}
	return files
}

// place matches a line of a search's result that shows a line of a file.
var place = regexp.MustCompile(`^[^\s:]+[:-]\d+[:-]`)

// foundHead matches what Claude Code writes above the files that a search found.
var foundHead = regexp.MustCompile(`^Found \d+ files?\n`)

// listed returns the files of the workspace that a search's result names alone on their lines. more
// means that it has other lines.
func listed(result string, in folder) (files []string, more bool) {
	for line := range strings.Lines(result[len(foundHead.FindString(result)):]) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		found := in.files(line)
		if found == nil || place.MatchString(line) || strings.ContainsAny(line, " \t") {
			more = true
			continue
		}
		files = append(files, found...)
	}
	return files, more
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

// codexHead matches what Codex writes above the output of a command.
var codexHead = regexp.MustCompile(`^(?:(?:Chunk ID|Wall time|Exit code|Process exited|Original token count|Total output lines)[^\n]*\n)+Output:\n`)

// resultText returns the text of a call's result.
func resultText(raw json.RawMessage) string {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	text := strings.Join(texts(v), "\n")
	return text[len(codexHead.FindString(text)):]
}
