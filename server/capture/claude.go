package capture

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// claudeParser parses the log of a Claude Code session: one JSON object per line, each with one
// part of a message.
//
// The work of an assistant in a sidechain is a conversation of its own, "<session>/<agent>": its
// prompts were written by the assistant, not by the person. A prompt that was typed while the
// assistant worked appears in the log only as the operation of a queue; it counts when it leaves
// the queue for the assistant.
type claudeParser struct {
	Session string `json:"session,omitempty"` // of the file's name, for lines without one

	calls    calls
	thoughts thoughts
	queue    []queuedPrompt
	sent     []string // prompts that left the queue, which a later line may repeat
	last     string   // uuid of the last message

	original, copy string // uuids of the last copied message and of its copy
}

// queuedPrompt is a prompt that waits for the assistant.
type queuedPrompt struct{ id, text string }

// thoughts holds reasoning until the message to which it led.
type thoughts struct {
	session, message, id, author, text string
	at                                 time.Time
}

func newClaude(h hint) lineParser { return &claudeParser{Session: h.session} }

// claudeLine holds the members of a line that are read.
type claudeLine struct {
	Type             string          `json:"type"`
	Subtype          string          `json:"subtype"`
	UUID             string          `json:"uuid"`
	SessionID        string          `json:"sessionId"`
	AgentID          string          `json:"agentId"`
	Cwd              string          `json:"cwd"`
	Timestamp        json.RawMessage `json:"timestamp"`
	IsSidechain      bool            `json:"isSidechain"`
	IsMeta           bool            `json:"isMeta"`
	IsCompactSummary bool            `json:"isCompactSummary"`
	IsAPIError       bool            `json:"isApiErrorMessage"`
	ForkedFrom       *struct {
		SessionID   string `json:"sessionId"`
		MessageUUID string `json:"messageUuid"`
	} `json:"forkedFrom"`
	Message *struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	Content     json.RawMessage `json:"content"`
	Operation   string          `json:"operation"`
	Summary     string          `json:"summary"`
	LeafUUID    string          `json:"leafUuid"`
	CustomTitle string          `json:"customTitle"`
	AITitle     string          `json:"aiTitle"`
	Origin      *claudeOrigin   `json:"origin"`
	Attachment  *struct {
		Type   string          `json:"type"`
		Prompt json.RawMessage `json:"prompt"`
		Origin *claudeOrigin   `json:"origin"`
	} `json:"attachment"`
}

// claudeReads reports whether a member of a line is read. The two that are not make up most of a
// log: a tool's answer is in the message as well.
func claudeReads(name []byte) bool {
	return string(name) != "toolUseResult" && string(name) != "data"
}

// claudeQuiet are the types of lines without a message: the host's own bookkeeping.
var claudeQuiet = []string{
	"progress", "file-history-snapshot", "file-history-delta", "pr-link", "last-prompt", "permission-mode", "mode", "agent-name", "agent-color",
	"agent-setting", "attribution-snapshot", "worktree-state", "tag", "content-replacement", "marble-origami-commit", "marble-origami-snapshot",
	"speculation-accept", "bridge-session", "started", "result",
}

// claudeQuietSystem are the subtypes of system lines without a message.
var claudeQuietSystem = []string{
	"stop_hook_summary", "turn_duration", "compact_boundary", "microcompact_boundary", "api_error", "away_summary", "bridge_status",
	"agents_killed", "memory_saved", "permission_retry", "scheduled_task_fire", "api_metrics", "file_snapshot", "informational", "thinking",
}

// line implements lineParser.
func (p *claudeParser) line(text []byte, at int, out *Found) {
	values(text, at, out, func(raw []byte) bool {
		var l claudeLine
		if json.Unmarshal(only(raw, claudeReads), &l) != nil {
			return false
		}
		p.read(&l, at, out)
		return true
	})
}

// id returns the id of a line's message: for a copy in a session that was forked, that of the
// original, if each copy names another one.
func (p *claudeParser) id(l *claudeLine) string {
	if l.ForkedFrom == nil || l.ForkedFrom.MessageUUID == "" || l.ForkedFrom.MessageUUID == p.original && l.UUID != p.copy {
		return l.UUID
	}
	p.original, p.copy = l.ForkedFrom.MessageUUID, l.UUID
	return p.original
}

