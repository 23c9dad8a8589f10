package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/server/command"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// modelTool is a tool made for models: few arguments, and a readable text as its answer.
type modelTool struct {
	name, title, description string
	command                  string
	reads                    bool // it changes nothing, even if the command can
	properties               []property
	// everywhere makes a call without a root concern all open folders.
	everywhere bool
	// fixed are arguments of the command that a call cannot change.
	fixed map[string]any
	// show formats the answer.
	show func(a reply) (string, error)
}

// property is an argument of a tool.
type property struct {
	name, description string
	kind              string // of JSON Schema
	field             string // the command's own name for it; "" = the same
	values            []string
	// translate maps the values of the argument to the command's own values.
	translate map[string]string
	least     int
	required  bool
}

// reply is the answer of a command with the arguments of its call.
type reply struct {
	args map[string]json.RawMessage // by the tool's names
	root string                     // the URI of the workspace, "" if unknown
	raw  json.RawMessage
}

// text returns an argument that is a string, "" if it is missing.
func (a reply) text(name string) (value string) {
	_ = json.Unmarshal(a.args[name], &value) // the server has rejected anything but a string
	return value
}

// deadline is how long a model may wait, in milliseconds: longer than a person who types.
const deadline = 5000

// linesShown is how many matching lines an answer of search lists by default.
const linesShown = 40

// lineModes are the modes of search that list lines, as JSON.
var lineModes = []string{`"exact"`, `"regex"`}

// contextBudget is the default number of tokens of an answer of context.
const contextBudget = 2000

// rootProperty is the argument that every tool accepts.
var rootProperty = property{name: "root", kind: "string", description: "Absolute path of the project; default: where the server was started."}

// modelTools are the tools that are offered by default.
var modelTools = []modelTool{
	{
		name: "context", title: "Context for a request", command: "contexture.bundle", reads: true,
		description: "Finds what the project's code, docs and earlier conversations hold for a request, within a budget of tokens: code " +
			"with path:line, rules, decisions. Call it first and once, with the person's whole request, when the answer needs the project: " +
			"how something works, where to change it, a bug, what was decided. Not for what needs no project knowledge (\"commit this\", " +
			"\"run the tests\", thanks) and not for a file whose path you know.",
		properties: []property{
			{name: "prompt", kind: "string", description: "The person's request, word for word.", required: true},
			{name: "budget", kind: "integer", description: "Tokens of the answer; default 2000.", least: 256},
			{name: "path", kind: "string", description: "File the person is in.", field: "textDocument"},
			{name: "line", kind: "integer", description: "Line in it.", field: "position", least: 1},
			{name: "conversationId", kind: "string", description: "Conversation that it continues, if it is stored here."},
		},
		fixed: map[string]any{"deadlineMs": deadline, "budget": contextBudget, "encoding": string(tokens.O200k)},
		show:  showContext,
	},
	{
		name: "search", title: "Search", command: "contexture.search",
		description: "Finds places in code, docs and earlier conversations by words, by meaning, by an error message or a part of a path; " +
			"answers with excerpts at path:line. Call it when context left something open or grep would need a word that you do not know. " +
			"With mode exact or regex it lists every line that matches, with their number: use it instead of grep. For a name that you know " +
			"exactly use symbol.",
		properties: []property{
			{name: "query", kind: "string", description: "What to find.", required: true},
			{name: "limit", kind: "integer", description: "Places at most, default 8; lines, default 40.", least: 1},
			{name: "paths", kind: "array", description: "Globs, such as src/**; everywhere by default."},
			{name: "languages", kind: "array", description: "Such as go."},
			{
				name: "mode", kind: "string", values: []string{"hybrid", "exact", "regex"},
				description: "exact: lines that contain the query; regex: lines that match it (RE2); default hybrid, by words and meaning.",
			},
			{name: "case", kind: "boolean", description: "exact and regex: the case of letters matters."},
			{name: "word", kind: "boolean", description: "exact and regex: only whole words."},
		},
		everywhere: true,
		fixed:      map[string]any{"deadlineMs": deadline, "limit": 8},
		show:       showSearch,
	},
	{
		name: "symbol", title: "Symbol", command: "contexture.symbol",
		description: "Tells of a function, type, method or constant where it is defined, its signature and text, what calls or uses it, and " +
			"what implements or overrides it. Call it instead of grep before you change or explain a name. Private and common names work.",
		properties: []property{
			{name: "name", kind: "string", description: "The name, or Type.name."},
			{name: "path", kind: "string", description: "File or folder of the definition; without a name, its symbols are listed."},
			{name: "limit", kind: "integer", description: "Lines of each list; default 20.", least: 1},
		},
		fixed: map[string]any{"deadlineMs": deadline},
		show:  showSymbol,
	},
	{
		name: "recall", title: "Recall", command: "contexture.recall",
		description: "Finds what earlier conversations and stored knowledge say on a subject: decisions and their reasons, rules, lessons, what " +
			"was tried. Call it when the person refers to the past, or before you settle something that may be settled already. With id it " +
			"returns one thing in full that another answer named.",
		properties: []property{
			{name: "query", kind: "string", description: "The subject, in words; with type blame a file or file:line, with how a command, with fix an error's text."},
			{name: "id", kind: "string", description: "Id from another answer, instead of a query.", field: "expand"},
			{
				name: "type", kind: "string", field: "memoryType", values: []string{"any", "decision", "rule", "lesson", "turn", "task", "code", "blame", "how", "fix"},
				description: "Only this; default any. blame: what was stated about a file; how: how a command was run and what came of it; fix: what fixed an error.",
			},
			{name: "budget", kind: "integer", description: "Tokens of the answer; default 2000.", least: 64},
			{name: "conversationId", kind: "string", description: "Only this conversation."},
		},
		show: showRecall,
	},
	{
		name: "remember", title: "Remember", command: "contexture.remember",
		description: "Stores the person's own words for all later conversations, as confirmed. Call it when the person asks to remember " +
			"something or states what holds from now on. Not for your own conclusions, plans or progress. A rule that contradicts an older " +
			"one replaces it.",
		properties: []property{
			{
				name: "kind", kind: "string", required: true, values: []string{"rule", "decision", "lesson", "note"},
				description: "rule: always to be followed; decision: what was settled and why; lesson: what a failure taught; note: anything else.",
			},
			{name: "text", kind: "string", description: "The person's words, complete enough to be understood alone.", required: true},
		},
		show: showRemembered,
	},
	{
		name: "turn", title: "Turn of a conversation", command: "contexture.conversation.turn", reads: true,
		description: "Returns one turn of an earlier conversation. Call it when context, search or recall names a turn whose exact words you need.",
		properties: []property{
			{name: "conversationId", kind: "string", description: "As the other answer has it.", required: true},
			{name: "turnId", kind: "string", description: "Such as T-7.", required: true},
			{
				name: "detail", kind: "string", description: "Default full.", field: "level", values: []string{"full", "short", "brief"},
				translate: map[string]string{"full": "R", "short": "S", "brief": "C"},
			},
		},
		fixed: map[string]any{"pin": false, "level": "R"},
		show:  showTurn,
	},
}

