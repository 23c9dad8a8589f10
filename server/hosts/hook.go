package hosts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Kind is the meaning of a host's event for this program.
type Kind int

const (
	// Other is an event that is ignored.
	Other Kind = iota
	// Start is the beginning of a session, or its continuation: the index of its workspace is made
	// ready, and the answer has the rules.
	Start
	// Prompt comes before the model sees a prompt: the answer is context for it.
	Prompt
	// Compacted means that the conversation was shortened and that the answer reaches the model:
	// rules, focus and decisions are repeated.
	Compacted
	// Compacting means that the conversation is being shortened and no answer reaches the model:
	// rules, focus and decisions are repeated with the next prompt.
	Compacting
	// TurnEnd is the end of an answer: the turn can be captured.
	TurnEnd
	// Editing comes before a file is edited: the answer is what was stated about it.
	Editing
	// Failed comes after a call, which may have failed: the answer is what fixed the same failure
	// before.
	Failed
	// Delegating comes before a sub-agent starts, which knows nothing of the conversation: the
	// answer is what it has to keep to.
	Delegating
)

// events are the events of each host that this program handles, by the host's names.
var events = map[string]map[string]Kind{
	ClaudeCode: {
		"SessionStart": Start, "UserPromptSubmit": Prompt, "PreToolUse": Editing, "PostToolUseFailure": Failed, "SubagentStart": Delegating,
		"Stop": TurnEnd, "SessionEnd": TurnEnd,
	},
	// Codex takes no context before a call.
	Codex: {"SessionStart": Start, "UserPromptSubmit": Prompt, "PostToolUse": Failed, "SubagentStart": Delegating, "Stop": TurnEnd},
	// Cursor and Gemini CLI take context after a call, but not before one.
	Cursor: {"sessionStart": Start, "beforeSubmitPrompt": Prompt, "postToolUse": Failed, "preCompact": Compacting, "stop": TurnEnd, "sessionEnd": TurnEnd},
	Gemini: {
		"SessionStart": Start, "BeforeAgent": Prompt, "AfterTool": Failed, "PreCompress": Compacting, "AfterAgent": TurnEnd, "SessionEnd": TurnEnd,
	},
	VSCode: {
		"SessionStart": Start, "UserPromptSubmit": Prompt, "PreToolUse": Editing, "SubagentStart": Delegating, "PreCompact": Compacting, "Stop": TurnEnd,
	},
	OpenCode: {
		"session.created": Start, "chat.message": Prompt, "tool.execute.after": Failed, "session.compacted": Compacting, "session.idle": TurnEnd,
	},
	Cline: {
		"TaskStart": Start, "TaskResume": Start, "UserPromptSubmit": Prompt, "PreToolUse": Editing, "PostToolUse": Failed, "PreCompact": Compacting,
		"TaskComplete": TurnEnd,
	},
}

// matchers are the names of the tools for whose calls a hook is to run, as a regular expression, by
// host and event. VS Code and Cline have none: they run their hooks for every call.
var matchers = map[string]map[string]string{
	ClaudeCode: {"PreToolUse": "Edit|MultiEdit|Write|NotebookEdit"},
	Codex:      {"PostToolUse": "Bash"},
	Cursor:     {"postToolUse": "Shell"},
	Gemini:     {"AfterTool": "run_shell_command"},
}

// Hooked returns the names of the hosts that have hooks, in the order of All.
func Hooked() (out []string) {
	for _, name := range Names() {
		if events[name] != nil {
			out = append(out, name)
		}
	}
	return out
}

