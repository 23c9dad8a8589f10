package capture

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// vscodePlaces returns the folders of the chats of each workspace, and of windows without one.
func vscodePlaces(e Environment) []place {
	var out []place
	for _, user := range e.codeUsers("Code", "Code - Insiders", "VSCodium") {
		out = append(out,
			place{dir: filepath.Join(user, "workspaceStorage"), depth: 2, match: func(rel string) bool {
				return strings.Contains(rel, "/chatSessions/") && suffixed(".json", ".jsonl")(rel)
			}, near: func(rel string) bool { return strings.Contains(rel, "/chatSessions/") && others()(rel) }},
			place{dir: filepath.Join(user, "globalStorage", "emptyWindowChatSessions"), match: suffixed(".json", ".jsonl"), near: others()})
	}
	return out
}

// vscodeHint reads the workspace's folder from a file beside the chats.
func vscodeHint(_ Environment, path string) hint {
	h := hint{session: strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))}
	raw, err := readSmall(filepath.Join(filepath.Dir(filepath.Dir(path)), "workspace.json"))
	var about struct {
		Folder    string `json:"folder"`
		Workspace string `json:"workspace"`
	}
	if err == nil && json.Unmarshal(raw, &about) == nil {
		if h.cwd = pathOf(about.Folder); h.cwd == "" && about.Workspace != "" {
			h.cwd = filepath.Dir(pathOf(about.Workspace))
		}
	}
	return h
}

// vscodeOp is a line of a log of changes.
type vscodeOp struct {
	Kind  *int            `json:"kind"`
	Path  []any           `json:"k"`
	Value json.RawMessage `json:"v"`
	From  *int            `json:"i"`
}

// Kinds of changes.
const (
	vscodeSnapshot = iota
	vscodeSet
	vscodePush
	vscodeDelete
)

// vscodeDocument parses a chat of VS Code: one object, or a log of changes to one. The whole log is
// read each time, since a change may concern any message.
func vscodeDocument(r io.Reader, h hint, out *Found) {
	var state any
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxDocumentBytes)
	for n := 1; lines.Scan(); n++ {
		line := lines.Bytes()
		if isBlank(string(line)) {
			continue
		}
		var op vscodeOp
		if err := json.Unmarshal(line, &op); err != nil || op.Kind == nil {
			if n == 1 {
				state = vscodeWhole(lines, out)
				break
			}
			out.unknown("broken line", n)
			continue
		}
		var value any
		if len(op.Value) > 0 && json.Unmarshal(op.Value, &value) != nil {
			out.unknown("broken line", n)
			continue
		}
		if !applyChange(&state, op, value) {
			out.unknown("change of kind "+strconv.Itoa(*op.Kind)+" that does not fit", n)
		}
	}
	if lines.Err() != nil {
		out.unknown("line that is too long", 0)
	}
	vscodeChat(state, h, out)
}

// vscodeWhole parses a chat that is one object, from the scanner's current line to the end.
func vscodeWhole(lines *bufio.Scanner, out *Found) (state any) {
	text := slices.Clone(lines.Bytes())
	for lines.Scan() {
		text = append(append(text, '\n'), lines.Bytes()...)
	}
	if json.Unmarshal(text, &state) != nil {
		out.unknown("broken document", 0)
	}
	return state
}

// applyChange applies a change to the state; it returns false if the state has no such location.
func applyChange(state *any, op vscodeOp, value any) bool {
	if *op.Kind == vscodeSnapshot {
		*state = value
		return true
	}
	return changeAt(state, op.Path, func(at *any) bool {
		switch *op.Kind {
		case vscodeSet:
			*at = value
		case vscodePush:
			list, _ := (*at).([]any)
			if op.From != nil && *op.From >= 0 && *op.From <= len(list) {
				list = list[:*op.From:*op.From]
			}
			more, _ := value.([]any)
			*at = append(list, more...)
		case vscodeDelete:
			*at = nil
		default:
			return false
		}
		return true
	})
}

// maxElements limits the index in a list that a change may name.
const maxElements = 1 << 16