func (p *claudeParser) read(l *claudeLine, at int, out *Found) {
	session := p.session(l, out)
	switch {
	case l.Type == "user" && l.Message != nil:
		p.user(session, l, at, out)
	case l.Type == "assistant" && l.Message != nil:
		p.assistant(session, l, at, out)
	case l.Type == "system":
		p.system(session, l, at, out)
	case l.Type == "queue-operation":
		p.queueOperation(session, l, at, out)
	case l.Type == "attachment" && l.Attachment != nil && l.Attachment.Type == "queued_command":
		if parts, ok := textsOf(l.Attachment.Prompt); ok {
			p.prompt(session, l.UUID, parts, cmp.Or(l.Attachment.Origin, l.Origin), timeOf(l.Timestamp), out)
		} else {
			out.unknown("attachment/queued_command without text", at)
		}
	case l.Type == "attachment":
		out.skip("attachment")
	case l.Type == "custom-title" || l.Type == "ai-title":
		out.about(session, Session{Title: l.CustomTitle + l.AITitle})
	case l.Type == "summary":
		if l.LeafUUID == p.last && p.last != "" { // otherwise it is about another session
			out.about(session, Session{Title: l.Summary})
		}
		out.skip("summary")
	case slices.Contains(claudeQuiet, l.Type):
		out.skip(l.Type)
	case l.Type == "":
		out.unknown("line without type", at)
	default:
		out.unknown(l.Type, at)
	}
}

// session returns the session to which a line belongs and records what the line states about it.
func (p *claudeParser) session(l *claudeLine, out *Found) string {
	session := l.SessionID
	if session == "" {
		session = p.Session
	}
	if p.Session == "" {
		p.Session = session
	}
	if l.IsSidechain {
		agent := l.AgentID
		if agent == "" {
			agent = "sidechain"
		}
		session += "/" + agent
	}
	about := Session{Cwd: l.Cwd}
	if f := l.ForkedFrom; f != nil && f.SessionID != "" && !l.IsSidechain {
		about.ForkOf, about.ForkAt = f.SessionID, f.MessageUUID
	}
	if about != (Session{}) {
		out.about(session, about)
	}
	return session
}

// claudePart is a part of a message's content.
type claudePart struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// claudeParts parses a content: a string is one part of text. ok is false if it is neither a string
// nor an array of parts.
func claudeParts(raw json.RawMessage) (parts []claudePart, ok bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []claudePart{{Type: "text", Text: text}}, true
	}
	return parts, json.Unmarshal(raw, &parts) == nil
}

func (p *claudeParser) user(session string, l *claudeLine, at int, out *Found) {
	parts, ok := claudeParts(l.Message.Content)
	if !ok {
		out.unknown("user without content", at)
		return
	}
	when := timeOf(l.Timestamp)
	var texts []string
	for _, c := range parts {
		switch c.Type {
		case "tool_result":
			p.calls.end(session, c.ToolUseID, claudeResult(c.Content), c.IsError, when, out)
		case "text":
			texts = append(texts, c.Text)
		case "image", "document":
			texts = append(texts, "["+c.Type+"]")
		default:
			out.unknown("user/"+c.Type, at)
		}
	}
	switch {
	case len(texts) == 0:
	case l.IsMeta:
		out.skip("meta")
	case l.IsCompactSummary, l.IsSidechain:
		p.settle(session, out)
		out.add(session, dialogue.Message{Role: dialogue.System, ID: l.UUID, Content: strings.Join(texts, "\n\n"), At: when})
	default:
		p.prompt(session, p.id(l), texts, l.Origin, when, out)
	}
	p.last = l.UUID
}

// claudeResult returns a tool's result as it is stored: a text as a string, without the structure
// of its parts.
func claudeResult(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	if text, ok := textOf(raw); ok {
		return jsonText(text)
	}
	return raw
}

// claudeOrigin is what a line states about who wrote its prompt; nil in older versions.
type claudeOrigin struct {
	Kind string `json:"kind"`
}

// words returns whose words a prompt is, and the words, as the function words does. Nothing that a
// hook, another agent or a channel sent is the person's.
func (o *claudeOrigin) words(parts []string) (dialogue.Role, string) {
	role, text := words(ClaudeCode, parts...)
	switch {
	case o == nil || o.Kind == "" || o.Kind == "human":
	case o.Kind == "hook":
		return "", ""
	case role == dialogue.User:
		role = dialogue.System
	}
	return role, text
}

// prompt adds the content of a prompt: the person's words, or what others wrote in their place.
func (p *claudeParser) prompt(session, id string, parts []string, by *claudeOrigin, at time.Time, out *Found) {
	text := strings.Join(parts, "\n\n")
	if i := slices.Index(p.sent, text); i >= 0 {
		p.sent = slices.Delete(p.sent, i, i+1)
		out.skip("repeated prompt")
		return
	}
	p.queue = slices.DeleteFunc(p.queue, func(q queuedPrompt) bool { return q.text == text }) // a line of its own, without dequeue
	role, text := by.words(parts)
	switch role {
	case "":
		out.skip("host's note")
		return
	case dialogue.User:
		p.settle(session, out)
	}
	out.add(session, dialogue.Message{Role: role, ID: id, Content: text, At: at})
}

