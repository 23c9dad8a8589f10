package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func (s *Server) addPrompts() {
	s.sdk.AddPrompt(&sdk.Prompt{
		Name: "context", Title: "Ask with context", Description: "A prompt together with what the workspace and earlier conversations hold for it.",
		Arguments: []*sdk.PromptArgument{
			{Name: "prompt", Description: "What you want to ask.", Required: true},
			{Name: "budget", Description: "Tokens that it may take in all, from 256; 12000 when left out."},
			{Name: "conversationId", Description: "The conversation that it continues."},
		},
	}, s.context)
}

// context is the prompt whose message is a bundle.
func (s *Server) context(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	args := map[string]any{}
	for name, value := range req.Params.Arguments {
		args[name] = value
	}
	if text, ok := req.Params.Arguments["budget"]; ok {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, invalid("budget: %q is not a number", text)
		}
		args["budget"] = n
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("prompt context: %w", err)
	}
	raw, err = s.opts.Execute(ctx, "contexture.bundle", raw)
	var refused *command.Error
	if errors.As(err, &refused) {
		return nil, invalid("%s", refused.Error())
	}
	if err != nil {
		return nil, err
	}
	var bundle struct {
		Text   string
		Tokens int
	}
	if err := json.Unmarshal(raw, &bundle); err != nil {
		return nil, fmt.Errorf("prompt context: read bundle: %w", err)
	}
	return &sdk.GetPromptResult{
		Description: fmt.Sprintf("%d tokens of context", bundle.Tokens),
		Messages:    []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: bundle.Text}}},
	}, nil
}

func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}
