package server

import (
	"context"
	"time"

	"github.com/contexture-dev/contexture/memory/board"
	"github.com/contexture-dev/contexture/memory/cabinet"
	"github.com/contexture-dev/contexture/memory/work"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
)

// BoardList implements command.Commands.
func (c deskCommands) BoardList(ctx context.Context, args *command.BoardListArgs) (*command.BoardListResult, error) {
	talk, err := c.converse(ctx, args.Workspace, args.ConversationID)
	if err != nil {
		return nil, err
	}
	defer talk.close()
	items, err := talk.view.Board(talk.info)
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	return &command.BoardListResult{Items: boardItems(items)}, nil
}

// BoardPut implements command.Commands.
func (c deskCommands) BoardPut(ctx context.Context, args *command.BoardPutArgs) (*command.BoardItemResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	item, err := w.Desk().PutOnBoard(args.ConversationID, board.New{Type: args.Type, Title: args.Title, Content: args.Content, TTL: args.TTL})
	if err != nil {
		return nil, named(err, "conversation %q", args.ConversationID)
	}
	return &command.BoardItemResult{Item: boardItem(item)}, nil
}

// BoardRemove implements command.Commands.
func (c deskCommands) BoardRemove(ctx context.Context, args *command.BoardRemoveArgs) (*command.Deleted, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	if err := w.Desk().RemoveFromBoard(args.ConversationID, args.ID); err != nil {
		return nil, named(err, "item %q on the board of conversation %q", args.ID, args.ConversationID)
	}
	return &command.Deleted{Deleted: true}, nil
}

func boardItems(items []board.Item) []command.BoardItem {
	out := make([]command.BoardItem, len(items))
	for i, it := range items {
		out[i] = boardItem(it)
	}
	return out
}

func boardItem(it board.Item) command.BoardItem {
	out := command.BoardItem{ID: it.ID, Type: it.Type, Title: it.Title, Content: it.Content}
	if it.ExpiresAfterTurn > 0 {
		out.ExpiresAfterTurn = new(it.ExpiresAfterTurn)
	}
	return out
}

// CabinetPut implements command.Commands.
func (c deskCommands) CabinetPut(ctx context.Context, args *command.CabinetPutArgs) (*command.CabinetPutResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	key, err := w.Desk().PutText(cabinet.New{Title: args.Title, Content: args.Content, Note: args.Note, URI: args.URI})
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	return &command.CabinetPutResult{FileKey: key}, nil
}

// CabinetGet implements command.Commands.
func (c deskCommands) CabinetGet(ctx context.Context, args *command.CabinetKeyArgs) (*command.CabinetGetResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	f, err := w.Desk().Text(args.FileKey)
	if err != nil {
		return nil, named(err, "text %q in the cabinet", args.FileKey)
	}
	return &command.CabinetGetResult{
		FileKey: f.Key, Title: f.Title, Content: f.Content, Note: f.Note, URI: f.URI, SavedAt: command.TimeOf(f.SavedAt), ExpiresAt: command.TimeOf(f.ExpiresAt),
	}, nil
}

// CabinetList implements command.Commands.
func (c deskCommands) CabinetList(ctx context.Context, args *command.Empty) (*command.CabinetListResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	files, err := v.Texts()
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	out := &command.CabinetListResult{}
	for _, f := range files {
		out.Files = append(out.Files, command.CabinetFile{
			FileKey: f.Key, Title: f.Title, Note: f.Note, URI: f.URI, SavedAt: command.TimeOf(f.SavedAt), ExpiresAt: command.TimeOf(f.ExpiresAt),
		})
	}
	return out, nil
}

// CabinetDelete implements command.Commands.
func (c deskCommands) CabinetDelete(ctx context.Context, args *command.CabinetKeyArgs) (*command.Deleted, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	if err := w.Desk().RemoveText(args.FileKey); err != nil {
		return nil, named(err, "text %q in the cabinet", args.FileKey)
	}
	return &command.Deleted{Deleted: true}, nil
}

// TaskComplete implements command.Commands.
func (c deskCommands) TaskComplete(ctx context.Context, args *command.TaskCompleteArgs) (*command.TaskResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	done := work.Completion{TaskID: args.TaskID, Intent: args.Intent, RequiresContext: args.RequiresContext, At: timeOf(args.At)}
	if v := args.Validation; v != nil {
		done.Validation = &work.Validation{Success: v.Success, Notes: v.Notes}
	}
	t, err := w.Desk().CompleteTask(done)
	return taskResult(t, err)
}

// TaskBlock implements command.Commands.
func (c deskCommands) TaskBlock(ctx context.Context, args *command.TaskBlockArgs) (*command.TaskResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	t, err := w.Desk().BlockTask(args.TaskID, args.Reason, timeOf(args.At))
	return taskResult(t, err)
}

// TaskUnblock implements command.Commands.
func (c deskCommands) TaskUnblock(ctx context.Context, args *command.TaskUnblockArgs) (*command.TaskResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	t, err := w.Desk().UnblockTask(args.TaskID)
	return taskResult(t, named(err, "a blocker of task %q", args.TaskID))
}

func taskResult(t work.Task, err error) (*command.TaskResult, error) {
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	return &command.TaskResult{Task: command.Task{
		TaskID: t.ID, State: string(t.State), Intent: t.Intent, Summary: t.Summary, Success: t.Success, Reason: t.Reason, At: command.TimeOf(t.At),
	}}, nil
}

// timeOf returns an optional time; the zero time means the present.
func timeOf(t *command.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.Time
}

// TaskList implements command.Commands.
func (c deskCommands) TaskList(ctx context.Context, args *command.TaskListArgs) (*command.TaskListResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	completed, blockers, err := v.Tasks(args.Limit)
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	out := &command.TaskListResult{}
	for _, t := range completed {
		out.Completed = append(out.Completed, command.CompletedTask{
			TaskID: t.ID, Intent: t.Intent, Summary: t.Summary, Success: t.Success, At: command.TimeOf(t.At),
		})
	}
	for _, t := range blockers {
		out.Blockers = append(out.Blockers, command.Blocker{TaskID: t.ID, Reason: t.Reason, At: command.TimeOf(t.At)})
	}
	return out, nil
}
