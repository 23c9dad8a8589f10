package capture

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/server/hosts"
)

// Cline, and its fork Roo, keep a task as one JSON array of messages in the form of Anthropic's
// API, and rewrite it at each step. Newer versions of Cline wrap the array in an object. Messages
// of the older form have no ids: they are identified by their text and by how often the same text
// occurred before, which does not change when the host drops messages from the middle.

// vscodeHosts are the editors in which VS Code's extensions run.
var vscodeHosts = []string{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"}

// taskFiles are the names of files beside a task's log that hold no other conversation.
var taskFiles = []string{"*.json", "*.md"}

func taskPlaces(extension string) func(Environment) []place {
	return func(e Environment) []place {
		var out []place
		for _, user := range e.codeUsers(vscodeHosts...) {
			out = append(out, place{dir: filepath.Join(user, "globalStorage", extension, "tasks"), depth: 1, match: suffixed("/api_conversation_history.json"), near: others(taskFiles...)})
		}
		return out
	}
}

func clinePlaces(e Environment) []place {
	out := taskPlaces("saoudrizwan.claude-dev")(e)
	dir := e.under("CLINE_DIR", ".cline")
	if dir == "" {
		return out
	}
	return append(out,
		place{dir: filepath.Join(dir, "data", "sessions"), depth: 1, match: suffixed(".messages.json"), near: others(taskFiles...)},
		place{dir: filepath.Join(dir, "data", "tasks"), depth: 1, match: suffixed("/api_conversation_history.json"), near: others(taskFiles...)})
}

// clineHint reads the files beside a task's log.
func clineHint(_ Environment, path string) hint {
	dir := filepath.Dir(path)
	h := hint{session: filepath.Base(dir)}
	var about struct {
		Cwd       string `json:"cwd"`
		Root      string `json:"workspace_root"`
		Workspace string `json:"workspace"` // Roo
		CwdOnTask string `json:"cwdOnTaskInitialization"`
		Task      string `json:"task"`
		Metadata  struct {
			Title string `json:"title"`
		} `json:"metadata"`
	}
	for _, name := range []string{"history_item.json", h.session + ".json", "task_metadata.json"} {
		if raw, err := readSmall(filepath.Join(dir, name)); err == nil {
			_ = json.Unmarshal(raw, &about) // missing members stay empty
		}
	}
	if about.Workspace == "" && about.Cwd == "" && about.CwdOnTask == "" {
		var tasks []struct {
			ID  string `json:"id"`
			Cwd string `json:"cwdOnTaskInitialization"`
		}
		raw, err := readSmall(filepath.Join(dir, "..", "..", "state", "taskHistory.json"))
		if err == nil && json.Unmarshal(raw, &tasks) == nil {
			for _, t := range tasks {
				if t.ID == h.session {
					about.CwdOnTask = t.Cwd
				}
			}
		}
	}
	for _, cwd := range []string{about.Root, about.Cwd, about.Workspace, about.CwdOnTask} {
		if h.cwd == "" {
			h.cwd = cwd
		}
	}
	h.title = about.Metadata.Title
	return h
}

// readSmall reads a small file beside a log.
func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return io.ReadAll(io.LimitReader(f, 4<<20))
}

type clineMessage struct {
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	TS        json.RawMessage `json:"ts"`
	IsSummary bool            `json:"isSummary"` // Roo
	Metadata  struct {
		DisplayRole string `json:"displayRole"` // Cline: "system" or "status" for what no person has written
	} `json:"metadata"`
}

// taskDocument returns the parser of a source's tasks.
func taskDocument(source string) func(r io.Reader, h hint, out *Found) {
	return func(r io.Reader, h hint, out *Found) {
		p := clineReader{source: source, session: h.session, names: map[string]int{}}
		p.read(r, h, out)
	}
}

func (p *clineReader) read(r io.Reader, h hint, out *Found) {
	out.about(p.session, Session{Cwd: h.cwd, Title: h.title})
	each(r, "messages", out, func(n int, raw json.RawMessage) {
		var m clineMessage
		if json.Unmarshal(raw, &m) != nil {
			out.unknown(malformed(raw), 0)
			return
		}
		p.message(&m, out)
	})
	if n := len(out.Messages); n > 0 && out.Messages[n-1].Role == dialogue.Assistant {
		out.Messages[n-1].open = textSettles
	}
	for _, w := range p.calls.waiting { // the task continues
		out.Messages = append(out.Messages, Message{Session: w.session, open: callSettles, Message: dialogue.Message{
			Role: dialogue.Assistant, ID: w.id, At: w.at, Reasoning: w.reasoning, ToolCalls: []dialogue.ToolCall{w.call},
		}})
	}
}

type clineReader struct {
	source  string
	session string
	names   map[string]int // how often a message has occurred
	calls   calls
}

// name returns the id of a message.
func (p *clineReader) name(m *clineMessage) string {
	if m.ID != "" {
		return m.ID
	}
	sum := sha256.Sum256(append([]byte(p.session+"\x00"+m.Role+"\x00"), m.Content...))
	name := hex.EncodeToString(sum[:12])
	p.names[name]++
	if n := p.names[name]; n > 1 {
		name += "-" + partNumber(n)
	}
	return name
}

