package mcp

import (
	"html"
	"path"
	"regexp"
	"strings"

	"github.com/contexture-dev/contexture/context/render"
)

// element is a part of a bundle's or a recall's text, with its delimiters parsed.
type element struct {
	name       string // "ctx-code", or a turn's tag such as "T-7-S"
	attrs      map[string]string
	body       string // as it was before imitations of delimiters were escaped
	start, end int    // in the text, delimiters included
}

var (
	openingTag = regexp.MustCompile(`^<((?:ctx-[a-z0-9-]+)|T-[0-9]+(?:-through-[0-9]+)?-[RSCT])((?: [a-z][a-z0-9-]*="[^"]*")*)>$`)
	attribute  = regexp.MustCompile(`([a-z][a-z0-9-]*)="([^"]*)"`)
)

// elements splits a text of package render into elements. Text outside elements is ignored: there
// is none.
func elements(text string) (out []element) {
	for start := 0; start < len(text); {
		line, _, _ := strings.Cut(text[start:], "\n")
		m := openingTag.FindStringSubmatch(line)
		if m == nil {
			start += len(line) + 1
			continue
		}
		bodyAt := start + len(line) + 1
		closing := "\n</" + m[1] + ">\n"
		length := strings.Index(text[bodyAt-1:], closing)
		if m[1] == "ctx-prompt" { // it is last and not escaped
			length = strings.LastIndex(text[bodyAt-1:], closing)
		}
		if length < 0 {
			return out
		}
		e := element{name: m[1], attrs: map[string]string{}, start: start, end: bodyAt - 1 + length + len(closing)}
		for _, a := range attribute.FindAllStringSubmatch(m[2], -1) {
			e.attrs[a[1]] = html.UnescapeString(a[2])
		}
		if length > 0 {
			e.body = render.Unescape(text[bodyAt : bodyAt-1+length])
		}
		out = append(out, e)
		start = e.end
	}
	return out
}

// place returns the element's location in the workspace, path:first-last with lines from 1; "" if
// it has none.
func (e element) place() string {
	if e.attrs["path"] == "" {
		return ""
	}
	if lines := e.attrs["lines"]; lines != "" {
		return e.attrs["path"] + ":" + lines
	}
	return e.attrs["path"]
}

var turnName = regexp.MustCompile(`^(T-[0-9]+)(?:-through-([0-9]+))?-([RSCT])$`)

// heading returns the heading of an element that is not code.
func (e element) heading() string {
	if m := turnName.FindStringSubmatch(e.name); m != nil {
		text := "T" + turnsName(m[1], m[2])[1:]
		if m[3] != "R" {
			text += ", shortened"
		}
		return text
	}
	var parts []string
	title := e.attrs["title"]
	if conversation := e.attrs["conversation"]; conversation != "" {
		parts = append(parts, "Conversation \""+conversation+"\"")
	}
	if first, last, ok := turnsIn(e.attrs["turns"]); ok {
		parts = append(parts, turnsName(first, last))
	} else if turn := e.attrs["turn"]; turn != "" {
		parts = append(parts, "turn "+turn)
	}
	kind := strings.TrimPrefix(e.name, "ctx-")
	named := strings.ToUpper(kind[:1]) + kind[1:]
	switch {
	case kind == "task" || kind == "blocker":
		title = named + " " + title
	case len(parts) == 0 && title == "":
		title = named
	case title == "":
		parts[0] = strings.ToUpper(parts[0][:1]) + parts[0][1:]
	}
	if title != "" {
		parts = append([]string{oneLine(title)}, parts...)
	}
	if date := e.attrs["date"]; date != "" && !strings.Contains(title, date) {
		parts = append(parts, date)
	}
	return strings.Join(parts, ", ")
}

// turnsIn parses a run of turns: T-7, T-7-9 or T-7-through-9.
func turnsIn(text string) (first, last string, ok bool) {
	m := turnRun.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

var turnRun = regexp.MustCompile(`^(T-[0-9]+)(?:-(?:through-)?([0-9]+))?$`)

// turnsName formats one turn, or a range of turns.
func turnsName(first, last string) string {
	if last == "" {
		return "turn " + first
	}
	return "turns " + first + " to T-" + last
}

// block formats an element as Markdown: its location or heading, then its body in a fence that the
// body cannot close.
func (e element) block() string {
	if e.attrs["missing"] != "" { // a sentence that Contexture wrote
		return oneLine(e.body) + "\n"
	}
	if place := e.place(); place != "" {
		if in := e.attrs["in"]; in != "" {
			place += " in " + clipped(oneLine(in))
		}
		return place + "\n" + fenced(e.body, languageOf(e.attrs["path"]))
	}
	return e.heading() + "\n" + fenced(e.body, "")
}

// fenced encloses a text in a fence longer than any run of backticks in it.
func fenced(text, language string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// languages maps file extensions to the names of fences, if they differ.
var languages = map[string]string{
	"py": "python", "rs": "rust", "rb": "ruby", "kt": "kotlin", "md": "markdown", "yml": "yaml", "h": "c", "cc": "cpp", "hpp": "cpp", "cs": "csharp", "sh": "bash",
	"txt": "",
}

func languageOf(file string) string {
	ext := strings.TrimPrefix(path.Ext(file), ".")
	if name, ok := languages[ext]; ok {
		return name
	}
	for _, r := range ext {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return ""
		}
	}
	return ext
}

// oneLine returns a text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// several formats a count: "1 piece", "3 pieces".
func several(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return number(n) + " " + thing + "s"
}

// maxTitle is the maximum length of a title in a heading, in bytes.
const maxTitle = 120

// clipped truncates a long title.
func clipped(text string) string {
	if len(text) <= maxTitle {
		return text
	}
	return strings.ToValidUTF8(text[:maxTitle], "") + "…"
}
