package server

import (
	"context"
	"maps"
	"slices"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/session"
)

// Config implements command.Commands. With several roots and none named it lists the settings that
// apply without a root.
func (c indexCommands) Config(ctx context.Context, args *command.Empty) (*command.ConfigResult, error) {
	set := c.View.Settings
	var root *session.RootView
	if args.Workspace != "" || len(c.Roots) == 1 {
		r, err := c.Root(args.Workspace)
		if err != nil {
			return nil, err
		}
		root = r
	}
	if root != nil {
		set = root.Settings
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

// sourceLearned is the source of a value that no file sets but use has taught.
const sourceLearned = "learned"

// LearnedReset implements command.Commands.
func (c indexCommands) LearnedReset(ctx context.Context, args *command.LearnedResetArgs) (*command.LearnedResetResult, error) {
	w, r, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	out := &command.LearnedResetResult{}
	var notes []string
	if args.What != "prediction" {
		out.Reset = append(out.Reset, "budgets")
	}
	if args.What != "budgets" {
		out.Reset = append(out.Reset, "prediction")
		notes = append(notes, predictionNote)
	}
	if err := w.ForgetTaught(args.What != "prediction", notes...); err != nil {
		return nil, engine.MemoryError(err)
	}
	if len(notes) > 0 {
		c.server.predictions.unlearn(rootPath(r))
	}
	return out, nil
}

// learned returns what was learned about the layers of a root, as settings; nothing when adaptive
// budgets are off, or when memory has not been opened.
func (c indexCommands) learned(ctx context.Context, r *session.RootView) ([]command.Setting, error) {
	set := c.settingsOf(r)
	if c.server.MemoryHolder.Opened() == nil || !set.Enabled || !set.Memory.Enabled || !set.Budget.Adaptive {
		return nil, nil
	}
	w, err := c.memoryOf(ctx, r)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	factors, err := v.LayerFactors()
	var out []command.Setting
	for _, layer := range slices.Sorted(maps.Keys(factors)) {
		out = append(out, command.Setting{Key: "budget.learned." + layer, Value: factors[layer], Source: sourceLearned})
	}
	return out, engine.MemoryError(err)
}
