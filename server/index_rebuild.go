package server

import (
	"context"

	"github.com/contexture-dev/contexture/server/command"
)

// IndexRebuild implements command.Commands. The answer is the status once the rebuild is on its way.
func (c commands) IndexRebuild(ctx context.Context, args *command.RebuildArgs) (*command.IndexStatusResult, error) {
	r, err := c.root(args.Workspace)
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, command.Unavailable("an index without a workspace")
	}
	x, err := r.opening.wait(ctx)
	if err != nil {
		return nil, err
	}
	if x == nil {
		return nil, ctx.Err()
	}
	x.Rebuild(args.What == "embeddings")
	out := statusResult(x.Status())
	out.Workspace = r.uri
	return out, nil
}
