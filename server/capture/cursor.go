package capture

import (
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

func cursorPlaces(e Environment) []place {
	var out []place
	for _, user := range e.codeUsers("Cursor") {
		out = append(out, place{dir: filepath.Join(user, "globalStorage"), match: func(rel string) bool { return rel == "state.vscdb" }})
	}
	dir := e.under("CURSOR_CONFIG_DIR", ".cursor")
	if dir == "" {
		return out
	}
	return append(out, place{dir: filepath.Join(dir, "projects"), depth: 4, as: &cursorTranscripts, match: func(rel string) bool {
		return strings.Contains(rel, "/agent-transcripts/") && logs(".jsonl")(rel)
	}, near: func(rel string) bool { return strings.Contains(rel, "/agent-transcripts/") && others()(rel) }})
}

// cursorOrder has the database read first: it has more of a chat than the transcript.
func cursorOrder(path string) string {
	if filepath.Base(path) == "state.vscdb" {
		return "database"
	}
	return "transcript"
}

// cursorBeside returns the folder of the command line's chats, which are databases of blobs.
func cursorBeside(e Environment) []place {
	dir := e.under("CURSOR_CONFIG_DIR", ".cursor")
	if dir == "" {
		return nil
	}
	return []place{{dir: filepath.Join(dir, "chats"), depth: 2, near: others("*.json")}}
}

// cursorComposer is the record of a chat that Cursor stores under composerData:<id>.
type cursorComposer struct {
	ID        string          `json:"composerId"`
	Name      string          `json:"name"`
	CreatedAt json.RawMessage `json:"createdAt"`
	UpdatedAt json.RawMessage `json:"lastUpdatedAt"`
	Headers   []struct {
		BubbleID string `json:"bubbleId"`
	} `json:"fullConversationHeadersOnly"`
	Conversation []json.RawMessage `json:"conversation"` // of older versions: the messages themselves
	Status       string            `json:"status"`
}

// cursorBubble is a message, stored under bubbleId:<chat>:<message>.
type cursorBubble struct {
	ID        string          `json:"bubbleId"`
	Type      int             `json:"type"` // 1 is the person, 2 the assistant
	Text      string          `json:"text"`
	RawText   string          `json:"rawText"`
	Timestamp json.RawMessage `json:"timestamp"`
	CreatedAt json.RawMessage `json:"createdAt"`
	Project   string          `json:"workspaceProjectDir"`
	Folders   []string        `json:"workspaceUris"`
	Thinking  struct {
		Text string `json:"text"`
	} `json:"thinking"`
	Tool *struct {
		Name   string          `json:"name"`
		Params json.RawMessage `json:"params"`
		Args   json.RawMessage `json:"rawArgs"`
		Result json.RawMessage `json:"result"`
		Status string          `json:"status"`
	} `json:"toolFormerData"`
}

// cursorDatabase reads the chats of Cursor that changed since a time, the oldest change first.
func cursorDatabase(ctx context.Context, path string, since time.Time, each func(time.Time, *Found) error) error {
	db, err := openDatabase(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }() // it was only read
	if _, err := require(ctx, db, "cursorDiskKV", "key", "value"); err != nil {
		return err
	}
	chats, broken, err := cursorChats(ctx, db)
	if err != nil {
		return err
	}
	for _, c := range chats {
		updated := c.updated()
		if updated.Before(since) {
			continue
		}
		found := newFound()
		if err := c.read(ctx, db, found); err != nil {
			return err
		}
		if err := each(updated, found); err != nil {
			return err
		}
	}
	found := newFound()
	for range broken {
		found.unknown("chat with a field of another type", 0)
	}
	if found.Unread, err = unreadTables(ctx, db, path); err != nil {
		return err
	}
	return each(time.Time{}, found)
}

func cursorChats(ctx context.Context, db *sql.DB) (out []cursorComposer, broken int, err error) {
	rows, err := db.QueryContext(ctx, "select key, cast(value as blob) from cursorDiskKV where key >= 'composerData:' and key < 'composerData;' and value is not null")
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = rows.Close() }() // Err returns the error
	for rows.Next() {
		var key string
		var value []byte
		if err := rows.Scan(&key, &value); err != nil {
			return nil, 0, err
		}
		var c cursorComposer
		if json.Unmarshal(value, &c) != nil {
			broken++
			continue
		}
		c.ID = strings.TrimPrefix(key, "composerData:")
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b cursorComposer) int { return a.updated().Compare(b.updated()) })
	return out, broken, rows.Err()
}

func (c *cursorComposer) updated() time.Time {
	if at := timeOf(c.UpdatedAt); !at.IsZero() {
		return at
	}
	return timeOf(c.CreatedAt)
}

// read reads the messages of a chat in their order.
func (c *cursorComposer) read(ctx context.Context, db *sql.DB, out *Found) error {
	out.about(c.ID, Session{Title: c.Name})
	list := c.Conversation
	for _, h := range c.Headers {
		var value []byte
		err := db.QueryRowContext(ctx, "select cast(value as blob) from cursorDiskKV where key = ?", "bubbleId:"+c.ID+":"+h.BubbleID).Scan(&value)
		switch {
		case err == sql.ErrNoRows:
			out.unknown("missing message", 0)
		case err != nil:
			return err
		default:
			list = append(list, value)
		}
	}
	for i, raw := range list {
		var b cursorBubble
		if json.Unmarshal(raw, &b) != nil {
			out.unknown("message with a field of another type", 0)
			continue
		}
		if b.ID == "" && i < len(c.Headers) {
			b.ID = c.Headers[i].BubbleID
		}
		b.add(c.ID, i == len(list)-1, out)
	}
	return nil
}

// cursorRuns are the states of a tool that is still running.
var cursorRuns = []string{"loading", "running", "pending"}

func (b *cursorBubble) add(session string, last bool, out *Found) {
	cwd := pathOf(b.Project)
	if cwd == "" && len(b.Folders) > 0 {
		cwd = pathOf(b.Folders[0])
	}
	out.about(session, Session{Cwd: cwd})
	m := Message{Session: session, Message: dialogue.Message{ID: b.ID, Content: b.Text, Reasoning: b.Thinking.Text, At: timeOf(b.CreatedAt)}}
	if m.Content == "" && b.Type != 1 {
		m.Content = b.RawText
	}
	if m.At.IsZero() {
		m.At = timeOf(b.Timestamp)
	}
	switch b.Type {
	case 1:
		out.say(Cursor, session, m.Message, m.Content)
		return
	case 2:
		m.Role = dialogue.Assistant
		if last {
			m.open = textSettles
		}
	default:
		out.unknown("message of another type", 0)
		return
	}
	if t := b.Tool; t != nil && t.Name != "" {
		call := dialogue.ToolCall{Name: t.Name, Arguments: unquoted(t.Args), Result: unquoted(t.Result), IsError: t.Status == "error" || t.Status == "cancelled"}
		if len(call.Arguments) == 0 {
			call.Arguments = unquoted(t.Params)
		}
		m.ToolCalls = []dialogue.ToolCall{call}
		if slices.Contains(cursorRuns, t.Status) {
			m.open = callSettles
		}
	}
	if !isBlank(m.Content) || m.Reasoning != "" || len(m.ToolCalls) > 0 {
		out.Messages = append(out.Messages, m)
	}
}

// unquoted returns the JSON inside a JSON string; any other value stays unchanged.
func unquoted(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return raw
	}
	return jsonValue(text)
}
