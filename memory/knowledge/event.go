package knowledge

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// event is what happened in a tool call or in a tool's message, as far as lessons go.
type event struct {
	turn, message int      // places in the talk and in the turn
	kind          string   // of the call: its tool and the first words of its command
	failed        bool     // it reports a failure
	changed       []string // files that it changed
	output        string   // what it answered, in words
}

// eventsOf returns the events of a turn's messages, in order.
func eventsOf(turn int, t dialogue.Turn) []event {
	var out []event
	for i, m := range t.Messages {
		if m.Role == dialogue.Tool {
			text := clippedOutput(m.Content)
			out = append(out, event{turn: turn, message: i, failed: failureIn(text) != "", output: text})
			continue
		}
		for _, c := range m.ToolCalls {
			e := event{turn: turn, message: i, kind: c.Name, output: clippedOutput(textIn(c.Result))}
			command, path, edits := argumentsOf(c.Arguments)
			if edits && path != "" {
				e.changed = []string{path}
			} else if words := strings.Fields(command); len(words) > 0 {
				e.kind += " " + strings.Join(words[:min(2, len(words))], " ")
			}
			e.failed = c.IsError || !edits && failureIn(e.output) != ""
			out = append(out, e)
		}
	}
	return out
}

// clippedOutput is what is read of a tool's answer: its beginning and its end.
func clippedOutput(text string) string {
	const head, tail = 8 << 10, 8 << 10
	if len(text) <= head+tail {
		return text
	}
	return text[:runeStart(text, head)] + "\n" + text[runeStart(text, len(text)-tail):]
}

// textIn returns the strings in a JSON value, a line each, in the order of their keys.
func textIn(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	var list []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(v[k])
			}
		}
	}
	walk(value)
	return strings.Join(list, "\n")
}

// argumentsOf reads what the arguments of a call say by the names that tools give them: the command that it runs, the
// file that it is about, and whether it changes that file.
func argumentsOf(raw json.RawMessage) (command, path string, edits bool) {
	var args map[string]any
	if json.Unmarshal(raw, &args) != nil {
		return "", "", false
	}
	for _, k := range slices.Sorted(maps.Keys(args)) {
		name := strings.ToLower(k)
		value, _ := args[k].(string)
		has := func(parts ...string) bool {
			return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(name, p) })
		}
		switch {
		case has("new", "content", "patch", "diff", "edit", "replace", "insert"):
			edits = true
		case has("path", "file", "uri"):
			if value != "" && path == "" {
				path = value
			}
		case has("cmd", "command", "script", "args"):
			if value != "" && command == "" {
				command = value
			}
		}
	}
	if command == "" && path == "" {
		for _, k := range slices.Sorted(maps.Keys(args)) {
			if value, ok := args[k].(string); ok && value != "" {
				return value, "", edits
			}
		}
	}
	return command, path, edits
}

// failureMarks are what compilers, test runners and shells print when they fail. They are programs' words, the same in
// every language that people speak.
var failureMarks = []string{
	"error:", "error[", "errors:", "exception", "traceback (", "panic:", "--- fail", "fail\t", "failed", "fatal:", "segmentation fault", "assertion",
	"not found", "no such file", "cannot ", "undefined", "unresolved", "denied", "refused", "timed out", "timeout", "err!", "✗", "exit status 1",
	"exit code 1", "exit code: 1", "expected", "mismatch", "conflict", "deadlock", "unexpected",
}

// failureIn returns the first line of a tool's output that reports a failure, "" where none does.
func failureIn(output string) string {
	for line := range strings.Lines(output) {
		if isFailure(line) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

func isFailure(line string) bool {
	low := strings.ToLower(line)
	if strings.Contains(low, "0 failed") || strings.Contains(low, "0 errors") || strings.Contains(low, "no error") {
		return false
	}
	return slices.ContainsFunc(failureMarks, func(mark string) bool { return strings.Contains(low, mark) })
}
