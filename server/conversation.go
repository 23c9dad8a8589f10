package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/server/capture"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/hosts"
	"github.com/contexture-dev/contexture/server/session"
)

// ConversationAppend implements command.Commands. Appends in quick succession are prepared
// concurrently, placed in their order, staged together, and wait for the disk at the same time.
func (c conversationCommands) ConversationAppend(ctx context.Context, args *command.AppendArgs) (*command.AppendResult, error) {
	w, r, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	add := memory.Addition{Conversation: args.ConversationID, Title: args.Title, Learn: c.settingsOf(r).Memory.Learn}
	for _, m := range args.Messages {
		add.Messages = append(add.Messages, messageOf(m))
	}
	if err := c.slot.Take(ctx); err != nil {
		return nil, err
	}
	p, err := w.Prepare(add)
	c.slot.Give() // the rest waits for other appends, and for the disk
	if err != nil {
		return nil, inputError(err)
	}
	if err := c.ticket.Wait(ctx, session.Placed); err != nil {
		p.Drop()
		return nil, err
	}
	p.Place()
	c.ticket.Reach(session.Placed)
	p.Stage()
	c.ticket.Reach(session.Visible)
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

// inputError is MemoryError for commands whose arguments memory checks beyond the rules of their
// types.
func inputError(err error) error {
	if invalid, ok := errors.AsType[*conversation.InvalidError](err); ok {
		return command.InvalidParams(invalid.Field, "%s", invalid.Reason)
	}
	return engine.MemoryError(err)
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
func (c conversationCommands) ConversationFork(ctx context.Context, args *command.ForkArgs) (*command.ForkResult, error) {
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

// ConversationDelete implements command.Commands.
func (c conversationCommands) ConversationDelete(ctx context.Context, args *command.ConversationDeleteArgs) (*command.Deleted, error) {
	w, r, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	v := w.View() // before it is forgotten
	gone, err := withConversation(ctx, v, c.server.Options.StateDir, rootsOf(r), args.ConversationID)
	v.Close()
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	if args.Wipe {
		err = w.ForgetConversation(ctx, args.ConversationID)
	} else {
		err = w.Delete(args.ConversationID)
	}
	if err != nil {
		return nil, named(err, "conversation %q", args.ConversationID)
	}
	if err := hosts.RemoveGiven(c.server.Options.StateDir, gone); err != nil {
		return nil, err
	}
	return &command.Deleted{Deleted: true}, nil
}

// listHits bounds the messages that a query of a list of conversations examines.
const listHits = 1000

// ConversationList implements command.Commands.
func (c conversationCommands) ConversationList(ctx context.Context, args *command.ListArgs) (*command.ListResult, error) {
	w, r, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	if args.Source != "" && !capture.IsSource(args.Source) {
		return nil, command.InvalidParams("source", "%q is not one of %s", args.Source, strings.Join(capture.Sources(), ", "))
	}
	v := w.View()
	defer v.Close()
	if args.ForkOf != "" {
		if _, err := v.Conversations.Find(args.ForkOf); err != nil {
			return nil, named(err, "conversation %q", args.ForkOf)
		}
	}
	keep, err := listFilter(ctx, v, args, c.Query(r, args.Query))
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	page, next, err := v.Conversations.Select(args.Limit, args.Before, keep)
	if err != nil {
		return nil, inputError(err)
	}
	out := &command.ListResult{Next: next}
	for _, info := range page {
		line, err := conversationLine(v, info)
		if err != nil {
			return nil, engine.MemoryError(err)
		}
		out.Conversations = append(out.Conversations, line)
	}
	return out, nil
}

func conversationLine(v *memory.View, info conversation.Info) (command.Conversation, error) {
	origin, err := originOf(v, info)
	return command.Conversation{
		ID: info.ID, Title: info.Title, TurnCount: info.Turns, MessageCount: info.Messages, StartedAt: command.TimeOf(info.StartedAt), LastAt: command.TimeOf(info.LastAt),
		Source: captureSource(info.ID), ForkOf: origin,
	}, err
}

// listFilter returns the filter of a list, nil when it lists everything.
func listFilter(ctx context.Context, v *memory.View, args *command.ListArgs, query string) (func(conversation.Info) (bool, error), error) {
	if query == "" && args.Source == "" && args.ForkOf == "" {
		return nil, nil
	}
	var found foundMessages
	words := strings.Fields(strings.ToLower(query))
	if len(words) > 0 {
		var err error
		if found, err = findMessages(ctx, v, query); err != nil {
			return nil, err
		}
	}
	return func(info conversation.Info) (bool, error) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if args.Source != "" && captureSource(info.ID) != args.Source {
			return false, nil
		}
		if len(words) > 0 && !hasWords(info.Title, words) && !found.in(info) {
			return false, nil
		}
		if args.ForkOf == "" {
			return true, nil
		}
		origin, ok, err := v.Conversations.Origin(info)
		return ok && origin.ID == args.ForkOf, err
	}, nil
}

// hasWords reports whether a title has all given words, which must be in lower case.
func hasWords(title string, words []string) bool {
	title = strings.ToLower(title)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(title, w) })
}

// foundMessages holds the messages that match a query, by the number of the conversation under
// which they are stored. Forks share them, so that a number alone does not determine the
// conversations that have one.
type foundMessages map[uint32][]int

// in reports whether a conversation, including its shared past, has one of the messages.
func (f foundMessages) in(info conversation.Info) bool {
	for _, s := range info.Spans() {
		if slices.ContainsFunc(f[uint32(s.Conversation)], func(index int) bool { return index >= s.From && index < s.To }) {
			return true
		}
	}
	return false
}

// findMessages returns the messages with all terms of a query or, if it has none, with its text.
func findMessages(ctx context.Context, v *memory.View, query string) (foundMessages, error) {
	hits, err := searchMessages(ctx, v, query, listHits)
	if err != nil {
		return nil, err
	}
	needed := map[string]bool{}
	engine.Terms(query, func(term string) { needed[term] = true })
	out := foundMessages{}
	for _, h := range hits {
		has := len(needed) == 0
		if !has {
			_, places, err := v.Messages.Places(h.Conversation, h.Message, h.Message+1)
			if err != nil {
				return nil, err
			}
			for _, p := range places {
				has = has || hasTermsOf(&p.Message, needed)
			}
		}
		if has {
			out[h.Conversation] = append(out[h.Conversation], h.Message)
		}
	}
	return out, nil
}

// hasTermsOf reports whether a message has all given terms: in its text, in the names that it came
// with, or in the arguments and results of tools.
func hasTermsOf(m *dialogue.Message, needed map[string]bool) bool {
	seen := map[string]bool{}
	read := func(text string) bool {
		engine.Terms(text, func(term string) {
			if needed[term] {
				seen[term] = true
			}
		})
		return len(seen) == len(needed)
	}
	if read(m.Content) || slices.ContainsFunc(m.Symbols, read) || slices.ContainsFunc(m.URIs, read) {
		return true
	}
	return slices.ContainsFunc(m.ToolCalls, func(c dialogue.ToolCall) bool {
		return read(c.Name) || read(string(c.Arguments)) || read(string(c.Result))
	})
}
