package capture

import (
	"encoding/json"
	"io"
	"path/filepath"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/server/transport"
)

func continuePlaces(e Environment) []place {
	dir := e.under("CONTINUE_GLOBAL_DIR", ".continue")
	if dir == "" {
		return nil
	}
	return []place{{dir: filepath.Join(dir, "sessions"), near: others("sessions.json"), match: func(rel string) bool {
		return strings.HasSuffix(rel, ".json") && rel != "sessions.json"
	}}}
}

// continueItem is an element of a session's history.
type continueItem struct {
	Message struct {
		ID         string          `json:"id"`
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"toolCallId"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"toolCalls"`
	} `json:"message"`
	ToolCallStates []struct {
		ToolCallID string          `json:"toolCallId"`
		Status     string          `json:"status"`
		Output     json.RawMessage `json:"output"`
	} `json:"toolCallStates"`
	Reasoning struct {
		Text string `json:"text"`
	} `json:"reasoning"`
}

// continueDocument parses a session of Continue: a JSON object with its history, which is rewritten
// at each step. Its messages have no times.
func continueDocument(r io.Reader, h hint, out *Found) {
	p := clineReader{session: h.session, names: map[string]int{}}
	var list []continueItem
	rest := each(r, "history", out, func(_ int, raw json.RawMessage) {
		var item continueItem
		if json.Unmarshal(raw, &item) != nil {
			out.unknown(malformed(raw), 0)
			return
		}
		list = append(list, item)
	})
	var head struct{ id, dir, title string }
	for name, to := range map[string]*string{"sessionId": &head.id, "workspaceDirectory": &head.dir, "title": &head.title} {
		_ = json.Unmarshal(rest[name], to) // missing members stay empty
	}
	if head.id != "" {
		p.session = head.id
	}
	out.about(p.session, Session{Cwd: pathOf(head.dir), Title: head.title})
	for i, item := range list {
		p.continued(&item, i == len(list)-1, out)
	}
	for i := range out.Messages { // a tool's message follows its call
		m := &out.Messages[i]
		if n := len(m.ToolCalls); n > 0 && m.open > 0 && i < len(out.Messages)-1 {
			m.open = 0
		}
	}
}

func (p *clineReader) continued(item *continueItem, last bool, out *Found) {
	parts, ok := textsOf(item.Message.Content)
	text := strings.Join(parts, "\n\n")
	if !ok && len(item.Message.Content) > 0 {
		out.unknown("message without content", 0)
		return
	}
	m := Message{Session: p.session, Message: dialogue.Message{Content: text, Reasoning: item.Reasoning.Text}}
	m.ID = p.name(&clineMessage{ID: item.Message.ID, Role: item.Message.Role, Content: item.Message.Content})
	switch item.Message.Role {
	case "user":
		out.say(Continue, p.session, m.Message, parts...)
		return
	case "assistant":
		m.Role = dialogue.Assistant
		p.continuedCalls(item, &m)
		if last && m.open == 0 {
			m.open = textSettles
		}
	case "thinking":
		m.Role, m.Content, m.Reasoning = dialogue.Assistant, "", text
	case "tool":
		out.skip("tool") // it is stored with its call
		return
	case "system":
		m.Role = dialogue.System
	default:
		out.unknown("message of "+item.Message.Role, 0)
		return
	}
	if isBlank(m.Content) && m.Reasoning == "" && len(m.ToolCalls) == 0 {
		return
	}
	out.Messages = append(out.Messages, m)
}

func (p *clineReader) continuedCalls(item *continueItem, m *Message) {
	for _, c := range item.Message.ToolCalls {
		call := dialogue.ToolCall{Name: c.Function.Name, Arguments: jsonValue(c.Function.Arguments)}
		for _, state := range item.ToolCallStates {
			if state.ToolCallID != c.ID {
				continue
			}
			call.Result, call.IsError = state.Output, state.Status == "errored" || state.Status == "canceled"
			if state.Status == "generating" || state.Status == "generated" || state.Status == "calling" {
				m.open = callSettles
			}
		}
		m.ToolCalls = append(m.ToolCalls, call)
	}
}

// pathOf returns the path of a file: URI, or a path unchanged.
func pathOf(text string) string {
	if path, ok := transport.FilePath(text); ok {
		return path
	}
	return text
}