// EventNames returns the names of a host's events that this program handles.
func EventNames(host string) (out []string) {
	for name := range events[host] {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Event is an event that a host passes to a hook.
type Event struct {
	Host string // to which the hook belongs
	Name string // by the host
	Kind Kind
	// Session is the host's id of the conversation.
	Session string
	// Dir is the folder in which the assistant works.
	Dir string
	// Text is the prompt, for events of kind Prompt only.
	Text string
	// File is the path of the file that is about to be edited, for events of kind Editing only; ""
	// if the call edits none.
	File string
	// Output is what a call that failed returned, for events of kind Failed only; "" if it did not
	// fail.
	Output string
	// Command is the shell command that failed, for events of kind Failed only; "" for another call
	// or if the host does not name it.
	Command string
	// Log is the file in which the host keeps the conversation; "" if the host does not name it.
	Log string
	// By is the host that actually runs the hook: Cursor and VS Code also run those of Claude Code.
	By string
	// Discarded reports that this version of the host discards the answer to this event.
	Discarded bool
}

// payload is the union of the hosts' inputs. Each host sets some of the fields.
type payload struct {
	SessionID      string   `json:"session_id"`
	SessionIDCamel string   `json:"sessionId"`
	SessionIDUpper string   `json:"sessionID"`
	ConversationID string   `json:"conversation_id"`
	Cwd            string   `json:"cwd"`
	Directory      string   `json:"directory"`
	Roots          []string `json:"workspace_roots"`
	Prompt         string   `json:"prompt"`
	Transcript     *string  `json:"transcript_path"`
	Source         string   `json:"source"`
	CursorVersion  string   `json:"cursor_version"`
	Timestamp      any      `json:"timestamp"`
	Tool           string   `json:"tool_name"`
	Input          struct {
		File     any `json:"file_path"`
		Notebook any `json:"notebook_path"`
		Path     any `json:"filePath"`
		Files    any `json:"files"`
		Command  any `json:"command"`
	} `json:"tool_input"`
	Error    any             `json:"error"`
	Response json.RawMessage `json:"tool_response"`
	Output   any             `json:"tool_output"`
}

// edits are the tools that change a file, by the names of Claude Code and of VS Code.
var edits = map[string]bool{
	"Edit": true, "MultiEdit": true, "Write": true, "NotebookEdit": true,
	"editFiles": true, "create_file": true, "insert_edit_into_file": true, "replace_string_in_file": true, "edit_notebook_file": true,
}

// exitCode matches the code of a command that failed in the hosts' results of calls: "Exit Code:
// 1", "exited with code 1", `"exitCode":1`.
var exitCode = regexp.MustCompile(`(?i)\bexit(?:ed with)? ?code"?:? ?[1-9]`)

// failure returns the output of a call that failed, "" if it did not.
func (p *payload) failure() string {
	if text := asText(p.Error); text != "" {
		return text
	}
	if text := cmp.Or(asText(p.Output), textOf(p.Response)); exitCode.MatchString(text) {
		return printed(text)
	}
	return ""
}

// printed returns what a command printed, of a result that is the text of a JSON object with it;
// other texts as they are.
func printed(text string) string {
	var result struct{ Stdout, Stderr, Output string }
	if json.Unmarshal([]byte(text), &result) != nil {
		return text
	}
	return cmp.Or(strings.TrimSpace(result.Stdout+"\n"+result.Stderr+"\n"+result.Output), text)
}

// textOf returns the text of a result: a string, or an object with what the model or the person
// sees.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var result struct {
		Model  any `json:"llmContent"`
		Output any `json:"output"`
	}
	_ = json.Unmarshal(raw, &result) // a result of another form has no text
	return cmp.Or(asText(result.Model), asText(result.Output))
}

// ReadEvent parses what a host writes to standard input. Errors name the host, the event or the
// field that is wrong; an event that the host has and that this program ignores is no error.
func ReadEvent(host, name string, input []byte) (Event, error) {
	e := Event{Host: host, Name: name, By: host}
	if _, err := ByName(host); err != nil {
		return e, err
	}
	known := events[host]
	if known == nil {
		return e, fmt.Errorf("%s has no hooks; the hosts with hooks are %s", host, strings.Join(Hooked(), ", "))
	}
	kind, ok := known[name]
	if !ok {
		return e, fmt.Errorf("unknown event %q of %s; its events are %s", name, host, strings.Join(EventNames(host), ", "))
	}
	e.Kind = kind
	if err := e.parse(input); err != nil {
		return e, fmt.Errorf("standard input of event %s of %s: %w", name, host, plainJSON(err))
	}
	switch {
	case e.Session == "":
		return e, fmt.Errorf("standard input of event %s of %s names no session", name, host)
	case e.Dir == "":
		return e, fmt.Errorf("standard input of event %s of %s names no working directory", name, host)
	}
	return e, nil
}

// parse sets the fields of e from the host's input.
func (e *Event) parse(input []byte) error {
	if e.Host == Cline {
		return e.readCline(input)
	}
	var p payload
	if err := json.Unmarshal(input, &p); err != nil {
		return err
	}
	e.read(p)
	return nil
}

