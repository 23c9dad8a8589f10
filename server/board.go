package server

import (
	"context"

	"github.com/contexture-dev/contexture/memory/board"
	"github.com/contexture-dev/contexture/server/command"
)

// BoardList implements command.Commands.
func (c commands) BoardList(ctx context.Context, args *command.BoardListArgs) (*command.BoardListResult, error) {
	talk, err := c.converse(ctx, args.Workspace, args.ConversationID)
	if err != nil {
		return nil, err
	}
	defer talk.close()
	items, err := talk.view.Board(talk.info)
	if err != nil {
		return nil, memoryError(err)
	}
	return &command.BoardListResult{Items: boardItems(items)}, nil
}

// BoardPut implements command.Commands.
func (c commands) BoardPut(ctx context.Context, args *command.BoardPutArgs) (*command.BoardItemResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	item, err := w.PutOnBoard(args.ConversationID, board.New{Type: args.Type, Title: args.Title, Content: args.Content, TTL: args.TTL})
	if err != nil {
		return nil, named(err, "conversation %q", args.ConversationID)
	}
	return &command.BoardItemResult{Item: boardItem(item)}, nil
}

// BoardRemove implements command.Commands.
func (c commands) BoardRemove(ctx context.Context, args *command.BoardRemoveArgs) (*command.Deleted, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	if err := w.RemoveFromBoard(args.ConversationID, args.ID); err != nil {
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
