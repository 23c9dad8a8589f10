package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/server/command"
)

// ConversationAppend implements command.Commands. Appends that were sent one after the other are prepared beside each
// other, placed in their order, staged together, and wait for the disk at the same time.
func (c commands) ConversationAppend(ctx context.Context, args *command.AppendArgs) (*command.AppendResult, error) {
	w, r, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	add := memory.Addition{Conversation: args.ConversationID, Title: args.Title, Learn: c.settingsOf(r).Memory.Learn}
	for _, m := range args.Messages {
		add.Messages = append(add.Messages, messageOf(m))
	}
	if err := c.slot.take(ctx, c.slot.class); err != nil {
		return nil, err
	}
	p, err := w.Prepare(add)
	c.slot.give() // what follows waits for other appends, and for the disk
	if err != nil {
		return nil, inputError(err)
	}
	if err := c.ticket.wait(ctx, placed); err != nil {
		p.Drop()
		return nil, err
	}
	p.Place()
	c.ticket.reach(placed)
	p.Stage()
	c.ticket.reach(visible)
	done, err := p.Wait()
	if err != nil {
		return nil, inputError(err)
	}
	out := &command.AppendResult{MessageCount: done.Messages, TurnCount: done.Count, Duplicates: done.Duplicates}
	for _, n := range done.Turns {
		out.TurnIDs = append(out.TurnIDs, dialogue.TurnID(n))
	}
	return out, nil
}

// inputError is memoryError for commands whose arguments memory checks beyond what their types say.
func inputError(err error) error {
	if invalid, ok := errors.AsType[*conversation.InvalidError](err); ok {
		return command.InvalidParams(invalid.Field, "%s", invalid.Reason)
	}
	return memoryError(err)
}

func messageOf(m command.Message) dialogue.Message {
	out := dialogue.Message{
		Role: dialogue.Role(m.Role), Content: m.Content, ID: m.ID, Author: m.Author, Reasoning: m.Reasoning, URIs: m.URIs, Symbols: m.Symbols,
	}
	if m.At != nil {
		out.At = m.At.Time
	}
	for _, t := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, dialogue.ToolCall(t))
	}
	return out
}

// ConversationFork implements command.Commands.
func (c commands) ConversationFork(ctx context.Context, args *command.ForkArgs) (*command.ForkResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	at, err := dialogue.ParseTurn(args.AtTurn)
	if err != nil {
		return nil, command.InvalidParams("atTurn", "%v", err)
	}
	info, err := w.Fork(args.ConversationID, at, args.NewConversationID)
	if err != nil {
		if errors.Is(err, conversation.ErrExists) {
			return nil, command.Exists(conversationName(args.NewConversationID))
		}
		return nil, named(err, "conversation %q with turn %s", args.ConversationID, dialogue.TurnID(at))
	}
	return &command.ForkResult{ConversationID: info.ID, TurnCount: info.Turns}, nil
}

func conversationName(id string) string { return fmt.Sprintf("conversation %q", id) }

// ConversationList implements command.Commands.
func (c commands) ConversationList(ctx context.Context, args *command.ListArgs) (*command.ListResult, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	page, next, err := v.List(args.Limit, args.Before)
	if err != nil {
		return nil, inputError(err)
	}
	out := &command.ListResult{Next: next}
	for _, info := range page {
		out.Conversations = append(out.Conversations, conversationLine(info))
	}
	return out, nil
}

func conversationLine(info conversation.Info) command.Conversation {
	return command.Conversation{
		ID: info.ID, Title: info.Title, TurnCount: info.Turns, MessageCount: info.Messages, StartedAt: wireTime(info.StartedAt), LastAt: wireTime(info.LastAt),
	}
}

// wireTime keeps a time within what the wire can say; the years of imported messages are anybody's.
func wireTime(t time.Time) command.Time {
	switch y := t.UTC().Year(); {
	case t.IsZero():
		return command.Time{}
	case y < 0:
		return command.At(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC))
	case y > 9999:
		return command.At(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC))
	}
	return command.At(t)
}

// ConversationDelete implements command.Commands.
func (c commands) ConversationDelete(ctx context.Context, args *command.ConversationDeleteArgs) (*command.Deleted, error) {
	w, _, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	if err := w.Delete(args.ConversationID); err != nil {
		return nil, named(err, "conversation %q", args.ConversationID)
	}
	return &command.Deleted{Deleted: true}, nil
}
