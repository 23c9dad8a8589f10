package knowledge

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// event is what happened in a tool call or in a tool's message, as far as lessons need it.
type event struct {
	turn, message int      // turn is an index in the talk, message one in the turn
	kinds         []string // of the call: its tool followed by the first words of each command that it runs
	command       string   // the command that it runs, "" for none
	failed        bool     // it is a command, and reports a failure: a host refuses or misses much else
	changed       []string // files that it changed
	output        string   // its answer in words
}

// eventsOf returns the events of a talk's turns, in order. If a host marks the calls that failed,
// the mark decides; otherwise the output does.
func eventsOf(talk []TalkTurn, pause func() error) ([]event, error) {
	marked := slices.ContainsFunc(talk, func(t TalkTurn) bool {
		return slices.ContainsFunc(t.Turn.Messages, func(m dialogue.Message) bool {
			return slices.ContainsFunc(m.ToolCalls, func(c dialogue.ToolCall) bool { return c.IsError })
		})
	})
	var out []event
	for i, t := range talk {
		for j, m := range t.Turn.Messages {
			if err := pause(); err != nil {
				return nil, err
			}
			if m.Role == dialogue.Tool {
				text := clippedOutput(m.Content)
				out = append(out, event{turn: i, message: j, failed: failureIn(text), output: text})
				continue
			}
			for _, c := range m.ToolCalls {
				e := callOf(c)
				e.turn, e.message = i, j
				e.failed = e.command != "" && !strings.HasPrefix(e.output, misuse) && (c.IsError || !marked && e.runs() && failureIn(e.output))
				out = append(out, e)
			}
		}
	}
	return out, nil
}

// misuse begins a host's answer to a call that it did not carry out: it is no evidence about the
// workspace.
const misuse = "<tool_use_error>"

// readers are programs that print existing content, whatever it is about.
var readers = map[string]bool{
	"cat": true, "head": true, "tail": true, "sed": true, "awk": true, "less": true, "bat": true, "nl": true, "grep": true, "egrep": true, "rg": true,
	"ag": true, "find": true, "fd": true, "ls": true, "tree": true, "jq": true, "diff": true, "git": true, "gh": true, "echo": true, "printf": true,
	"curl": true, "sqlite3": true, "wc": true, "sort": true, "uniq": true, "cut": true, "tr": true, "for": true, "done": true, "pwd": true, "true": true, "type": true, "get-content": true, "select-string": true,
}

// runs reports whether a call runs a program whose output shows whether it failed.
func (e *event) runs() bool {
	if len(e.changed) > 0 || e.command == "" {
		return false
	}
	return slices.ContainsFunc(Programs(e.command), func(p Program) bool {
		return !readers[strings.ToLower(p.Words[0])] && p.Words[0] != "cd"
	})
}

// shellWords are the shell's own words before the program that runs.
var shellWords = map[string]bool{"do": true, "then": true, "else": true, "!": true, "time": true}

// callOf parses one call, except for whether it failed.
func callOf(c dialogue.ToolCall) event {
	e := event{output: clippedOutput(textIn(c.Result))}
	did := c.Deed()
	if len(did.Changed) > 0 {
		e.changed = did.Changed
		return e
	}
	e.command = strings.TrimSpace(did.Command)
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(did.Command, "&&", "\n"), func(r rune) bool { return strings.ContainsRune("\n;|", r) }) {
		if words := strings.Fields(part); len(words) > 0 {
			e.kinds = append(e.kinds, c.Name+" "+strings.Join(words[:min(2, len(words))], " "))
		}
	}
	if e.kinds == nil {
		e.kinds = []string{c.Name}
	}
	return e
}

// again reports whether a call repeats an earlier one.
func (e *event) again(earlier *event) bool {
	if len(earlier.kinds) == 0 || len(e.kinds) == 0 {
		return len(earlier.kinds) == len(e.kinds) && len(e.changed) == 0 // tools' messages without the name of the call
	}
	return slices.Contains(e.kinds, earlier.kinds[len(earlier.kinds)-1])
}

// clippedOutput returns the part of a tool's answer that is read: its beginning and its end.
func clippedOutput(text string) string {
	const head, tail = 8 << 10, 8 << 10
	if len(text) <= head+tail {
		return text
	}
	return text[:runeStart(text, head)] + "\n" + text[runeStart(text, len(text)-tail):]
}

// textIn returns the strings in a JSON value, one a line, in the order of their keys.
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

// failureMarks are printed by compilers, test runners and shells when they fail, independently of
// the language that people speak.
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

// noneFailed matches the forms in which programs report that nothing failed.
var noneFailed = regexp.MustCompile(`\b(failed|failures?|errors?)\W{0,2}\s*[:=]?\s*0\b|\b(0|no|zero) (tests? )?(failed|failures?|errors?)\b`)

// shownLine matches the beginning of a line of a file that a tool shows: its number, its location,
// the mark of a difference or of a comment. Compilers put a space between a location and their
// message.
var shownLine = regexp.MustCompile(`^\s*(\d+\s*(→|\||\t)|\d+[:-]\s*\t|[^\s:]+[:-]\d+[:-]([^\s\d]|\t|  )|[-+]([^-]|$)|//|/\*|\*\s|#\s|\|)`)

// isShown reports whether a line belongs to a shown file or to a program's text: it mentions
// failures without being one.
func isShown(line string) bool {
	line = strings.TrimRight(line, " \t\r\n")
	if shownLine.MatchString(line) || strings.Contains(line, ":= ") || strings.Contains(line, "\\n\"") {
		return true
	}
	if line == "" {
		return false
	}
	switch line[len(line)-1] {
	case '{', ';', ',', '(':
		return true
	}
	trimmed := strings.TrimSpace(line)
	return trimmed[0] == '"' && strings.Contains(trimmed, `",`) || trimmed[0] == '`' || strings.HasPrefix(trimmed, "return ")
}

// passMarks begin the lines in which test runners name what they run and what passed, whatever its
// name.
var passMarks = []string{"--- pass", "=== run", "=== cont", "=== pause", "ok  \t", "✓", "✔", "√"}

// logLine matches lines of a log: programs log failures there and continue.
var logLine = regexp.MustCompile(`^\W*\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:`)

// isReason reports whether a line of a failing call's output adds to the fact that it failed.
func isReason(line string) bool {
	return isFailure(line) && !exitLine.MatchString(line) && !logLine.MatchString(line)
}

func isFailure(line string) bool {
	low := strings.ToLower(line)
	begins := func(mark string) bool { return strings.HasPrefix(strings.TrimSpace(low), mark) }
	if noneFailed.MatchString(low) || isShown(line) || slices.ContainsFunc(passMarks, begins) {
		return false
	}
	return slices.ContainsFunc(failureMarks, func(mark string) bool { return strings.Contains(low, mark) })
}