// read sets the fields of e from the fields of all hosts but Cline.
func (e *Event) read(p payload) {
	e.Session, e.Dir, e.Text = first(p.SessionID, p.SessionIDCamel, p.SessionIDUpper), first(p.Cwd, p.Directory), p.Prompt
	if e.Host == Cursor || p.CursorVersion != "" {
		e.Session = first(p.ConversationID, p.SessionID)
	}
	if len(p.Roots) > 0 {
		e.Dir = p.Roots[0]
	}
	switch e.Kind {
	case Editing:
		if edits[p.Tool] {
			e.File = first(asText(p.Input.File), asText(p.Input.Notebook), asText(p.Input.Path), firstOf(p.Input.Files))
		}
	case Failed:
		if e.Output = p.failure(); e.Output != "" {
			e.Command = asText(p.Input.Command)
		}
	}
	if p.Transcript != nil {
		e.Log = *p.Transcript
	}
	if e.Kind == Start && p.Source == "compact" {
		e.Kind = Compacted
	}
	if e.Host == ClaudeCode { // other hosts read its configuration, and identify themselves
		switch {
		case p.CursorVersion != "":
			e.By = Cursor
		case p.SessionIDCamel != "" || p.Timestamp != nil:
			e.By = VSCode
		}
	}
}

// firstOf returns the first text of a list, else "".
func firstOf(v any) string {
	if list, _ := v.([]any); len(list) > 0 {
		return asText(list[0])
	}
	return ""
}

// asText returns a value that is a string, else "": tools of others may use the same names.
func asText(v any) string {
	s, _ := v.(string)
	return s
}

// first returns the first text that is not empty.
func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// plainJSON returns the text of an error of encoding/json without Go's terms.
func plainJSON(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("field %s is of a wrong type", wrong.Field)
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("is not JSON at byte %d", syntax.Offset)
	}
	return errors.New("is not a JSON object")
}

// Commands reports whether the prompt is a command to the host itself, such as /compact, and not a
// question to the model.
func (e Event) Commands() bool {
	word, rest, _ := strings.Cut(strings.TrimSpace(e.Text), " ")
	return rest == "" && len(word) > 1 && word[0] == '/' && !strings.Contains(word[1:], "/")
}

// Acts reports whether the assistant is about to act or has failed to: it is not to be held up.
func (e Event) Acts() bool { return e.Kind == Editing || e.Kind == Failed }

// Forgets reports whether the model has lost what the conversation was given. A start in Cline does
// not mean that: newer versions start a task with each prompt, and a resumed task keeps its
// messages.
func (e Event) Forgets() bool {
	return e.Kind == Compacted || e.Kind == Compacting || e.Kind == Start && e.Host != Cline
}

// Empty reports whether there is nothing to do: the event is ignored, or it has no prompt for the
// model, no file and no failure.
func (e Event) Empty() bool {
	switch e.Kind {
	case Prompt:
		return e.Text == "" || e.Commands() || e.Discarded
	case Editing:
		return e.File == ""
	case Failed:
		return e.Output == ""
	}
	return e.Kind == Other
}

// Answered reports whether an answer to the event reaches the model: OpenCode's plugin passes on
// those to prompts only.
func (e Event) Answered() bool {
	switch e.Kind {
	case Prompt, Compacted, Editing, Failed, Delegating:
		return !e.Discarded
	}
	return e.Kind == Start && e.Host != OpenCode && !e.Discarded
}

// Answer returns what the hook prints: context for the model in the host's form, and a message to
// the person, which only Claude Code shows; nothing if there is neither. Cursor before a prompt and
// Cline always require an answer that lets them continue.
func (e Event) Answer(context, message string) []byte {
	if e.Host != ClaudeCode {
		message = ""
	}
	var out any
	switch {
	case e.Host == Cursor && e.Kind == Prompt:
		out = struct {
			Continue bool   `json:"continue"`
			Context  string `json:"additional_context,omitempty"`
		}{true, context}
	case e.Host == Cline:
		if !e.Answered() {
			context = ""
		}
		out = struct {
			Cancel  bool   `json:"cancel"`
			Context string `json:"contextModification,omitempty"`
		}{false, context}
	case context == "" && message != "":
		out = output{Message: message}
	case context == "" || !e.Answered():
		return nil
	case e.Host == Cursor:
		out = struct {
			Context string `json:"additional_context"`
		}{context}
	case e.Host == OpenCode:
		out = struct {
			Context string `json:"context"`
		}{context}
	default:
		out = output{message, &specific{e.Name, context}}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out); err != nil { // cannot happen for strings and booleans
		panic(err)
	}
	return text.Bytes()
}

// output is what Claude Code and most other hosts read.
type output struct {
	Message  string    `json:"systemMessage,omitempty"`
	Specific *specific `json:"hookSpecificOutput,omitempty"`
}

type specific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// MaxContext is the maximum size of a context in bytes: Claude Code shows the model at most 10,000
// characters of an answer, and Codex 10,000 bytes.
const MaxContext = 9_500

// MaxStanding is the maximum size in bytes of what is repeated after a compaction: 1,500 tokens at
// about three bytes each.
const MaxStanding = 4_500