// settle adds everything that waits for later lines, because something new begins and they will not
// come.
func (p *claudeParser) settle(session string, out *Found) {
	p.thoughts.emit(out)
	p.calls.flush(session, out)
}

func (p *claudeParser) assistant(session string, l *claudeLine, at int, out *Found) {
	parts, ok := claudeParts(l.Message.Content)
	if !ok {
		out.unknown("assistant without content", at)
		return
	}
	when, author := timeOf(l.Timestamp), l.Message.Model
	for i, c := range parts {
		id := p.id(l)
		if i > 0 {
			id += "/" + partNumber(i)
		}
		switch c.Type {
		case "text":
			if isBlank(c.Text) {
				continue
			}
			m := dialogue.Message{Role: dialogue.Assistant, ID: id, Content: c.Text, Author: author, At: when}
			if l.IsAPIError {
				m.Role, m.Author = dialogue.System, ""
			}
			m.Reasoning = p.thoughts.take(session, l.Message.ID, out)
			out.add(session, m)
		case "tool_use", "server_tool_use", "mcp_tool_use":
			p.calls.begin(waitingCall{
				session: session, id: c.ID, author: author, at: when, reasoning: p.thoughts.take(session, l.Message.ID, out),
				call: dialogue.ToolCall{Name: c.Name, Arguments: c.Input},
			})
		case "web_search_tool_result", "web_fetch_tool_result", "mcp_tool_result", "code_execution_tool_result":
			p.calls.end(session, c.ToolUseID, claudeResult(c.Content), c.IsError, when, out)
		case "thinking":
			if !isBlank(c.Thinking) {
				p.thoughts.begin(thoughts{session, l.Message.ID, id, author, c.Thinking, when}, out)
			}
		case "redacted_thinking", "fallback":
			out.skip(c.Type)
		default:
			out.unknown("assistant/"+c.Type, at)
		}
	}
	p.last = l.UUID
}

// begin holds reasoning until its message arrives. Reasoning that follows reasoning of the same
// message is appended to it.
func (t *thoughts) begin(next thoughts, out *Found) {
	if t.text != "" && t.session == next.session && t.message == next.message {
		t.text += "\n\n" + next.text
		return
	}
	t.emit(out)
	*t = next
}

// take returns the reasoning that led to a part of a message. Reasoning of another message is added
// by itself.
func (t *thoughts) take(session, message string, out *Found) string {
	if t.session != session || t.message != message {
		t.emit(out)
		return ""
	}
	text := t.text
	*t = thoughts{}
	return text
}

// emit adds reasoning that led to no message.
func (t *thoughts) emit(out *Found) {
	if t.text != "" {
		out.add(t.session, dialogue.Message{Role: dialogue.Assistant, ID: t.id, Author: t.author, At: t.at, Reasoning: t.text})
	}
	*t = thoughts{}
}

func (p *claudeParser) system(session string, l *claudeLine, at int, out *Found) {
	switch {
	case l.Subtype == "local_command":
		if parts, ok := textsOf(l.Content); ok && !l.IsMeta {
			p.prompt(session, l.UUID, parts, l.Origin, timeOf(l.Timestamp), out)
		}
	case slices.Contains(claudeQuietSystem, l.Subtype):
		out.skip("system/" + l.Subtype)
	default:
		out.unknown("system/"+l.Subtype, at)
	}
}

// queueOperation tracks the prompts that are typed while the assistant works.
func (p *claudeParser) queueOperation(session string, l *claudeLine, at int, out *Found) {
	var text string
	_ = json.Unmarshal(l.Content, &text) // operations that remove an entry have no content
	switch l.Operation {
	case "enqueue":
		if text != "" {
			p.queue = append(p.queue, queuedPrompt{"queue-" + strings.Trim(string(l.Timestamp), `"`), text})
		}
	case "dequeue": // a line of its own follows
		p.queue = p.queue[min(1, len(p.queue)):]
	case "popAll": // back to the person, who goes on writing
		p.queue = nil
	case "remove": // given to the assistant in the middle of its work
		if len(p.queue) == 0 {
			return
		}
		q := p.queue[0]
		p.queue = p.queue[1:]
		p.prompt(session, q.id, []string{q.text}, l.Origin, timeOf(l.Timestamp), out)
		p.sent = append(p.sent, q.text)
	default:
		out.unknown("queue-operation/"+l.Operation, at)
	}
}

// flush implements lineParser.
func (p *claudeParser) flush(out *Found) {
	p.thoughts.emit(out)
	p.calls.flush("", out)
	for range p.queue { // the assistant never got it
		out.skip("queued prompt")
	}
	p.queue = nil
}

// waits implements lineParser.
func (p *claudeParser) waits() bool {
	return p.thoughts.text != "" || len(p.calls.waiting) > 0 || len(p.queue) > 0
}
