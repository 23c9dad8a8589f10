package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// commandTool returns the name of a command's tool: models' interfaces do not allow dots.
func commandTool(id string) string {
	return strings.ReplaceAll(strings.TrimPrefix(id, command.Prefix), ".", "_")
}

// formerNames maps the former names of two default tools, which a list may still use, to the
// current ones.
var formerNames = map[string]string{"bundle": "context", "conversation_turn": "turn"}

// Names of lists of tools.
const (
	DefaultTools = "default"
	AllTools     = "all"
)

// Tools parses which tools to offer: "default", "all", or their names separated by commas. The
// error names a tool that does not exist, and lists those that do.
func Tools(list string) ([]string, error) {
	var standard, all []string
	for _, t := range modelTools {
		standard = append(standard, t.name)
	}
	all = slices.Concat(standard, commandTools())
	switch list = strings.TrimSpace(list); list {
	case "", DefaultTools:
		return standard, nil
	case AllTools:
		return all, nil
	}
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if now, ok := formerNames[name]; ok {
			name = now
		}
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("unknown tool %q; give default, all, or names of %s", name, strings.Join(all, ", "))
		}
		out = append(out, name)
	}
	return out, nil
}

// commandTools returns the names of the commands without a default tool. Commands that follow a
// person's conversations in other programs, and those that share with a team, are excluded: text
// that a model reads may instruct it to call them, and only the person may consent.
func commandTools() (out []string) {
	for _, info := range command.Infos {
		if !info.Personal && !slices.ContainsFunc(modelTools, func(t modelTool) bool { return t.command == info.Name }) {
			out = append(out, commandTool(info.Name))
		}
	}
	return out
}

// annotations describes truthfully what a call may do; reads overrides what the command may do in
// general.
func annotations(info command.Info, reads bool) *sdk.ToolAnnotations {
	no := false
	reads = reads || info.Writes == ""
	destroys := !reads && info.Destructive
	return &sdk.ToolAnnotations{
		ReadOnlyHint: reads, DestructiveHint: &destroys, OpenWorldHint: &no,
		IdempotentHint: reads || info.Idempotent == command.Repeat{Answer: "same"} || info.Once.Answer != "" && info.Once.Field == "",
	}
}

// tool describes a command as a tool. A command that answers with a text has no output schema: if a
// tool has one, hosts pass the model only the structured content.
func (c *contract) tool(info command.Info) *sdk.Tool {
	t := &sdk.Tool{
		Name: commandTool(info.Name), Title: info.Name, Description: description(info), Annotations: annotations(info, false),
		InputSchema: c.input(info.Args),
	}
	if info.Name != historyCommand {
		t.OutputSchema = c.schema(info.Result)
	}
	return t
}

// historyCommand answers with a text, and is not a default tool.
const historyCommand = "contexture.conversation.history"

// description returns the command's doc comment without the name of the Go method with which it
// begins.
func description(info command.Info) string {
	_, rest, _ := strings.Cut(info.Doc, " ")
	if rest == "" {
		return info.Doc
	}
	return strings.ToUpper(rest[:1]) + rest[1:]
}

// runCommand calls a command for its tool, whose arguments have a schema. An error of the server
// becomes a result, so that the model can correct its call; only a session that is over is an error
// of the protocol.
func (s *Server) runCommand(ctx context.Context, info command.Info, schema map[string]any, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	args, err := s.arguments(ctx, coerce(schema, false, req.Params.Arguments))
	var raw json.RawMessage
	if err == nil {
		stop := s.progress(ctx, req)
		raw, err = s.execute(ctx, info.Name, args)
		stop()
	}
	if err != nil {
		return failure(err, nil)
	}
	if info.Name != historyCommand {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(raw)}}, StructuredContent: raw}, nil
	}
	var history struct{ Text string }
	if err := json.Unmarshal(raw, &history); err != nil {
		return nil, fmt.Errorf("%s: read result: %w", info.Name, err)
	}
	var blocks []string
	for _, e := range elements(history.Text) {
		blocks = append(blocks, e.block())
	}
	return textResult(strings.Join(blocks, "\n")), nil
}

// textResult returns a result with a text for the model.
func textResult(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// execute runs a command.
func (s *Server) execute(ctx context.Context, id string, args map[string]json.RawMessage) (json.RawMessage, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	return s.opts.Execute(ctx, id, raw)
}

// arguments parses a call's arguments and replaces the root by the workspace that it means.
func (s *Server) arguments(ctx context.Context, raw json.RawMessage) (map[string]json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, command.InvalidParams("arguments", "must be a JSON object")
		}
	}
	if args == nil { // null
		args = map[string]json.RawMessage{}
	}
	if _, ok := args["workspace"]; ok {
		return nil, command.InvalidParams("root", "names the folder of the project; workspace is unknown")
	}
	var root string
	if value, ok := args["root"]; ok {
		if err := json.Unmarshal(value, &root); err != nil {
			return nil, command.InvalidParams("root", "must be the absolute path of a folder")
		}
		delete(args, "root")
	}
	uri, err := s.opts.Open(ctx, root)
	if err != nil {
		return nil, err
	}
	if uri != "" {
		args["workspace"], err = json.Marshal(uri)
	}
	return args, err
}

// failure formats an error for a model; names are the tool's own names of the contract's fields.
// Errors that are not the server's become errors of the protocol.
func failure(err error, names map[string]string) (*sdk.CallToolResult, error) {
	refused, ok := errors.AsType[*command.Error](err)
	if !ok {
		return nil, err
	}
	text := refused.Message
	if field := refused.Field; field != "" {
		first, rest, _ := strings.Cut(field, ".")
		if name, ok := names[first]; ok {
			field = name
		} else if first == "workspace" {
			field = strings.TrimSuffix("root."+rest, ".")
		}
		text = field + ": " + text
	} else if names == nil && refused.DataCode != "" && refused.DataCode != command.DataFailed {
		text = refused.DataCode + ": " + text
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
}