// schema returns the JSON Schema of the tool's arguments.
func (t modelTool) schema() map[string]any {
	properties := map[string]any{}
	required := []string{}
	for _, p := range append(slices.Clone(t.properties), rootProperty) {
		s := map[string]any{"type": p.kind, "description": p.description}
		if p.kind == "array" {
			s["items"] = map[string]any{"type": "string"}
		}
		if p.values != nil {
			s["enum"] = p.values
		}
		if p.least > 0 {
			s["minimum"] = p.least
		}
		properties[p.name] = s
		if p.required {
			required = append(required, p.name)
		}
	}
	out := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// names maps the command's fields to the tool's own names.
func (t modelTool) names() map[string]string {
	out := map[string]string{"workspace": "root"}
	for _, p := range t.properties {
		out[p.name] = p.name
		if p.field != "" {
			out[p.field] = p.name
		}
	}
	return out
}

// run answers a call.
func (s *Server) run(ctx context.Context, t modelTool, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	raw := coerce(t.schema(), true, req.Params.Arguments)
	if t.everywhere {
		if roots := s.rootsOf(raw); len(roots) > 1 {
			return s.runIn(ctx, t, req, raw, roots)
		}
	}
	return s.runOnce(ctx, t, req, raw)
}

// runOnce answers a call that concerns one folder.
func (s *Server) runOnce(ctx context.Context, t modelTool, req *sdk.CallToolRequest, raw json.RawMessage) (*sdk.CallToolResult, error) {
	began := time.Now()
	given, err := s.arguments(ctx, raw)
	if err != nil {
		return failure(err, t.names())
	}
	a := reply{args: maps.Clone(given)}
	_ = json.Unmarshal(given["workspace"], &a.root) // arguments wrote it
	args, err := t.translate(given, a.root)
	names := t.names()
	if field := actFields[a.text("type")]; err == nil && t.command == "contexture.recall" && field != "" {
		t.command, t.show, names[field] = "contexture.act", showAct, "query"
		args, err = actArgs(args, field)
	}
	if err == nil {
		a.raw, err = s.settled(ctx, req, t.command, args)
	}
	if err != nil {
		return failure(err, names)
	}
	text, err := t.show(a)
	if err != nil {
		return nil, fmt.Errorf("%s: read the answer: %w", t.name, err)
	}
	if s.opts.Given != nil && t.reads && a.root != "" {
		s.opts.Given(a.root, text, time.Since(began))
	}
	return textResult(text), nil
}

// translate converts the tool's arguments to the command's.
func (t modelTool) translate(given map[string]json.RawMessage, root string) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for name, value := range t.fixed {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = raw
	}
	for name, value := range given {
		i := slices.IndexFunc(t.properties, func(p property) bool { return p.name == name })
		switch {
		case name == "workspace":
			out[name] = value
			continue
		case i < 0:
			return nil, command.InvalidParams(name, "is unknown; %s takes %s", t.name, t.taken())
		case string(value) == "null":
			continue
		}
		p := t.properties[i]
		if err := p.check(value); err != nil {
			return nil, err
		}
		switch p.field {
		case "":
			out[name] = value
		case "textDocument", "position": // together, below
		default:
			if word, err := strconv.Unquote(string(value)); err == nil && p.translate != nil {
				value = json.RawMessage(strconv.Quote(p.translate[word]))
			}
			out[p.field] = value
		}
	}
	if err := t.complete(given); err != nil {
		return nil, err
	}
	if t.command == "contexture.recall" && out["query"] == nil && out["expand"] == nil {
		return nil, command.InvalidParams("query", "is required, or id instead of it")
	}
	if given["limit"] == nil && slices.Contains(lineModes, string(out["mode"])) {
		out["limit"] = strconv.AppendInt(nil, linesShown, 10)
	}
	if err := where(given, root, out); err != nil || out["prompt"] == nil {
		return out, err
	}
	return out, besidePrompt(out)
}

