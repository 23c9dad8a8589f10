package capture

import (
	"bufio"
	"encoding/json"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

func specstoryPlaces(e Environment) []place {
	var out []place
	for _, root := range e.roots() {
		out = append(out, place{dir: filepath.Join(root, ".specstory", "history"), match: suffixed(".md"), near: others()})
	}
	return out
}

// specstoryHint returns the project's folder, which contains the history folder.
func specstoryHint(_ Environment, path string) hint {
	return hint{
		session: strings.TrimSuffix(filepath.Base(path), ".md"),
		cwd:     filepath.Dir(filepath.Dir(filepath.Dir(path))),
	}
}

var (
	specstoryTurn = regexp.MustCompile(`^_\*\*(User|Agent|Assistant|Tool|System)\b(?: \(([^)]*)\))?(.*?)\*\*_\s*$`)
	specstoryHead = regexp.MustCompile(`^<!-- (.*?) Session ([0-9A-Za-z-]+) \((.*?)\) -->`)
	specstoryWhen = regexp.MustCompile(`\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?(?:Z| ?[-+]\d\d:?\d\d)?`)
	specstoryFile = regexp.MustCompile(`^\d{4}-\d\d-\d\d_\d\d-\d\d(-\d\d)?`)
	specstoryMade = regexp.MustCompile(` \(\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?Z?\)$`)
	specstoryTold = regexp.MustCompile(`<summary>([^"•<]*)(?:"([^"]*)")?`)
	specstoryTool = regexp.MustCompile(`^<tool-use data-tool-type="([^"]*)" data-tool-name="([^"]*)">`)
)

// specstoryDocument parses a session in SpecStory's format: Markdown in which a line such as
// "_**User (2026-01-02 10:00:00Z)**_" precedes each message. Reasoning and the use of tools are in
// elements of their own. Nothing has an id: a message is identified by its text. Where turns have
// no time, as in earlier versions, theirs is that in the file's name, which is in UTC.
func specstoryDocument(r io.Reader, h hint, out *Found) {
	p := specstoryReader{session: h.session, cwd: h.cwd, begun: specstoryBegun(h.session), names: clineReader{names: map[string]int{}}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLineBytes)
	for n := 1; lines.Scan(); n++ {
		p.line(strings.TrimRight(lines.Text(), "\r"), n, out)
	}
	if lines.Err() != nil {
		out.unknown("line that is too long", 0)
	}
	p.end(out)
	if n := len(out.Messages); n > 0 && out.Messages[n-1].Role != dialogue.User {
		out.Messages[n-1].open = textSettles
	}
	if len(out.Messages) == 0 {
		out.unknown("document without turns", 0)
	}
}

type specstoryReader struct {
	session, cwd, title string
	begun               time.Time // by the file's name
	names               clineReader
	fence               string

	role   dialogue.Role // of the current turn; "" before the first
	author string
	at     time.Time
	side   bool // a subagent
	text   []string
	// Contents of the current element: reasoning, or the use of a tool.
	inside    string
	reasoning []string
	tool      dialogue.ToolCall
	kind      string // of the tool
	output    []string
	calls     []dialogue.ToolCall
	// In the form of the first versions, which have no elements: see early.
	early bool
	from  int // where in text the current part begins
}

func (p *specstoryReader) line(line string, n int, out *Found) {
	if line == specstoryEarly {
		p.early = p.role == ""
	}
	if m := specstoryHead.FindStringSubmatch(line); m != nil && p.role == "" {
		p.session = m[2]
		return
	}
	if title, ok := strings.CutPrefix(line, "# "); ok && p.role == "" && p.title == "" {
		title = specstoryMade.ReplaceAllString(strings.TrimSpace(title), "")
		if title != "Untitled" && specstoryTime(title).IsZero() { // a session without a title has its time instead
			p.title = title
		}
		return
	}
	if m := specstoryTurn.FindStringSubmatch(line); m != nil && p.fence == "" {
		p.end(out)
		p.turn(m, n, out)
		return
	}
	p.fenced(line)
	rule := p.fence == "" && strings.TrimSpace(line) == "---" && p.inside == ""
	if rule && p.early {
		p.part(out)
	}
	if p.role == "" || rule {
		return
	}
	p.say(line)
}

// fenced tracks fenced blocks, within which no line begins a turn.
func (p *specstoryReader) fenced(line string) {
	mark := line[:len(line)-len(strings.TrimLeft(line, "`"))]
	switch {
	case len(mark) < 3:
	case p.fence == "":
		p.fence = mark
	case len(mark) >= len(p.fence) && isBlank(line[len(mark):]):
		p.fence = ""
	}
}

// turn begins a turn by its heading.
func (p *specstoryReader) turn(m []string, n int, out *Found) {
	p.at, p.author = time.Time{}, ""
	by := strings.Join(m[2:], " ")
	if when := specstoryWhen.FindStringIndex(by); when != nil {
		p.at = specstoryTime(by[when[0]:when[1]])
		by = by[:when[0]]
	}
	by = by[strings.LastIndexByte(by, '(')+1:] // "- sidechain (model"
	by = strings.Trim(strings.TrimSuffix(strings.TrimSpace(by), " at"), " ,)")
	if m[1] == "Agent" || m[1] == "Assistant" {
		p.author = strings.TrimPrefix(by, "model ")
	}
	p.side = strings.Contains(m[2]+m[3], "sidechain")
	switch m[1] {
	case "User":
		p.role = dialogue.User
		if p.side {
			p.role = dialogue.System
		}
	case "Tool":
		p.role = dialogue.Tool
	case "System":
		p.role = dialogue.System
	default:
		p.role = dialogue.Assistant
	}
}

// specstoryTime reads a time as SpecStory writes it, in the forms of its versions; the zero time
// for another.
func specstoryTime(text string) time.Time {
	for _, layout := range []string{"2006-01-02 15:04:05Z", "2006-01-02 15:04Z", time.RFC3339, "2006-01-02 15:04:05 -07:00", "2006-01-02 15:04:05 -0700"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// specstoryBegun reads the time with which a file's name begins; the zero time without one.
func specstoryBegun(name string) time.Time {
	when := specstoryFile.FindString(name)
	for _, layout := range []string{"2006-01-02_15-04-05", "2006-01-02_15-04"} {
		if at, err := time.Parse(layout, when); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// say takes a line of a turn.
func (p *specstoryReader) say(line string) {
	trimmed := strings.TrimSpace(line)
	switch {
	case p.early:
		p.text = append(p.text, line)
	case p.inside == "" && strings.HasPrefix(trimmed, "<think>"):
		p.inside = "think"
		p.say(strings.TrimPrefix(trimmed, "<think>"))
	case p.inside == "" && specstoryTool.MatchString(trimmed):
		p.inside = "tool"
		m := specstoryTool.FindStringSubmatch(trimmed)
		p.tool, p.kind = dialogue.ToolCall{Name: m[2]}, m[1]
		p.output = nil
		if rest := specstoryTool.ReplaceAllString(trimmed, ""); rest != "" {
			p.say(rest)
		}
	case p.inside == "think":
		text, over := strings.CutSuffix(trimmed, "</think>")
		if before, after, found := strings.Cut(trimmed, "</think>"); found && after != "" {
			text, over = before, true
		}
		if over {
			p.inside = ""
		} else {
			text = line
		}
		p.reasoning = append(p.reasoning, strings.TrimPrefix(untagged(text), "Thought Process"))
	case p.inside == "tool":
		text, over := strings.CutSuffix(trimmed, "</tool-use>")
		if !over {
			p.output = append(p.output, untagged(line))
			return
		}
		p.output = append(p.output, untagged(text))
		p.inside = ""
		p.called()
	case strings.HasPrefix(trimmed, "<details>"), strings.HasPrefix(trimmed, "</details>"), strings.HasPrefix(trimmed, "<summary>"):
		p.text = append(p.text, strings.TrimSpace(untagged(trimmed)))
	default:
		p.text = append(p.text, line)
	}
}

var (
	specstoryCode    = regexp.MustCompile("(?:^|\\s)`([^`]+)`")
	specstoryPattern = regexp.MustCompile("pattern `([^`]+)`")
	specstoryFailed  = regexp.MustCompile(`^(Exit code [1-9]|<tool_use_error>)`)
)

// called adds the tool call that was read: its arguments are in backticks, its result or the text
// it wrote in a fenced block after them.
func (p *specstoryReader) called() {
	text := strings.TrimSpace(strings.Join(p.output, "\n"))
	head, result := text, text
	if at := strings.Index(text, "\n```"); at >= 0 {
		head = text[:at]
		if _, body, ok := strings.Cut(text[at+1:], "\n"); ok {
			result = strings.TrimRight(strings.TrimRight(body, "\n"), "`")
		}
	}
	args := map[string]string{"type": p.kind}
	code := specstoryCode.FindStringSubmatch(head)
	if pattern := specstoryPattern.FindStringSubmatch(head); pattern != nil {
		args["pattern"] = pattern[1]
	}
	if code != nil {
		switch p.kind {
		case "shell":
			args["command"] = code[1]
		case "write":
			args["path"], args["diff"] = code[1], result
		case "read", "search":
			args["path"] = code[1]
		}
	}
	if file, ok := writtenFile(result); ok && p.kind == "write" && code == nil {
		args["path"], args["diff"] = file, "" // the written text is in the answer
	}
	p.tool.Arguments, _ = json.Marshal(args) // never fails for strings
	p.tool.Result = jsonText(strings.TrimSpace(result))
	p.tool.IsError = specstoryFailed.MatchString(strings.TrimSpace(result))
	p.calls = append(p.calls, p.tool)
}

// writtenFile returns the file that the answer of an editing tool names: the first absolute path in
// its first line.
func writtenFile(answer string) (string, bool) {
	first, _, _ := strings.Cut(strings.TrimSpace(answer), "\n")
	for word := range strings.FieldsSeq(first) {
		if strings.HasPrefix(word, "/") && strings.Contains(word[1:], "/") {
			return strings.TrimRight(word, ".:,"), true
		}
	}
	return "", false
}

// untagged returns a line without the tags that fold it away.
func untagged(line string) string {
	return strings.NewReplacer("<details>", "", "</details>", "", "<summary>", "", "</summary>", "").Replace(line)
}

// end adds the turn that was read.
func (p *specstoryReader) end(out *Found) {
	if p.early {
		p.part(out)
	}
	p.add(out)
}

// add adds what was read of the turn as a message.
func (p *specstoryReader) add(out *Found) {
	out.about(p.session, Session{Cwd: p.cwd, Title: p.title})
	if p.inside == "tool" { // its closing tag is missing
		p.called()
	}
	m := dialogue.Message{
		Role: p.role, Author: p.author, At: p.at, Content: strings.TrimSpace(strings.Join(p.text, "\n")),
		Reasoning: strings.TrimSpace(strings.Join(p.reasoning, "\n")), ToolCalls: p.calls,
	}
	if p.role != "" && (m.Content != "" || m.Reasoning != "" || len(m.ToolCalls) > 0) {
		said := m.Content + "\x00" + m.Reasoning
		for _, c := range m.ToolCalls {
			said += "\x00" + c.Name + string(c.Result)
		}
		if p.role == dialogue.User {
			if m.Role, m.Content = words(SpecStory, m.Content); m.Role == "" {
				out.skip("host's note")
				p.text, p.from = nil, 0
				return
			}
		}
		p.names.session = p.session
		m.ID = p.names.name(&clineMessage{Role: string(p.role) + p.at.String(), Content: []byte(said)})
		if m.At.IsZero() {
			m.At = p.begun
		} else {
			p.begun = time.Time{} // one without a time follows one with
		}
		session := p.session
		if p.side {
			session += "/sidechain"
			out.about(session, Session{Cwd: p.cwd, Title: p.title})
		}
		out.add(session, m)
	}
	p.text, p.reasoning, p.calls, p.output, p.inside, p.from = nil, nil, nil, nil, "", 0
}
