package capture

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// opencodeEntry is the JSON of a message of OpenCode 2; its type is in a column of its own.
type opencodeEntry struct {
	Text  string `json:"text"`
	Files []struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
	} `json:"files"`
	Model struct {
		ID string `json:"id"`
	} `json:"model"`
	Content []struct {
		Type  string `json:"type"`
		Text  string `json:"text"`
		Name  string `json:"name"`
		State struct {
			Status  string          `json:"status"`
			Input   json.RawMessage `json:"input"`
			Content json.RawMessage `json:"content"`
			Result  json.RawMessage `json:"result"`
			Error   json.RawMessage `json:"error"`
		} `json:"state"`
	} `json:"content"`
	Command string          `json:"command"` // of a shell
	Output  json.RawMessage `json:"output"`
	Summary string          `json:"summary"` // of a compaction
	Error   json.RawMessage `json:"error"`
	Time    struct {
		Created   json.RawMessage `json:"created"`
		Completed json.RawMessage `json:"completed"`
	} `json:"time"`
}

// readNew reads the messages of a session from the table of OpenCode 2, in order.
func (s opencodeSession) readNew(ctx context.Context, db *sql.DB, out *Found) error {
	have, err := columns(ctx, db, "session_message")
	if err != nil {
		return err
	}
	order := "id"
	if have["seq"] {
		order = "seq, id"
	}
	rows, err := db.QueryContext(ctx, "select id, type, coalesce(data, '') from session_message where session_id = ? order by "+order, s.id)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err returns the error
	for rows.Next() {
		var id, kind, data string
		if err := rows.Scan(&id, &kind, &data); err != nil {
			return err
		}
		s.entry(id, kind, data, out)
	}
	return rows.Err()
}

// opencodeQuiet are the types of messages that nobody has said.
var opencodeQuiet = []string{"synthetic", "system", "skill", "agent-switched", "model-switched", "location-switched", "idle"}

// entry adds a message.
func (s opencodeSession) entry(id, kind, data string, out *Found) {
	var e opencodeEntry
	if json.Unmarshal([]byte(data), &e) != nil {
		out.unknown("message with a field of another type", 0)
		return
	}
	msg := Message{Session: s.id, Message: dialogue.Message{ID: id, At: timeOf(e.Time.Created)}}
	switch {
	case kind == "user":
		parts := []string{e.Text}
		for _, f := range e.Files {
			parts = append(parts, "["+f.Name+"]")
		}
		if s.parent == "" {
			out.say(OpenCode, s.id, msg.Message, parts...)
			return
		}
		msg.Role, msg.Content = dialogue.System, strings.Join(parts, "\n\n") // another assistant's words
	case kind == "assistant":
		msg.Role, msg.Author = dialogue.Assistant, e.Model.ID
		e.answer(&msg.Message, out)
		if len(e.Time.Completed) == 0 && (len(e.Error) == 0 || string(e.Error) == "null") {
			msg.open = callSettles
		}
	case kind == "shell":
		msg.Role, msg.Content = dialogue.Tool, "$ "+e.Command
	case kind == "compaction":
		msg.Role, msg.Content = dialogue.System, e.Summary
	case slices.Contains(opencodeQuiet, kind):
		out.skip(kind)
		return
	default:
		out.unknown("message of type "+kind, 0)
		return
	}
	if !isBlank(msg.Content) || msg.Reasoning != "" || len(msg.ToolCalls) > 0 {
		out.Messages = append(out.Messages, msg)
	}
}

// answer adds the contents of an assistant's message.
func (e *opencodeEntry) answer(m *dialogue.Message, out *Found) {
	var texts, reasoning []string
	for _, c := range e.Content {
		switch c.Type {
		case "text":
			texts = append(texts, c.Text)
		case "reasoning":
			reasoning = append(reasoning, c.Text)
		case "tool":
			call := dialogue.ToolCall{Name: c.Name, Arguments: c.State.Input, Result: c.State.Result, IsError: c.State.Status == "error"}
			if text, ok := textOf(c.State.Content); ok && !isBlank(text) {
				call.Result = jsonText(text)
			}
			if call.IsError && len(call.Result) == 0 {
				call.Result = c.State.Error
			}
			m.ToolCalls = append(m.ToolCalls, call)
		default:
			out.unknown("part of type "+c.Type, 0)
		}
	}
	m.Content, m.Reasoning = strings.TrimSpace(strings.Join(texts, "\n\n")), strings.TrimSpace(strings.Join(reasoning, "\n\n"))
}
