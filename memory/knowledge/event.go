package knowledge

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// event is what happened in a tool call or in a tool's message, as far as lessons go.
type event struct {
	turn, message int      // places in the talk and in the turn
	kinds         []string // of the call: its tool with the first words of each command that it runs, in order
	command       string   // that it runs, "" for none
	failed        bool     // it reports a failure
	changed       []string // files that it changed
	output        string   // what it answered, in words
}

// eventsOf returns the events of a talk's turns, in order. Where a host marks the calls that failed, its word counts;
// else the output tells.
func eventsOf(talk []Told) []event {
	marked := slices.ContainsFunc(talk, func(t Told) bool {
		return slices.ContainsFunc(t.Turn.Messages, func(m dialogue.Message) bool {
			return slices.ContainsFunc(m.ToolCalls, func(c dialogue.ToolCall) bool { return c.IsError })
		})
	})
	var out []event
	for i, t := range talk {
		for j, m := range t.Turn.Messages {
			if m.Role == dialogue.Tool {
				text := clippedOutput(m.Content)
				out = append(out, event{turn: i, message: j, failed: failureIn(text), output: text})
				continue
			}
			for _, c := range m.ToolCalls {
				e := callOf(c)
				e.turn, e.message = i, j
				e.failed = c.IsError || !marked && len(e.changed) == 0 && failureIn(e.output)
				out = append(out, e)
			}
		}
	}
	return out
}

// callOf reads one call but for whether it failed.
func callOf(c dialogue.ToolCall) event {
	e := event{output: clippedOutput(textIn(c.Result))}
	command, path, edits := argumentsOf(c.Arguments)
	if edits && path != "" {
		e.changed = []string{path}
		return e
	}
	e.command = strings.TrimSpace(command)
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(command, "&&", "\n"), func(r rune) bool { return strings.ContainsRune("\n;|", r) }) {
		if words := strings.Fields(part); len(words) > 0 {
			e.kinds = append(e.kinds, c.Name+" "+strings.Join(words[:min(2, len(words))], " "))
		}
	}
	if e.kinds == nil {
		e.kinds = []string{c.Name}
	}
	return e
}

// again reports whether a call does what an earlier one did last.
func (e *event) again(earlier *event) bool {
	if len(earlier.kinds) == 0 || len(e.kinds) == 0 {
		return len(earlier.kinds) == len(e.kinds) && len(e.changed) == 0 // tools' messages, which do not say what was called
	}
	return slices.Contains(e.kinds, earlier.kinds[len(earlier.kinds)-1])
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

// failureIn reports whether a line of a tool's output reports a failure.
func failureIn(output string) bool {
	for line := range strings.Lines(output) {
		if isFailure(line) {
			return true
		}
	}
	return false
}

// noneFailed are the forms in which programs say that nothing failed.
var noneFailed = regexp.MustCompile(`\b(failed|failures?|errors?)\W{0,2}\s*[:=]?\s*0\b|\b(0|no|zero) (tests? )?(failed|failures?|errors?)\b`)

func isFailure(line string) bool {
	low := strings.ToLower(line)
	if noneFailed.MatchString(low) {
		return false
	}
	return slices.ContainsFunc(failureMarks, func(mark string) bool { return strings.Contains(low, mark) })
}
