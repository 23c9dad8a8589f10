package server

import (
	"context"

	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/server/command"
)

// IndexWhy implements command.Commands.
func (c commands) IndexWhy(ctx context.Context, args *command.WhyArgs) (*command.WhyResult, error) {
	r, err := c.root(args.Workspace)
	if err != nil {
		return nil, err
	}
	path, ok := filePath(args.TextDocument.URI)
	if !ok && !isUntitled(args.TextDocument.URI) {
		return nil, command.InvalidParams("textDocument.uri", "must be a file: URI of this machine")
	}
	if !ok || r == nil {
		return outside(), nil
	}
	x, err := r.opening.wait(ctx)
	if err != nil {
		return nil, err
	}
	if x == nil {
		return nil, ctx.Err()
	}
	if err := c.slot.take(ctx, c.slot.class); err != nil {
		return nil, err
	}
	rel, ok := x.Tree().Rel(path)
	if !ok {
		return outside(), nil
	}
	return whyResult(x.Tree().Decide(rel)), nil
}

// outside is the answer for what lies in no root.
func outside() *command.WhyResult {
	return &command.WhyResult{Rule: "the file lies outside the workspace", Source: builtIn}
}

// builtIn is the contract's name for rules that stand in no file.
const builtIn = "builtin"

func whyResult(d source.Decision) *command.WhyResult {
	out := &command.WhyResult{Indexed: d.Indexed}
	switch {
	case d.Rule != nil:
		out.Rule, out.Source, out.Line = d.Rule.Pattern, d.Rule.Source, d.Rule.Line
		if out.Source == "built-in" {
			out.Source = builtIn
		}
	case d.Reason != source.Indexed:
		out.Rule, out.Source = string(d.Reason), builtIn
	}
	return out
}
