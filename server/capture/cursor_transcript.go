package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// cursorTranscripts is the format of the transcripts of Cursor's agent: a line for each message, in
// the form of Anthropic's API, without ids, times and the results of tools.
var cursorTranscripts = format{
	hint: cursorTranscriptHint, lines: func(h hint) lineParser { return &cursorParser{Session: h.session, Cwd: h.cwd, Side: h.side} }, settle: textSettles,
}

// cursorTranscriptHint returns the session, which the file names, and the project, which the folder
// names: its path with a dash for each separator. The transcript of a subagent is in a folder of
// its own.
func cursorTranscriptHint(e Environment, path string) hint {
	dir := filepath.Dir(path)
	base := filepath.Base(unpackedName(path))
	h := hint{session: strings.TrimSuffix(base, filepath.Ext(base))}
	for ; filepath.Base(dir) != "agent-transcripts" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if filepath.Base(dir) == "subagents" {
			h.side = true
		}
	}
	h.cwd = undashed(e, filepath.Base(filepath.Dir(dir)))
	return h
}

// undashed returns the folder whose path, with a dash in place of each separator and of other
// characters, is a name: one in which people work, or one that exists; "" if neither is found.
func undashed(e Environment, name string) string {
	for _, root := range e.roots() {
		if dashed(root) == name {
			return root
		}
	}
	return existing(string(filepath.Separator), name, new(int))
}

// maxLooks limits how many folders are listed to find a path.
const maxLooks = 200

// existing returns the folder below dir whose dashed path is the rest of a name.
func existing(dir, rest string, looks *int) string {
	entries, err := os.ReadDir(dir)
	if *looks++; err != nil || *looks > maxLooks {
		return ""
	}
	for _, e := range entries {
		name := dashed(e.Name())
		after, ok := strings.CutPrefix(rest, name)
		if !ok || name == "" || !e.IsDir() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if after == "" {
			return path
		}
		if after, ok = strings.CutPrefix(after, "-"); ok {
			if found := existing(path, after, looks); found != "" {
				return found
			}
		}
	}
	return ""
}

// dashed returns a path as Cursor names a project's folder.
func dashed(path string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r < 0x80 && !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_') {
			return '-'
		}
		return r
	}, path), "-")
}

// cursorParser parses a transcript.
type cursorParser struct {
	Session string `json:"session"`
	Cwd     string `json:"cwd,omitempty"`
	Side    bool   `json:"side,omitempty"` // of a subagent, whose prompts are another assistant's words
}

// line implements lineParser.
func (p *cursorParser) line(text []byte, at int, out *Found) {
	values(text, at, out, func(raw []byte) bool {
		var l struct {
			Role    string `json:"role"`
			Type    string `json:"type"`
			Message struct {
				Content json.RawMessage `json:"content"`
			} `json:"message"`
			Timestamp json.RawMessage `json:"timestamp"`
		}
		if json.Unmarshal(raw, &l) != nil {
			return false
		}
		out.about(p.Session, Session{Cwd: p.Cwd})
		if l.Role == "" {
			if l.Type == "" {
				out.unknown("line without role", at)
			} else {
				out.skip(l.Type)
			}
			return true
		}
		parts, ok := claudeParts(l.Message.Content)
		if !ok {
			out.unknown("message without content", at)
			return true
		}
		sum := sha256.Sum256([]byte(p.Session))
		m := dialogue.Message{ID: hex.EncodeToString(sum[:4]) + "-" + strconv.Itoa(at), At: timeOf(l.Timestamp)}
		p.message(l.Role, m, parts, at, out)
		return true
	})
}

func (p *cursorParser) message(role string, m dialogue.Message, parts []claudePart, at int, out *Found) {
	var texts []string
	for _, c := range parts {
		switch c.Type {
		case "text":
			texts = append(texts, c.Text)
		case "thinking", "reasoning":
			m.Reasoning = strings.TrimSpace(m.Reasoning + "\n\n" + c.Thinking + c.Text)
		case "tool_use":
			m.ToolCalls = append(m.ToolCalls, dialogue.ToolCall{Name: c.Name, Arguments: c.Input})
		case "tool_result":
			out.add(p.Session, dialogue.Message{Role: dialogue.Tool, ID: m.ID + "/result", Content: string(claudeResult(c.Content)), At: m.At})
		case "image", "document":
			texts = append(texts, "["+c.Type+"]")
		case "redacted_thinking", "redacted-reasoning":
			out.skip(c.Type)
		default:
			out.unknown(role+"/"+c.Type, at)
		}
	}
	switch {
	case role == "user" && !p.Side:
		if len(texts) > 0 {
			out.say(Cursor, p.Session, m, texts...)
		}
		return
	case role == "assistant":
		m.Role = dialogue.Assistant
	case role == "user" || role == "system":
		m.Role = dialogue.System
	default:
		out.unknown("message of "+role, at)
		return
	}
	m.Content = strings.TrimSpace(strings.Join(texts, "\n\n"))
	out.add(p.Session, m)
}

// flush implements lineParser.
func (p *cursorParser) flush(*Found) {}

// waits implements lineParser.
func (p *cursorParser) waits() bool { return false }