// changeAt calls change for the value at a path of names and indexes.
func changeAt(at *any, path []any, change func(*any) bool) bool {
	if len(path) == 0 {
		return change(at)
	}
	switch key := path[0].(type) {
	case string:
		m, ok := (*at).(map[string]any)
		if !ok {
			return false
		}
		v := m[key]
		if !changeAt(&v, path[1:], change) {
			return false
		}
		m[key] = v
		return true
	case float64:
		list, ok := (*at).([]any)
		i := int(key)
		if !ok || i < 0 || i > len(list) || i >= maxElements || float64(i) != key {
			return false
		}
		if i == len(list) {
			list = append(list, nil)
			*at = list
		}
		return changeAt(&list[i], path[1:], change)
	}
	return false
}

// vscodeRequest is a prompt with its answer.
type vscodeRequest struct {
	ID        string            `json:"requestId"`
	Timestamp json.RawMessage   `json:"timestamp"`
	ModelID   string            `json:"modelId"`
	Message   json.RawMessage   `json:"message"`
	Response  []json.RawMessage `json:"response"`
	Result    json.RawMessage   `json:"result"`
	Canceled  bool              `json:"isCanceled"`
}

// vscodeChat adds the messages of a chat.
func vscodeChat(state any, h hint, out *Found) {
	raw, err := json.Marshal(state)
	var chat struct {
		SessionID   string            `json:"sessionId"`
		CustomTitle string            `json:"customTitle"`
		Requests    []json.RawMessage `json:"requests"`
	}
	if err != nil || json.Unmarshal(raw, &chat) != nil || state == nil {
		out.unknown("document without a chat", 0)
		return
	}
	session := h.session
	if chat.SessionID != "" {
		session = chat.SessionID
	}
	out.about(session, Session{Cwd: h.cwd, Title: chat.CustomTitle})
	for i, raw := range chat.Requests {
		var q vscodeRequest
		if json.Unmarshal(raw, &q) != nil {
			out.unknown("request with a field of another type", 0)
			continue
		}
		if q.ID == "" {
			q.ID = "request-" + strconv.Itoa(i)
		}
		q.add(session, i == len(chat.Requests)-1, out)
	}
}

func (q *vscodeRequest) add(session string, last bool, out *Found) {
	when := timeOf(q.Timestamp)
	var message struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(q.Message, &message) != nil && json.Unmarshal(q.Message, &message.Text) != nil {
		out.unknown("request without message", 0)
	}
	if !isBlank(message.Text) {
		out.say(VSCode, session, dialogue.Message{ID: q.ID, At: when}, message.Text)
	}
	m := dialogue.Message{Role: dialogue.Assistant, ID: q.ID + "/response", Author: q.ModelID, At: when}
	var text, reasoning strings.Builder
	running := false
	for _, raw := range q.Response {
		running = vscodePart(raw, &m, &text, &reasoning, out) || running
	}
	m.Content, m.Reasoning = strings.TrimSpace(text.String()), strings.TrimSpace(reasoning.String())
	if m.Content == "" && m.Reasoning == "" && len(m.ToolCalls) == 0 {
		return
	}
	var open time.Duration
	if last && len(q.Result) == 0 && !q.Canceled {
		if open = textSettles; running {
			open = callSettles
		}
	}
	out.Messages = append(out.Messages, Message{Session: session, Message: m, open: open})
}

// vscodeQuiet are the kinds of parts that contain nothing that was said.
var vscodeQuiet = []string{
	"progressMessage", "progressTask", "progressTaskSerialized", "codeblockUri", "undoStop", "command", "warning", "mcpServersStarting", "references",
	"confirmation", "elicitation", "elicitationSerialized", "notebookEditGroup", "treeData", "markdownVuln", "move", "extensions", "pullRequest",
	"prepareToolInvocation", "clearToPreviousToolInvocation", "multiDiffData", "codeCitation", "externalEdit", "workspaceEdit", "questionCarousel",
}

