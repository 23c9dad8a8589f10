package capture

import (
	"bufio"
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
		out = append(out, place{filepath.Join(root, ".specstory", "history"), 0, suffixed(".md")})
	}
	return out
}

// specstoryHint takes the project's folder, in which history lies.
func specstoryHint(path string) hint {
	return hint{
		session: strings.TrimSuffix(filepath.Base(path), ".md"),
		cwd:     filepath.Dir(filepath.Dir(filepath.Dir(path))),
	}
}

var (
	specstoryTurn = regexp.MustCompile(`^_\*\*(User|Agent|Assistant|Tool|System)\b(?: \(([^)]*)\))?(.*?)\*\*_\s*$`)
	specstoryHead = regexp.MustCompile(`^<!-- (.*?) Session ([0-9A-Za-z-]+) \((.*?)\) -->`)
	specstoryTool = regexp.MustCompile(`^<tool-use data-tool-type="([^"]*)" data-tool-name="([^"]*)">`)
)

// specstoryDocument reads a session as SpecStory writes it: Markdown in which a line such as "_**User (2026-01-02
// 10:00:00Z)**_" stands above what somebody said. Thinking and the use of tools stand in elements of their own. Nothing
// has an id: a message is named by what it says.
func specstoryDocument(r io.Reader, h hint, out *Found) {
	p := specstoryReader{session: h.session, cwd: h.cwd, names: clineReader{names: map[string]int{}}}
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
	names               clineReader
	fence               string

	role   dialogue.Role // of the turn that is read; "" before the first
	author string
	at     time.Time
	side   bool // an agent's own agent
	text   []string
	// What stands in an element: reasoning, or the use of a tool.
	inside    string
	reasoning []string
	tool      dialogue.ToolCall
	output    []string
	calls     []dialogue.ToolCall
}

func (p *specstoryReader) line(line string, n int, out *Found) {
	if m := specstoryHead.FindStringSubmatch(line); m != nil && p.role == "" {
		p.session = m[2]
		return
	}
	if title, ok := strings.CutPrefix(line, "# "); ok && p.role == "" && p.title == "" {
		p.title = strings.TrimSpace(title)
		return
	}
	if m := specstoryTurn.FindStringSubmatch(line); m != nil && p.fence == "" {
		p.end(out)
		p.turn(m, n, out)
		return
	}
	p.fenced(line)
	if p.role == "" || p.fence == "" && strings.TrimSpace(line) == "---" && p.inside == "" {
		return
	}
	p.say(line)
}

// fenced follows fenced blocks, within which no line begins a turn.
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
	for _, layout := range []string{"2006-01-02 15:04:05Z", "2006-01-02 15:04Z", time.RFC3339, "2006-01-02 15:04:05 -07:00"} {
		for _, part := range []string{m[2], strings.TrimPrefix(m[2], "model ")} {
			if at, err := time.Parse(layout, strings.TrimSpace(part)); err == nil {
				p.at = at.UTC()
			}
		}
	}
	for field := range strings.SplitSeq(m[2], ",") {
		field = strings.TrimSpace(field)
		if model, ok := strings.CutPrefix(field, "model "); ok {
			p.author = model
		}
		if at := strings.TrimSpace(strings.TrimPrefix(field, "at ")); p.at.IsZero() {
			for _, layout := range []string{"2006-01-02 15:04:05Z", "2006-01-02 15:04Z", time.RFC3339} {
				if t, err := time.Parse(layout, at); err == nil {
					p.at = t.UTC()
				}
			}
		}
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

// say takes a line of a turn.
func (p *specstoryReader) say(line string) {
	trimmed := strings.TrimSpace(line)
	switch {
	case p.inside == "" && strings.HasPrefix(trimmed, "<think>"):
		p.inside = "think"
		p.say(strings.TrimPrefix(trimmed, "<think>"))
	case p.inside == "" && specstoryTool.MatchString(trimmed):
		p.inside = "tool"
		m := specstoryTool.FindStringSubmatch(trimmed)
		p.tool = dialogue.ToolCall{Name: m[2], Arguments: jsonText(m[1])}
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
		p.tool.Result = jsonText(strings.TrimSpace(strings.Join(p.output, "\n")))
		p.calls = append(p.calls, p.tool)
	case strings.HasPrefix(trimmed, "<details>"), strings.HasPrefix(trimmed, "</details>"), strings.HasPrefix(trimmed, "<summary>"):
		p.text = append(p.text, strings.TrimSpace(untagged(trimmed)))
	default:
		p.text = append(p.text, line)
	}
}

// untagged returns a line without the tags that fold it away.
func untagged(line string) string {
	return strings.NewReplacer("<details>", "", "</details>", "", "<summary>", "", "</summary>", "").Replace(line)
}

// end adds the turn that was read.
func (p *specstoryReader) end(out *Found) {
	out.about(p.session, Session{Cwd: p.cwd, Title: p.title})
	if p.inside == "tool" { // without its end
		p.tool.Result = jsonText(strings.TrimSpace(strings.Join(p.output, "\n")))
		p.calls = append(p.calls, p.tool)
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
			if m.Role, m.Content = claudeWords(m.Content); m.Role == "" {
				out.skip("host's note")
				p.text = nil
				return
			}
		}
		m.ID = p.names.name(&clineMessage{Role: string(p.role) + p.at.String(), Content: []byte(said)})
		session := p.session
		if p.side {
			session += "/sidechain"
			out.about(session, Session{Cwd: p.cwd, Title: p.title})
		}
		out.add(session, m)
	}
	p.text, p.reasoning, p.calls, p.output, p.inside = nil, nil, nil, nil, ""
}
