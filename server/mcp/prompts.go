package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addPrompts adds the prompts; bundle is the schema of a bundle's arguments.
func (s *Server) addPrompts(bundle map[string]any) {
	s.sdk.AddPrompt(&sdk.Prompt{
		Name: "context", Title: "Ask with context", Description: "Your request together with what the project and earlier conversations hold for it.",
		Arguments: []*sdk.PromptArgument{
			{Name: "prompt", Description: "What you want to ask.", Required: true},
			{Name: "budget", Description: "Tokens that it may take in all, from 256; 12000 by default."},
			{Name: "conversationId", Description: "The conversation that it continues, if it is stored here."},
		},
	}, func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return s.context(ctx, bundle, req)
	})
}

// context returns the prompt whose message is a bundle. The protocol has strings for all arguments
// of a prompt.
func (s *Server) context(ctx context.Context, bundle map[string]any, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	args := map[string]any{}
	for name, value := range req.Params.Arguments {
		args[name] = value
	}
	uri, err := s.opts.Open(ctx, "")
	if err != nil {
		return nil, err
	}
	if uri != "" {
		args["workspace"] = uri
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("prompt context: %w", err)
	}
	raw, err = s.opts.Execute(ctx, "contexture.bundle", coerce(bundle, false, raw))
	var refused *command.Error
	if errors.As(err, &refused) {
		return nil, invalid("%s", refused.Error())
	}
	if err != nil {
		return nil, err
	}
	var made struct{ Text string }
	if err := json.Unmarshal(raw, &made); err != nil {
		return nil, fmt.Errorf("prompt context: read bundle: %w", err)
	}
	var blocks []string
	for _, e := range elements(made.Text) {
		if e.name != "ctx-prompt" {
			blocks = append(blocks, e.block())
		}
	}
	text := strings.Join(append(blocks, req.Params.Arguments["prompt"]), "\n")
	return &sdk.GetPromptResult{
		Description: "Your request with what the project and earlier conversations hold for it",
		Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}},
	}, nil
}

func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}