// vscodePart adds a part of an answer; it reports whether the part is a tool that is still running.
func vscodePart(raw json.RawMessage, m *dialogue.Message, text, reasoning *strings.Builder, out *Found) (running bool) {
	var c struct {
		Kind    string          `json:"kind"`
		Value   json.RawMessage `json:"value"`
		Content json.RawMessage `json:"content"`
		Name    string          `json:"name"`
		URI     struct {
			Path string `json:"path"`
		} `json:"uri"`
		Edits      json.RawMessage `json:"edits"`
		ToolID     string          `json:"toolId"`
		IsComplete *bool           `json:"isComplete"`
		Invocation json.RawMessage `json:"invocationMessage"`
		Past       json.RawMessage `json:"pastTenseMessage"`
		Details    json.RawMessage `json:"resultDetails"`
		Specific   json.RawMessage `json:"toolSpecificData"`
	}
	if json.Unmarshal(raw, &c) != nil {
		out.unknown("part with a field of another type", 0)
		return false
	}
	switch {
	case c.Kind == "" || c.Kind == "markdownContent":
		text.WriteString(markdownOf(c.Value) + markdownOf(c.Content))
	case c.Kind == "thinking":
		if t, ok := textOf(c.Value); ok {
			reasoning.WriteString(t)
		}
	case c.Kind == "inlineReference":
		text.WriteString(c.Name)
	case c.Kind == "textEditGroup":
		endParagraph(text)
		m.ToolCalls = append(m.ToolCalls, dialogue.ToolCall{Name: "edit", Arguments: vscodeEdit(c.URI.Path, c.Edits)})
	case c.Kind == "toolInvocation" || c.Kind == "toolInvocationSerialized":
		endParagraph(text)
		m.ToolCalls = append(m.ToolCalls, vscodeCall(c.ToolID, c.Specific, c.Invocation, c.Past, c.Details))
		return c.IsComplete != nil && !*c.IsComplete
	case slices.Contains(vscodeQuiet, c.Kind):
		out.skip(c.Kind)
	default:
		out.unknown("part of kind "+c.Kind, 0)
	}
	return false
}

// endParagraph separates what was said before a call from what is said after it.
func endParagraph(text *strings.Builder) {
	if text.Len() > 0 && !strings.HasSuffix(text.String(), "\n\n") {
		text.WriteString("\n\n")
	}
}

// vscodeEdit returns the arguments of a change of a file.
func vscodeEdit(path string, edits json.RawMessage) json.RawMessage {
	if len(edits) == 0 {
		edits = json.RawMessage("[]")
	}
	out, err := json.Marshal(map[string]any{"path": path, "edits": edits})
	if err != nil { // cannot happen: edits were read as JSON
		return jsonObject("path", jsonText(path))
	}
	return out
}

// vscodeCall returns a call: of a command, the command with its output; of others, what the log
// shows the person.
func vscodeCall(tool string, specific, invocation, past, details json.RawMessage) dialogue.ToolCall {
	call := dialogue.ToolCall{Name: tool, Arguments: jsonObject("description", jsonText(markdownOf(invocation))), Result: details}
	if len(details) == 0 && len(past) > 0 {
		call.Result = jsonText(markdownOf(past))
	}
	var did struct {
		CommandLine struct {
			Original string `json:"original"`
			Tool     string `json:"toolEdited"`
			User     string `json:"userEdited"`
		} `json:"commandLine"`
		State struct {
			Exit int `json:"exitCode"`
		} `json:"terminalCommandState"`
		Output struct {
			Text string `json:"text"`
		} `json:"terminalCommandOutput"`
		Input json.RawMessage `json:"rawInput"`
	}
	if json.Unmarshal(specific, &did) != nil {
		return call
	}
	if command := cmp.Or(did.CommandLine.User, did.CommandLine.Tool, did.CommandLine.Original); command != "" {
		call.Arguments, call.IsError = jsonObject("command", jsonText(command)), did.State.Exit != 0
		if did.Output.Text != "" {
			call.Result = jsonText(did.Output.Text)
		}
	} else if len(did.Input) > 0 {
		call.Arguments = did.Input
	}
	return call
}

// markdownOf returns a text, or the text of a Markdown object.
func markdownOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var object struct {
		Value string `json:"value"`
	}
	_ = json.Unmarshal(raw, &object) // any other value has no text
	return object.Value
}

// jsonObject returns an object with one member.
func jsonObject(name string, value json.RawMessage) json.RawMessage {
	return append(append(append(append(json.RawMessage("{"), jsonText(name)...), ':'), value...), '}')
}
