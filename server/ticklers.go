package server

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/tickle"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/edit"
)

const (
	// turnsInView is how many of a conversation's newest turns an assistant has before it at least, however long they are;
	// what of a conversation fits a bundle whole, it has too.
	turnsInView = 5
	// indexPatience bounds what a command that is not cut by a deadline waits for an index that is being opened.
	indexPatience = time.Second
)

// Ticklers implements command.Commands.
func (c commands) Ticklers(ctx context.Context, args *command.TicklersArgs) (*command.TicklersResult, error) {
	w, r, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	if err := c.awaitRenames(ctx); err != nil {
		return nil, err
	}
	if err := c.enterPatiently(ctx, r, indexPatience); err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	t, err := reminding(v, args.ConversationID, c.settingsOf(r).Budget.Default)
	if err != nil {
		return nil, memoryError(err)
	}
	var list []tickle.Tickler
	if args.Prompt = c.query(r, args.Prompt); args.Prompt != "" {
		list, err = t.ForPrompt(ctx, intent.Classify(args.Prompt, intent.Context{}), args.Limit)
	} else {
		list, err = c.ticklersAt(ctx, t, r, args)
	}
	if err != nil {
		return nil, memoryError(err)
	}
	out := &command.TicklersResult{}
	for _, k := range list {
		out.Ticklers = append(out.Ticklers, c.tickler(k, r))
	}
	return out, nil
}

// reminding looks for reminders in a conversation whose bundles have a budget, or in none; one that does not exist yet is
// fine.
func reminding(v *memory.View, id string, budget int) (*remember.Ticklers, error) {
	t := &remember.Ticklers{View: v}
	if id == "" {
		return t, nil
	}
	info, err := v.Find(id)
	if errors.Is(err, conversation.ErrNotFound) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	sizes, err := v.Sizes(info)
	t.Mine, t.InView = info, remember.NewestInView(info.Turns, max(turnsInView, remember.WholeTurns(sizes, budget)))
	return t, err
}

// ticklersAt finds what the place reminds of.
func (c commands) ticklersAt(ctx context.Context, t *remember.Ticklers, r *rootView, args *command.TicklersArgs) ([]tickle.Tickler, error) {
	s, err := c.spot(ctx, r, args.TextDocument.URI)
	if err != nil || s == nil {
		return nil, err
	}
	offset := func(p command.Position) int {
		return c.session.encoding.OffsetAt(s.text, edit.Position{Line: p.Line, Character: p.Character})
	}
	place := s.place()
	if args.Range != nil {
		from, to := offset(args.Range.Start), offset(args.Range.End)
		place.Symbols = s.between(min(from, to), max(from, to))
	} else {
		place.Symbols = s.at(offset(*args.Position))
	}
	return t.ForPlace(place, args.Limit, false)
}

// tickler converts one tickler; paths become URIs.
func (c commands) tickler(k tickle.Tickler, r *rootView) command.Tickler {
	out := command.Tickler{
		ID: k.ID, Title: k.Title, Date: k.Date, Summary: k.Summary, Text: k.Text, ConversationID: k.ConversationID,
		TurnID: dialogue.TurnID(k.Turn), Score: k.Score, Symbols: k.Symbols, Retrieve: c.retrieve(k, r),
	}
	spelling := spellings(r)
	for _, p := range k.Paths {
		if p = spelling(path.Clean(p)); r != nil && !path.IsAbs(p) && p != ".." && !strings.HasPrefix(p, "../") {
			out.URIs = append(out.URIs, fileURI(r.path+"/"+p))
		}
	}
	return out
}

// spellings gives what turns a path as memory has it, in NFC, into that of the file on disk.
func spellings(r *rootView) func(path string) string {
	if r != nil && r.opening != nil {
		if x, err := r.opening.now(); err == nil && x != nil {
			return func(path string) string {
				s, release := x.Snapshot()
				defer release()
				return s.Spelling(path)
			}
		}
	}
	return func(path string) string { return path }
}

// retrieve is the call that fetches a tickler's turn. It names the workspace where one must be named.
func (v *view) retrieve(k tickle.Tickler, r *rootView) command.Call {
	workspace := ""
	if r != nil && len(v.roots) > 1 {
		workspace = fileURI(r.path)
	}
	return command.Call{Command: tickle.Command, Arguments: []any{remember.Call(k, workspace)}}
}