// complete returns the error of a missing argument that is required.
func (t modelTool) complete(given map[string]json.RawMessage) error {
	for _, p := range t.properties {
		if value := given[p.name]; p.required && (value == nil || string(value) == "null") {
			return command.InvalidParams(p.name, "is required")
		}
	}
	return nil
}

// besidePrompt adds the prompt's tokens to the budget of a bundle, which contains the prompt; the
// answer to a model does not. One over the limit stays, so that it is refused.
func besidePrompt(bundle map[string]json.RawMessage) error {
	count, err := counter()
	if err != nil {
		return err
	}
	var prompt string
	var budget int
	if err := errors.Join(json.Unmarshal(bundle["prompt"], &prompt), json.Unmarshal(bundle["budget"], &budget)); err != nil {
		return err // cannot be: both were checked
	}
	bundle["budget"] = strconv.AppendInt(nil, int64(min(budget+count.Count(prompt), max(budget, mostBudget))), 10)
	return nil
}

// mostBudget is the contract's limit of a bundle's budget.
const mostBudget = 1_000_000

// taken lists the arguments of a tool.
func (t modelTool) taken() string {
	text := ""
	for _, p := range t.properties {
		text += p.name + ", "
	}
	return text + "root"
}

// check validates an argument against its schema, for arguments that the command does not validate
// in the same way.
func (p property) check(value json.RawMessage) error {
	var err error
	switch p.kind {
	case "integer":
		var n int
		if err = json.Unmarshal(value, &n); err == nil && n < p.least {
			return command.InvalidParams(p.name, "must be at least %d", p.least)
		}
	case "array":
		err = json.Unmarshal(value, new([]string))
	case "boolean":
		err = json.Unmarshal(value, new(bool))
	default:
		var text string
		if err = json.Unmarshal(value, &text); err == nil && p.values != nil && !slices.Contains(p.values, text) {
			return command.InvalidParams(p.name, "must be one of %s", list(p.values))
		}
	}
	if err != nil {
		kind := map[string]string{"integer": "a whole number", "array": "a list of strings", "boolean": "true or false"}[p.kind]
		if kind == "" {
			kind = "a string"
		}
		return command.InvalidParams(p.name, "must be %s", kind)
	}
	return nil
}

// where converts the person's cursor location, path and line.
func where(given map[string]json.RawMessage, root string, out map[string]json.RawMessage) (err error) {
	var file string
	var line int
	if out["prompt"] == nil || given["path"] == nil {
		if out["prompt"] != nil && given["line"] != nil {
			return command.InvalidParams("line", "needs the path of its file")
		}
		return nil
	}
	if err := json.Unmarshal(given["path"], &file); err != nil {
		return command.InvalidParams("path", "must be a string")
	}
	uri, ok := fileIn(root, file)
	if !ok {
		return command.InvalidParams("path", "must be absolute, because no project is open")
	}
	if out["textDocument"], err = json.Marshal(map[string]string{"uri": uri}); err != nil || given["line"] == nil {
		return err
	}
	if err := json.Unmarshal(given["line"], &line); err != nil {
		return command.InvalidParams("line", "must be a whole number")
	}
	out["position"], err = json.Marshal(map[string]int{"line": line - 1, "character": 0})
	return err
}

// list joins words: "a, b or c".
func list(words []string) string {
	text := words[0]
	for i, w := range words[1:] {
		if i == len(words)-2 {
			text += " or " + w
		} else {
			text += ", " + w
		}
	}
	return text
}

func number(n int) string { return strconv.Itoa(n) }
