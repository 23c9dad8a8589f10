package server

import (
	"context"

	"github.com/contexture-dev/contexture/server/command"
)

// Config implements command.Commands. With several roots and none named it lists what holds where no root is
// concerned.
func (c commands) Config(ctx context.Context, args *command.Empty) (*command.ConfigResult, error) {
	set := c.view.settings
	var root *rootView
	if args.Workspace != "" || len(c.roots) == 1 {
		r, err := c.root(args.Workspace)
		if err != nil {
			return nil, err
		}
		root = r
	}
	if root != nil {
		set = root.settings
	}
	out := &command.ConfigResult{}
	for _, e := range set.Explain() {
		out.Settings = append(out.Settings, command.Setting{Key: e.Key, Value: e.Value, Source: e.Source})
	}
	learned, err := c.learned(ctx, root)
	if err != nil {
		return nil, err
	}
	out.Settings = append(out.Settings, learned...)
	return out, nil
}
