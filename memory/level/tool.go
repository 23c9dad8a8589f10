package level

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Limits on the tool output and parameters that shorter levels show.
const (
	headLines     = 60  // of an output's beginning
	tailLines     = 40  // of its end
	longestLine   = 240 // bytes of a line of output
	longestArg    = 200 // bytes of a parameter that is a path, a command, a pattern
	longestText   = 60  // bytes of a parameter that is text
	longestResult = 80  // bytes of the summary of a result that is not an error
	briefArgs     = 64  // bytes of all parameters, if a call must make room for dialogue
	briefResult   = 40  // bytes of the result's summary in that case
)

// CallLine returns a tool call in one line: its name, its parameters shortened, and its error or
// the beginning of its result.
func CallLine(c dialogue.ToolCall) string { return callText(c) }

// callText returns a tool call for S: its parameters shortened, its result left to the lines that
// follow.
func callText(c dialogue.ToolCall) string {
	args := argsText(c.Arguments)
	if args != "" {
		args = " with " + args
	}
	return "{tool " + c.Name + " called" + args + verdict(c) + resultText(c) + "}"
}

// callBrief returns a tool call for S with parameters and result cut to make room for dialogue.
func callBrief(c dialogue.ToolCall) string {
	args := argsText(c.Arguments)
	if args != "" {
		args = " with " + clip(args, briefArgs)
	}
	result := resultText(c)
	if !Failure(result) {
		result = clip(result, briefResult)
	}
	return "{tool " + c.Name + " called" + args + verdict(c) + result + "}"
}

// callStub returns a tool call for C.
func callStub(c dialogue.ToolCall) string {
	return "{tool " + c.Name + " called" + verdict(c)[:len(verdict(c))-2] + " " + resultText(c) + "}"
}

// argsText formats a call's parameters as name=value, long values cut.
func argsText(raw json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		s := oneSpaced(clip(rawJSON(raw), longestArg))
		if s == "null" || s == `""` {
			return ""
		}
		return s
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for i, name := range names {
		if i == 8 {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		value, limit := rawJSON(fields[name]), longestText
		if plainArg(name) {
			limit = longestArg
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name + "=" + oneSpaced(clip(value, limit)))
	}
	return b.String()
}

// plainArg reports whether a parameter's value is a name rather than content.
func plainArg(name string) bool {
	switch low := strings.ToLower(name); low {
	case "command", "cmd", "query", "pattern", "url", "uri", "regex", "glob", "symbol", "name":
		return true
	default:
		return strings.Contains(low, "path") || strings.Contains(low, "file") || strings.Contains(low, "dir")
	}
}

// resultText summarises a result: its first error line, else its only line, else its first line and
// the number of lines.
func resultText(c dialogue.ToolCall) string {
	lines := resultLines(c.Result)
	switch {
	case len(lines) == 0 && c.IsError:
		return "failed"
	case len(lines) == 0:
		return "ok"
	}
	for _, l := range lines {
		if len(l) <= longestAnchor && Failure(l) {
			return oneSpaced(l)
		}
	}
	if len(lines) == 1 {
		return oneSpaced(clip(lines[0], longestResult))
	}
	return fmt.Sprintf("%s … (%d lines)", oneSpaced(clip(lines[0], longestText)), len(lines))
}

// resultLines returns the lines of a result that are not blank: the lines of a string, or "name:
// value" for each value in an object.
func resultLines(raw json.RawMessage) []string {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return textLines(nil, "", string(raw))
	}
	return flatten(nil, "", v, 0)
}

func flatten(lines []string, name string, v any, depth int) []string {
	if depth > 100 {
		return lines
	}
	switch v := v.(type) {
	case nil:
		return lines
	case string:
		return textLines(lines, name, v)
	case []any:
		for _, e := range v {
			lines = flatten(lines, name, e, depth+1)
		}
		return lines
	case map[string]any:
		names := make([]string, 0, len(v))
		for n := range v {
			names = append(names, n)
		}
		slices.Sort(names)
		for _, n := range names {
			lines = flatten(lines, n, v[n], depth+1)
		}
		return lines
	case float64:
		b, _ := json.Marshal(v) // a decoded number always encodes
		return textLines(lines, name, string(b))
	default:
		return textLines(lines, name, fmt.Sprint(v))
	}
}

func textLines(lines []string, name, text string) []string {
	text = strings.TrimSpace(text)
	if name != "" && text != "" && !strings.Contains(text, "\n") {
		return append(lines, name+": "+text)
	}
	for text != "" {
		var line string
		line, text = cutLine(text)
		if line = strings.TrimRight(line, " \t\r"); strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// outputLines returns the lines of a long output that a shorter level may show: its errors, its
// beginning and its end, in order, each at most longestLine bytes long.
func outputLines(lines []string) (show []string, problem []bool) {
	keep := map[int]bool{}
	if len(lines) > headLines+tailLines {
		keep = keepOfPaste(lines, false)
	}
	after := 0 // lines with details of the failure before them
	for i, l := range lines {
		bad := len(l) <= longestAnchor && Failure(l)
		if after--; bad {
			after = detailLines
		} else if after >= 0 && l != "" && len(l) <= longestAnchor && (l[0] == ' ' || l[0] == '\t') {
			bad = true
		}
		if i >= headLines && i < len(lines)-tailLines && !keep[i] {
			continue
		}
		if !bad {
			l = clip(l, longestLine)
		}
		show, problem = append(show, l), append(problem, bad)
	}
	return show, problem
}

// detailLines is the number of indented lines after a failure that belong to it.
const detailLines = 2

// clip removes the middle of a text of more than limit bytes; two thirds of what remains is its
// beginning.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head := runeStart(s, limit*2/3)
	tail := runeStart(s, len(s)-limit/3)
	return s[:head] + "…" + s[tail:]
}
