package capture

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"slices"
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
	return []place{{dir: filepath.Join(dir, "opencode"), match: func(rel string) bool { // opencode.db, and opencode-dev.db of a channel
		return matches("opencode*.db", rel)
	}}}
}

// opencodeBeside returns the folders of versions before 1.2, which kept each message in a file.
func opencodeBeside(e Environment) []place {
	dir := e.under("XDG_DATA_HOME", ".local", "share")
	if dir == "" {
		return nil
	}
	return []place{
		{dir: filepath.Join(dir, "opencode", "storage", "message"), depth: 1, near: others()},
		{dir: filepath.Join(dir, "opencode", "project"), depth: 4, near: func(rel string) bool { return strings.Contains(rel, "/storage/session/message/") }},
	}
}

// Tables of OpenCode: those of version 1, those of version 2, which may be in the same database,
// and those that hold no conversation.
var (
	opencodeOld   = []string{"session", "message", "part"}
	opencodeNew   = []string{"session_v2", "session_message"}
	opencodeOther = []string{"todo", "session_share", "session_entry", "session_input", "session_pending", "session_inbox", "session_context_epoch", "session_context_entry", "session_instruction"}
)

// opencodeDatabase reads the sessions of OpenCode that changed since a time, the oldest change
// first.
func opencodeDatabase(ctx context.Context, path string, since time.Time, each func(time.Time, *Found) error) error {
	db, err := openDatabase(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // it was only read
	o, err := openOpencode(ctx, db)
	if err != nil {
		return err
	}
	list, err := o.sessions(ctx)
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.updated.Before(since) {
			continue
		}
		found := newFound()
		if err := o.read(ctx, s, found); err != nil {
			return err
		}
		if err := each(s.updated, found); err != nil {
			return err
		}
	}
	found := newFound()
	found.Unread, err = unreadTables(ctx, db, path, slices.Concat(opencodeOld, opencodeNew, opencodeOther)...)
	if err != nil {
		return err
	}
	return each(time.Time{}, found)
}

// opencode is a database of OpenCode, with the columns of its tables of sessions; none for a table
// that it does not have.
type opencode struct {
	db            *sql.DB
	old, new      map[string]bool
	hasNewMessage bool
}

// openOpencode checks that the tables of at least one version have the form that is known.
func openOpencode(ctx context.Context, db *sql.DB) (o opencode, err error) {
	o.db = db
	if o.new, err = columns(ctx, db, "session_v2"); err != nil {
		return o, err
	}
	messages, err := columns(ctx, db, "session_message")
	if err != nil {
		return o, err
	}
	if o.hasNewMessage = len(messages) > 0; o.hasNewMessage {
		if _, err := require(ctx, db, "session_message", "id", "session_id", "type", "data"); err != nil {
			return o, err
		}
	}
	if len(o.new) > 0 {
		if _, err := require(ctx, db, "session_v2", "id", "directory", "time_updated"); err != nil {
			return o, err
		}
		if o.old, err = columns(ctx, db, "session"); err != nil || len(o.old) == 0 {
			return o, err
		}
	}
	if o.old, err = require(ctx, db, "session", "id", "directory", "time_updated"); err != nil {
		return o, err
	}
	if _, err := require(ctx, db, "message", "id", "session_id", "data"); err != nil {
		return o, err
	}
	_, err = require(ctx, db, "part", "id", "message_id", "data")
	return o, err
}

type opencodeSession struct {
	id, directory, title, parent, fork string
	updated                            time.Time
}

// sessions returns the sessions of both versions, the oldest change first. One that is in both was
// migrated from the old tables, and is listed once.
func (o *opencode) sessions(ctx context.Context) ([]opencodeSession, error) {
	var out []opencodeSession
	for _, t := range []struct {
		table string
		have  map[string]bool
	}{{"session_v2", o.new}, {"session", o.old}} {
		if len(t.have) == 0 {
			continue
		}
		list, err := o.table(ctx, t.table, t.have)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			if !slices.ContainsFunc(out, func(other opencodeSession) bool { return other.id == s.id }) {
				out = append(out, s)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b opencodeSession) int { return cmp.Or(a.updated.Compare(b.updated), cmp.Compare(a.id, b.id)) })
	return out, nil
}

func (o *opencode) table(ctx context.Context, name string, have map[string]bool) ([]opencodeSession, error) {
	optional := func(name string) string {
		if have[name] {
			return "coalesce(" + name + ", '')"
		}
		return "''"
	}
	rows, err := o.db.QueryContext(ctx, "select id, coalesce(directory, ''), "+optional("title")+", "+optional("parent_id")+", "+
		optional("fork_session_id")+", cast(coalesce(time_updated, '') as text) from "+name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // Err returns the error
	var out []opencodeSession
	for rows.Next() {
		var s opencodeSession
		var updated string
		if err := rows.Scan(&s.id, &s.directory, &s.title, &s.parent, &s.fork, &updated); err != nil {
			return nil, err
		}
		s.updated = timeOfCell(updated)
		out = append(out, s)
	}
	return out, rows.Err()
}

// read reads the messages of a session from the tables of both versions. A message that was
// migrated is in both.
func (o *opencode) read(ctx context.Context, s opencodeSession, out *Found) error {
	out.about(s.id, Session{Cwd: s.directory, Title: s.title, ForkOf: s.fork})
	if len(o.old) > 0 {
		if err := s.read(ctx, o.db, out); err != nil {
			return err
		}
	}
	if !o.hasNewMessage {
		return nil
	}
	migrated := newFound()
	if err := s.readNew(ctx, o.db, migrated); err != nil {
		return err
	}
	for _, m := range migrated.Messages {
		if !slices.ContainsFunc(out.Messages, func(other Message) bool { return other.ID == m.ID || isSaidAgain(other, m) }) {
			out.Messages = append(out.Messages, m)
		}
	}
	out.count(migrated)
	return nil
}

// isSaidAgain reports whether two messages of a session have the same author, time and words.
func isSaidAgain(a, b Message) bool {
	return a.Role == b.Role && !a.At.IsZero() && a.At.Equal(b.At) && a.Content == b.Content
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
	if role == dialogue.User {
		out.say(OpenCode, s.id, msg.Message, body.texts...)
		return
	}
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
