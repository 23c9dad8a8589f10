package server

import (
	"context"
	"time"

	"github.com/contexture-dev/contexture/memory/work"
	"github.com/contexture-dev/contexture/server/command"
)

// TaskComplete implements command.Commands.
func (c commands) TaskComplete(ctx context.Context, args *command.TaskCompleteArgs) (*command.TaskResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	done := work.Completion{TaskID: args.TaskID, Intent: args.Intent, RequiresContext: args.RequiresContext, At: timeOf(args.At)}
	if v := args.Validation; v != nil {
		done.Validation = &work.Validation{Success: v.Success, Notes: v.Notes}
	}
	t, err := w.CompleteTask(done)
	return taskResult(t, err)
}

// TaskBlock implements command.Commands.
func (c commands) TaskBlock(ctx context.Context, args *command.TaskBlockArgs) (*command.TaskResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	t, err := w.BlockTask(args.TaskID, args.Reason, timeOf(args.At))
	return taskResult(t, err)
}

// TaskUnblock implements command.Commands.
func (c commands) TaskUnblock(ctx context.Context, args *command.TaskUnblockArgs) (*command.TaskResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	t, err := w.UnblockTask(args.TaskID)
	return taskResult(t, named(err, "a blocker of task %q", args.TaskID))
}

func taskResult(t work.Task, err error) (*command.TaskResult, error) {
	if err != nil {
		return nil, memoryError(err)
	}
	return &command.TaskResult{Task: command.Task{
		TaskID: t.ID, State: string(t.State), Intent: t.Intent, Summary: t.Summary, Success: t.Success, Reason: t.Reason, At: wireTime(t.At),
	}}, nil
}

// timeOf is an optional time; the zero time stands for now.
func timeOf(t *command.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

// TaskList implements command.Commands.
func (c commands) TaskList(ctx context.Context, args *command.TaskListArgs) (*command.TaskListResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	completed, blockers, err := v.Tasks(args.Limit)
	if err != nil {
		return nil, memoryError(err)
	}
	out := &command.TaskListResult{}
	for _, t := range completed {
		out.Completed = append(out.Completed, command.CompletedTask{
			TaskID: t.ID, Intent: t.Intent, Summary: t.Summary, Success: t.Success, At: wireTime(t.At),
		})
	}
	for _, t := range blockers {
		out.Blockers = append(out.Blockers, command.Blocker{TaskID: t.ID, Reason: t.Reason, At: wireTime(t.At)})
	}
	return out, nil
}
