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

// ToolName is the name of a command as a tool: models' interfaces admit no dots.
func ToolName(id string) string {
	return strings.ReplaceAll(strings.TrimPrefix(id, command.Prefix), ".", "_")
}

// once are the commands that change something and do no more when they are called again with the same arguments.
var once = []string{
	"contexture.conversation.delete", "contexture.knowledge.delete", "contexture.board.remove", "contexture.cabinet.delete",
	"contexture.task.unblock", "contexture.conversation.turn", "contexture.knowledge.accept",
}

// destroying are the commands that remove something, or replace what was there.
var destroying = []string{
	"contexture.conversation.delete", "contexture.knowledge.delete", "contexture.board.remove", "contexture.cabinet.delete",
	"contexture.knowledge.put", "contexture.knowledge.process", "contexture.task.complete", "contexture.task.unblock",
	"contexture.index.rebuild",
}

// texts are the commands whose result is a text for the model: the text alone is the tool's content, and the rest of the
// result is given as structured content beside it, so that nothing is paid for twice.
var texts = []string{
	"contexture.bundle", "contexture.recall", "contexture.conversation.history", "contexture.conversation.turn",
}

// annotations say truly what a call may do.
func annotations(info command.Info) *sdk.ToolAnnotations {
	no := false
	destroys := slices.Contains(destroying, info.Name)
	return &sdk.ToolAnnotations{
		ReadOnlyHint: info.Writes == "", DestructiveHint: &destroys, OpenWorldHint: &no,
		IdempotentHint: info.Writes == "" || slices.Contains(once, info.Name),
	}
}

// tool describes a command as a tool.
func (c *contract) tool(info command.Info) *sdk.Tool {
	result := c.schema(info.Result)
	if slices.Contains(texts, info.Name) {
		withoutText(result)
	}
	return &sdk.Tool{
		Name: ToolName(info.Name), Title: info.Name, Description: description(info), Annotations: annotations(info),
		InputSchema: c.schema(info.Args), OutputSchema: result,
	}
}

// withoutText takes the member that is the tool's content out of a result's schema.
func withoutText(schema map[string]any) {
	if properties, ok := schema["properties"].(map[string]any); ok {
		delete(properties, "text")
	}
	if required, ok := schema["required"].([]any); ok {
		schema["required"] = slices.DeleteFunc(slices.Clone(required), func(v any) bool { return v == "text" })
	}
}

// description is the command's doc comment without the name of the Go method that it begins with.
func description(info command.Info) string {
	_, rest, _ := strings.Cut(info.Doc, " ")
	if rest == "" {
		return info.Doc
	}
	return strings.ToUpper(rest[:1]) + rest[1:]
}

// call runs a tool. What the server refuses is a result that says so, so that the model can mend its call; only a
// session that is over is an error of the protocol.
func (s *Server) call(ctx context.Context, info command.Info, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	stop := s.progress(ctx, req)
	defer stop()
	raw, err := s.opts.Execute(ctx, info.Name, req.Params.Arguments)
	var refused *command.Error
	switch {
	case errors.As(err, &refused):
		return failure(refused), nil
	case err != nil:
		return nil, err
	}
	if !slices.Contains(texts, info.Name) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(raw)}}, StructuredContent: raw}, nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, fmt.Errorf("%s: read result: %w", info.Name, err)
	}
	var text string
	if t, ok := members["text"]; ok {
		if err := json.Unmarshal(t, &text); err != nil {
			return nil, fmt.Errorf("%s: read text: %w", info.Name, err)
		}
		delete(members, "text")
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, StructuredContent: members}, nil
}

// failure is an error as a model reads it.
func failure(e *command.Error) *sdk.CallToolResult {
	text := e.Error()
	if e.DataCode != "" && e.DataCode != command.DataFailed {
		text = e.DataCode + ": " + text
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}
