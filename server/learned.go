package server

import (
	"context"
	"maps"
	"slices"

	"github.com/contexture-dev/contexture/server/command"
)

// sourceLearned is the source of what no file sets but use has taught.
const sourceLearned = "learned"

// LearnedReset implements command.Commands.
func (c commands) LearnedReset(ctx context.Context, args *command.LearnedResetArgs) (*command.LearnedResetResult, error) {
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
		return nil, memoryError(err)
	}
	if len(notes) > 0 {
		c.session.server.foresight.unlearn(rootPath(r))
	}
	return out, nil
}

// learned lists what use has taught of the layers of a root, as settings; nothing where that does not hold, or where
// memory has not been opened.
func (c commands) learned(ctx context.Context, r *rootView) ([]command.Setting, error) {
	set := c.settingsOf(r)
	if c.session.server.memory.opened() == nil || !set.Enabled || !set.Memory.Enabled || !set.Budget.Adaptive {
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
	return out, memoryError(err)
}
