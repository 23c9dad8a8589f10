package capture

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// codexParser parses a rollout of Codex: one JSON object per line. The log has two streams that
// repeat each other's texts; the parser reads the response items, since only they have the results
// of tools.
type codexParser struct {
	Session  string `json:"session,omitempty"`
	Model    string `json:"model,omitempty"`
	Subagent bool   `json:"subagent,omitempty"` // its prompts are another assistant's words
	Named    bool   `json:"named,omitempty"`    // Session is from the log itself, not from its file's name
	Root     string `json:"root,omitempty"`     // the session in which the first message was said
	Said     string `json:"said,omitempty"`     // a hash of all messages until now, see name

	calls    calls
	thoughts thoughts
}

func newCodex(h hint) lineParser { return &codexParser{Session: h.session} }

func codexPlaces(e Environment) []place {
	dir := e.under("CODEX_HOME", ".codex")
	if dir == "" {
		return nil
	}
	return []place{
		{dir: filepath.Join(dir, "sessions"), depth: 3, match: logs(".jsonl"), near: others(), deeper: 2},
		{dir: filepath.Join(dir, "archived_sessions"), depth: 3, match: logs(".jsonl"), near: others()},
	}
}

type codexLine struct {
	Timestamp json.RawMessage `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

// codexMeta holds the members of the payload of session_meta and of turn_context that are read.
type codexMeta struct {
	ID         string          `json:"id"`
	Cwd        string          `json:"cwd"`
	Model      string          `json:"model"`
	ForkedFrom string          `json:"forked_from_id"`
	Source     json.RawMessage `json:"source"`
}

// codexItem is the payload of a response item.
type codexItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Summary   []part          `json:"summary"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Action    json.RawMessage `json:"action"`
	CallID    string          `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Tools     json.RawMessage `json:"tools"`
	Status    string          `json:"status"`
}

// line implements lineParser.
func (p *codexParser) line(text []byte, at int, out *Found) {
	values(text, at, out, func(raw []byte) bool {
		var l codexLine
		if json.Unmarshal(raw, &l) != nil {
			return false
		}
		return p.read(&l, raw, at, out)
	})
}

// codexQuietEvents are the events that hold nothing beyond the response items.
var codexQuietEvents = []string{
	"user_message", "agent_message", "agent_message_delta", "agent_reasoning", "agent_reasoning_raw_content", "agent_reasoning_section_break",
	"token_count", "task_started", "task_complete", "turn_started", "turn_complete", "turn_aborted", "context_compacted", "patch_apply_begin",
	"patch_apply_end", "exec_command_begin", "exec_command_end", "exec_command_output_delta", "mcp_tool_call_begin", "mcp_tool_call_end",
	"web_search_begin", "web_search_end", "entered_review_mode", "exited_review_mode", "item_completed", "thread_rolled_back", "plan_update",
	"undo_started", "undo_completed", "view_image_tool_call", "error", "warning", "stream_error", "background_event", "session_configured",
	"dynamic_tool_call_request", "dynamic_tool_call_response", "collab_agent_spawn_end", "image_generation_end",
}

func (p *codexParser) read(l *codexLine, raw []byte, at int, out *Found) bool {
	switch l.Type {
	case "session_meta", "turn_context":
		var m codexMeta
		if json.Unmarshal(l.Payload, &m) != nil {
			return false
		}
		p.meta(l.Type, m, out)
	case "response_item":
		var item codexItem
		if json.Unmarshal(l.Payload, &item) != nil {
			return false
		}
		p.item(&item, timeOf(l.Timestamp), at, out)
	case "compacted":
		var c struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(l.Payload, &c) != nil {
			return false
		}
		if when := timeOf(l.Timestamp); !isBlank(c.Message) {
			out.add(p.Session, dialogue.Message{Role: dialogue.System, ID: p.name("compacted", c.Message), Content: c.Message, At: when})
		}
	case "event_msg":
		var e struct {
			Type string `json:"type"`
			Name string `json:"thread_name"`
		}
		if json.Unmarshal(l.Payload, &e) != nil {
			return false
		}
		switch {
		case e.Type == "thread_name_updated":
			out.about(p.Session, Session{Title: e.Name})
		case slices.Contains(codexQuietEvents, e.Type):
			out.skip("event_msg")
		default:
			out.unknown("event_msg/"+e.Type, at)
		}
	case "":
		return p.old(raw, at, out)
	default:
		out.unknown(l.Type, at)
	}
	return true
}

// meta records what a line states about the session. A later session_meta describes the session
// from which this one was forked.
func (p *codexParser) meta(kind string, m codexMeta, out *Found) {
	if kind == "session_meta" && !p.Named && m.ID != "" {
		p.Session, p.Named = m.ID, true
		p.Subagent = strings.Contains(string(m.Source), "subagent")
		out.about(p.Session, Session{ForkOf: m.ForkedFrom})
	}
	if kind == "session_meta" && p.Said == "" {
		p.Root = cmp.Or(m.ForkedFrom, m.ID, p.Root)
	}
	if m.Model != "" {
		p.Model = m.Model
	}
	out.about(p.Session, Session{Cwd: m.Cwd})
}

// old parses a line from before September 2025: a response item without an envelope, or the
// session's head.
func (p *codexParser) old(raw []byte, at int, out *Found) bool {
	var item codexItem
	if json.Unmarshal(raw, &item) != nil {
		return false
	}
	switch {
	case item.Type != "":
		p.item(&item, time.Time{}, at, out)
	case item.ID != "" && !p.Named:
		p.Session, p.Named = item.ID, true
	case strings.Contains(string(raw[:min(len(raw), 64)]), "record_type"):
		out.skip("record_type")
	default:
		out.unknown("line without type", at)
	}
	return true
}

func (p *codexParser) item(i *codexItem, when time.Time, at int, out *Found) {
	switch i.Type {
	case "message":
		p.message(i, when, at, out)
	case "reasoning":
		var texts []string
		for _, s := range i.Summary {
			texts = append(texts, s.Text)
		}
		if text, ok := textOf(i.Content); ok && !isBlank(text) && text != "[reasoning_text]" {
			texts = append(texts, text)
		}
		if text := strings.Join(texts, "\n\n"); !isBlank(text) {
			p.thoughts.begin(thoughts{p.Session, "", textID(i.ID, text, when), p.Model, text, when}, out)
		}
	case "function_call", "custom_tool_call", "tool_search_call", "local_shell_call":
		p.calls.begin(p.call(i, when, out))
	case "function_call_output", "custom_tool_call_output", "tool_search_output", "local_shell_call_output":
		result, failed := codexResult(i)
		p.calls.end(p.Session, i.CallID, result, failed, when, out)
	case "web_search_call", "image_generation_call": // what comes of them is not in the log
		w := p.call(i, when, out)
		if w.id == "" {
			w.id = textID(i.Type, string(i.Action), when)
		}
		w.emit(out)
	case "ghost_snapshot", "other", "compaction", "compaction_summary", "context_compaction", "compaction_trigger":
		out.skip(i.Type)
	default:
		out.unknown("response_item/"+i.Type, at)
	}
}

func (p *codexParser) message(i *codexItem, when time.Time, at int, out *Found) {
	parts, ok := textsOf(i.Content)
	if !ok {
		out.unknown("message without content", at)
		return
	}
	m := dialogue.Message{Content: strings.Join(parts, "\n\n"), At: when}
	switch i.Role {
	case "assistant":
		m.Role, m.Author = dialogue.Assistant, p.Model
	case "user":
		m.Role, m.Content = words(Codex, parts...)
	case "developer", "system":
		out.skip(i.Role)
		return
	default:
		out.unknown("message of "+i.Role, at)
		return
	}
	if m.Role == "" || isBlank(m.Content) {
		out.skip("host's note")
		return
	}
	m.ID = p.name(i.Role, m.Content)
	switch {
	case m.Role == dialogue.Assistant:
		m.Reasoning = p.thoughts.take(p.Session, "", out)
	case m.Role == dialogue.User:
		p.thoughts.emit(out)
		p.calls.flush(p.Session, out)
		if p.Subagent {
			m.Role = dialogue.System
		}
	}
	out.add(p.Session, m)
}

// name returns the id of the next message. It is a hash of what was said in the session up to it,
// beginning with the session that was not forked from another one: the copies with which Codex
// begins a forked session have other times, but these ids.
func (p *codexParser) name(kind, text string) string {
	p.Said = textID(kind, cmp.Or(p.Said, p.Root, p.Session)+"\x00"+text, time.Time{})
	return p.Said
}

// call returns a call of any kind.
func (p *codexParser) call(i *codexItem, when time.Time, out *Found) waitingCall {
	name, arguments := i.Name, i.Arguments
	if name == "" {
		name = strings.TrimSuffix(i.Type, "_call")
	}
	for _, other := range []json.RawMessage{i.Input, i.Action} {
		if len(arguments) == 0 {
			arguments = other
		}
	}
	var text string
	if json.Unmarshal(arguments, &text) == nil {
		arguments = jsonValue(text)
	}
	if i.Type == "custom_tool_call" {
		if len(arguments) == 0 {
			arguments = json.RawMessage("null")
		}
		arguments = jsonObject("input", arguments)
	}
	id := i.CallID
	if id == "" {
		id = i.ID
	}
	return waitingCall{
		session: p.Session, id: id, author: p.Model, at: when, reasoning: p.thoughts.take(p.Session, "", out),
		call: dialogue.ToolCall{Name: name, Arguments: arguments},
	}
}

// codexExit matches the exit code in the output of a command.
var codexExit = regexp.MustCompile(`(?m)^(?:Exit code: |Process exited with code )(-?\d+)$`)

// codexResult returns the result of a call, and whether it failed.
func codexResult(i *codexItem) (result json.RawMessage, failed bool) {
	raw := i.Output
	if len(raw) == 0 {
		raw = i.Tools
	}
	text, ok := textOf(raw)
	if !ok {
		var o struct {
			Content json.RawMessage `json:"content"`
			Success *bool           `json:"success"`
		}
		if json.Unmarshal(raw, &o) == nil && len(o.Content) > 0 {
			if text, ok := textOf(o.Content); ok {
				return jsonText(text), o.Success != nil && !*o.Success
			}
		}
		return raw, i.Status == "failed"
	}
	var o struct {
		Output   string `json:"output"`
		Metadata struct {
			ExitCode int `json:"exit_code"`
		} `json:"metadata"`
	}
	if strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &o) == nil && o.Output != "" {
		return jsonText(o.Output), o.Metadata.ExitCode != 0
	}
	const head = 512 // the exit code precedes the output
	m := codexExit.FindStringSubmatch(text[:min(len(text), head)])
	return jsonText(text), m != nil && m[1] != "0" || i.Status == "failed"
}

// textID returns an id for a message to which its host gave none, made of its text and time.
func textID(kind, text string, at time.Time) string {
	h := sha256.New()
	h.Write([]byte(kind + "\x00" + at.UTC().Format(time.RFC3339Nano) + "\x00" + text))
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// flush implements lineParser.
func (p *codexParser) flush(out *Found) {
	p.thoughts.emit(out)
	p.calls.flush("", out)
}

// waits implements lineParser.
func (p *codexParser) waits() bool { return p.thoughts.text != "" || len(p.calls.waiting) > 0 }