func (p *clineReader) message(m *clineMessage, out *Found) {
	parts, ok := claudeParts(m.Content)
	if !ok {
		out.unknown("message without content", 0)
		return
	}
	when, id := timeOf(m.TS), p.name(m)
	var texts, reasoning []string
	for _, c := range parts {
		switch c.Type {
		case "text":
			texts = append(texts, c.Text)
		case "thinking", "reasoning":
			reasoning = append(reasoning, c.Thinking+c.Text)
		case "tool_use":
			p.calls.begin(waitingCall{session: p.session, id: c.ID, at: when, call: dialogue.ToolCall{Name: c.Name, Arguments: c.Input}})
		case "tool_result":
			result, failed := clineOutput(claudeResult(c.Content))
			p.calls.end(p.session, c.ToolUseID, result, failed || c.IsError, when, out)
		case "image", "document":
			texts = append(texts, "["+c.Type+"]")
		case "file": // its text is the file's
			if m.Role != "user" {
				texts = append(texts, "[file]")
			}
		case "redacted_thinking":
			out.skip(c.Type)
		default:
			out.unknown(m.Role+"/"+c.Type, 0)
		}
	}
	text := strings.TrimSpace(strings.Join(texts, "\n\n"))
	switch m.Role {
	case "user":
		if text != "" {
			p.user(dialogue.Message{ID: id, At: when}, texts, m.IsSummary || m.Metadata.DisplayRole == "system" || m.Metadata.DisplayRole == "status", out)
		}
	case "assistant":
		if m.IsSummary {
			out.add(p.session, dialogue.Message{Role: dialogue.System, ID: id, Content: text, At: when})
		} else if text != "" || len(reasoning) > 0 {
			out.add(p.session, dialogue.Message{
				Role: dialogue.Assistant, ID: id, Content: text, Reasoning: strings.Join(reasoning, "\n\n"), At: when,
			})
		}
	default:
		out.unknown("message of "+m.Role, 0)
	}
}

var (
	clineCwd    = regexp.MustCompile(`(?m)^# Current (?:Working|Workspace) Directory \((/[^\n]*?|[A-Za-z]:[^\n]*?)\) Files`)
	clineResult = regexp.MustCompile(`^\s*\[(\w+)(?: for '.*?')?\] Result:`)
	// clineReply matches a part that holds nothing but the person's reply, perhaps with the host's
	// sentence before it.
	clineReply = regexp.MustCompile(`(?s)^\s*([^\n<]+:\s*)?<(?:feedback|user_message|answer)>.*</(?:feedback|user_message|answer)>\s*$`)
)

// clineOutput returns the result of a call without the heading that every failed command has, and
// whether it has that.
func clineOutput(result json.RawMessage) (json.RawMessage, bool) {
	if text, ok := textOf(result); ok {
		if output, failed := hosts.ClineOutput(text); failed {
			return jsonText(output), true
		}
	}
	return result, false
}

// clineAsks are the tools whose result is what the person replied.
var clineAsks = []string{"ask_followup_question", "plan_mode_respond", "attempt_completion", "new_task", "condense"}

// spoken returns the parts of a message that may hold the person's words. Parts after the heading
// of a tool's result are the result, which may imitate the host's elements, unless they are a
// reply.
func spoken(texts []string) (said []string, isResult bool) {
	tool := ""
	for _, text := range texts {
		if m := clineResult.FindStringSubmatch(text); m != nil {
			tool, text = m[1], text[len(m[0]):]
		}
		if tool == "" {
			said = append(said, text)
			continue
		}
		if m := clineReply.FindStringSubmatch(text); m != nil && (m[1] != "" || slices.Contains(clineAsks, tool)) {
			said = append(said, text)
		}
	}
	return said, tool != ""
}

// user adds a message with the role of the user: the person's words without the host's wrapping, or
// the result of a tool that the assistant called in its text. isHost is set if the log states that
// no person has written it.
func (p *clineReader) user(m dialogue.Message, texts []string, isHost bool, out *Found) {
	var result []string
	for _, text := range texts {
		details := elementsOf(text, func(name string) bool { return name == "environment_details" })
		for _, e := range details { // often the only mention of the working directory
			if m := clineCwd.FindStringSubmatch(text[e.inner:e.innerEnd]); m != nil {
				out.about(p.session, Session{Cwd: m[1]})
			}
		}
		if len(details) == 0 || strings.TrimSpace(text) != text[details[0].start:details[0].end] {
			result = append(result, text)
		}
	}
	said, isResult := spoken(texts)
	m.Role, m.Content = words(p.source, said...)
	if isResult && m.Role == "" {
		m.Role, m.Content = dialogue.Tool, strings.TrimSpace(strings.Join(result, "\n\n"))
	}
	switch {
	case m.Role == "":
		out.skip("host's note")
		return
	case isHost:
		m.Role = dialogue.System
	case m.Role == dialogue.Tool && len(p.calls.waiting) == 1: // a call that is answered in words
		p.calls.end(p.session, p.calls.waiting[0].id, jsonText(m.Content), false, m.At, out)
		return
	}
	p.calls.flush(p.session, out) // calls without an answer by now will get none
	out.add(p.session, m)
}
