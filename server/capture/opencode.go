package capture

import (
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

func opencodePlaces(e Environment) []place {
	dir := e.under("XDG_DATA_HOME", ".local", "share")
	if dir == "" {
		return nil
	}
	return []place{{filepath.Join(dir, "opencode"), 0, func(rel string) bool { return rel == "opencode.db" }}}
}

// opencodeDatabase reads the sessions of OpenCode that changed since a time, the oldest change
// first.
func opencodeDatabase(ctx context.Context, path string, since time.Time, each func(time.Time, *Found) error) error {
	db, err := openDatabase(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // it was only read
	have, err := require(ctx, db, "session", "id", "directory", "time_updated")
	if err != nil {
		return err
	}
	if _, err := require(ctx, db, "message", "id", "session_id", "data"); err != nil {
		return err
	}
	if _, err := require(ctx, db, "part", "id", "message_id", "data"); err != nil {
		return err
	}
	list, err := opencodeSessions(ctx, db, have)
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.updated.Before(since) {
			continue
		}
		found := newFound()
		if err := s.read(ctx, db, found); err != nil {
			return err
		}
		if err := each(s.updated, found); err != nil {
			return err
		}
	}
	return nil
}

type opencodeSession struct {
	id, directory, title, parent string
	updated                      time.Time
}

func opencodeSessions(ctx context.Context, db *sql.DB, have map[string]bool) ([]opencodeSession, error) {
	optional := func(name string) string {
		if have[name] {
			return "coalesce(" + name + ", '')"
		}
		return "''"
	}
	rows, err := db.QueryContext(ctx, "select id, coalesce(directory, ''), "+optional("title")+", "+optional("parent_id")+
		", cast(coalesce(time_updated, '') as text) from session order by time_updated, id")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err returns the error
	var out []opencodeSession
	for rows.Next() {
		var s opencodeSession
		var updated string
		if err := rows.Scan(&s.id, &s.directory, &s.title, &s.parent, &updated); err != nil {
			return nil, err
		}
		s.updated = timeOfCell(updated)
		out = append(out, s)
	}
	return out, rows.Err()
}

// timeOfCell parses a time in a database: a number or a text.
func timeOfCell(text string) time.Time {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return timeOf(json.RawMessage(text))
	}
	return timeOfText(text)
}

// opencodeMessage is the JSON of a message.
type opencodeMessage struct {
	Role    string `json:"role"`
	ModelID string `json:"modelID"`
	Time    struct {
		Created   json.RawMessage `json:"created"`
		Completed json.RawMessage `json:"completed"`
	} `json:"time"`
	Error   json.RawMessage `json:"error"`
	Summary json.RawMessage `json:"summary"` // true for the summary of a compaction; an object for a user's message
}

// opencodePart is the JSON of a part of a message.
type opencodePart struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"`
	Ignored   bool   `json:"ignored"`
	Filename  string `json:"filename"`
	Tool      string `json:"tool"`
	CallID    string `json:"callID"`
	State     struct {
		Status string          `json:"status"`
		Input  json.RawMessage `json:"input"`
		Output json.RawMessage `json:"output"`
		Error  json.RawMessage `json:"error"`
	} `json:"state"`
}

// read reads the messages of a session with their parts, in order.
func (s opencodeSession) read(ctx context.Context, db *sql.DB, out *Found) error {
	out.about(s.id, Session{Cwd: s.directory, Title: s.title})
	rows, err := db.QueryContext(ctx, `select m.id, m.data, coalesce(p.data, '') from message m left join part p on p.message_id = m.id
		where m.session_id = ? order by m.id, p.id`, s.id)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err returns the error
	var id, about string
	var parts []string
	for rows.Next() {
		var next, data, part string
		if err := rows.Scan(&next, &data, &part); err != nil {
			return err
		}
		if next != id {
			s.message(id, about, parts, out)
			id, about, parts = next, data, nil
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	s.message(id, about, parts, out)
	return rows.Err()
}

// message adds a message with its parts.
func (s opencodeSession) message(id, data string, parts []string, out *Found) {
	if id == "" {
		return
	}
	var m opencodeMessage
	if json.Unmarshal([]byte(data), &m) != nil {
		out.unknown("message with a field of another type", 0)
		return
	}
	role, known := s.role(&m)
	if !known {
		out.unknown("message of "+m.Role, 0)
		return
	}
	msg := Message{Session: s.id, Message: dialogue.Message{ID: id, At: timeOf(m.Time.Created), Author: m.ModelID, Role: role}}
	if m.isUnfinished() {
		msg.open = callSettles
	}
	var body opencodeBody
	for _, part := range parts {
		body.add(part, out)
	}
	msg.Content, msg.Reasoning = strings.Join(body.texts, "\n\n"), strings.TrimSpace(strings.Join(body.reasoning, "\n\n"))
	msg.ToolCalls = body.calls
	if msg.Content != "" || msg.Reasoning != "" || len(msg.ToolCalls) > 0 {
		out.Messages = append(out.Messages, msg)
	}
}

// role returns the role of a message's author, and whether the role in the message is known.
// Messages that no person has written (the prompts of a subagent, the summary of a compaction) have
// the role of the system.
func (s opencodeSession) role(m *opencodeMessage) (role dialogue.Role, known bool) {
	switch {
	case m.Role == "user" && s.parent == "":
		return dialogue.User, true
	case m.Role == "assistant" && string(m.Summary) != "true":
		return dialogue.Assistant, true
	}
	return dialogue.System, m.Role == "user" || m.Role == "assistant"
}

// isUnfinished reports whether an assistant is still writing the message.
func (m *opencodeMessage) isUnfinished() bool {
	return m.Role == "assistant" && len(m.Time.Completed) == 0 && (len(m.Error) == 0 || string(m.Error) == "null")
}

// opencodeBody holds the contents of a message's parts, in order.
type opencodeBody struct {
	texts, reasoning []string
	calls            []dialogue.ToolCall
}

// add adds the JSON of a part. A part that does not belong to a conversation is counted in out.
func (b *opencodeBody) add(data string, out *Found) {
	var p opencodePart
	if json.Unmarshal([]byte(data), &p) != nil {
		out.unknown("part with a field of another type", 0)
		return
	}
	switch p.Type {
	case "text":
		if p.Synthetic || p.Ignored {
			out.skip("host's note")
		} else if !isBlank(p.Text) {
			b.texts = append(b.texts, p.Text)
		}
	case "reasoning":
		b.reasoning = append(b.reasoning, p.Text)
	case "tool":
		call := dialogue.ToolCall{Name: p.Tool, Arguments: p.State.Input, Result: p.State.Output}
		if p.State.Status == "error" {
			call.Result, call.IsError = p.State.Error, true
		}
		b.calls = append(b.calls, call)
	case "file":
		b.texts = append(b.texts, "["+p.Filename+"]")
	case "step-start", "step-finish", "snapshot", "patch", "agent", "retry", "compaction", "subtask":
		out.skip(p.Type)
	default:
		out.unknown("part of type "+p.Type, 0)
	}
}
