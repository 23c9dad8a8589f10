package server

import (
	"context"
	"path"
	"path/filepath"
	"time"

	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/session"
)

// Act implements command.Commands.
func (c commands) Act(ctx context.Context, args *command.ActArgs) (*command.ActResult, error) {
	if given := args.Path + args.Output + args.Command; given == "" || given != args.Path && given != args.Output && given != args.Command {
		return nil, command.InvalidParams("path", "is required unless output or command is given, and not beside them")
	}
	w, r, err := c.remembered(ctx, args.Workspace)
	if err != nil {
		return nil, err
	}
	if err := c.enterPatiently(ctx, r, time.Duration(args.DeadlineMS)*time.Millisecond); err != nil {
		return nil, err
	}
	v := w.View()
	defer v.Close()
	act := remember.Act{View: v, Mine: args.ConversationID, Alone: alone(r)}
	if args.Command != "" {
		return ran(ctx, &act, args)
	}
	var list []remember.Told
	if args.Path != "" {
		file, inside := pathBelow(r, args.Path)
		if file = path.Clean(filepath.ToSlash(file)); !inside || !filepath.IsLocal(file) {
			return &command.ActResult{}, nil
		}
		list, err = act.BeforeEdit(file)
	} else {
		list, err = act.AfterFailure(args.Output[max(0, len(args.Output)-command.MostOutput):])
	}
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	out := &command.ActResult{}
	if _, ready := opened(r); !ready && r != nil && args.Path != "" {
		out.Degraded = append(out.Degraded, command.Degradation{
			Stage: "index", Reason: "indexing", Detail: "what names the file without its folder was left out: the index is not open yet",
		})
	}
	for _, t := range list[:min(len(list), args.Limit)] {
		one := command.ActStatement{ID: t.ID, Kind: string(t.Kind), Text: t.Text, Date: t.Date, ConversationID: t.Conversation}
		if t.Turn > 0 {
			one.TurnID = dialogue.TurnID(t.Turn)
		}
		out.Statements = append(out.Statements, one)
	}
	return out, ctx.Err()
}

// ran answers how a command was run.
func ran(ctx context.Context, act *remember.Act, args *command.ActArgs) (*command.ActResult, error) {
	list, more, err := act.How(ctx, args.Command, args.Limit)
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	out := &command.ActResult{MoreRuns: more}
	for _, h := range list {
		one := command.ActRun{
			Command: h.Line, Folder: h.Folder, Times: h.Times, Failures: h.Failures, Outcome: string(h.Outcome), Failure: h.Failure,
			ConversationID: h.Last.Conversation, TurnID: dialogue.TurnID(h.Last.Turn),
		}
		if !h.Last.At.IsZero() {
			one.Date = h.Last.At.UTC().Format(time.DateOnly)
		}
		if p := h.Passed; p != nil {
			one.Passed = &command.ActPassed{Command: p.Line, ConversationID: p.Conversation, TurnID: dialogue.TurnID(p.Turn)}
		}
		out.Runs = append(out.Runs, one)
	}
	return out, ctx.Err()
}

// alone returns a function that reports whether no other file of the workspace has a file's name;
// while its index is not open, none is known to be alone.
func alone(r *session.RootView) func(file string) bool {
	seen := map[string]bool{}
	return func(file string) bool {
		if only, known := seen[file]; known {
			return only
		}
		x, ready := opened(r)
		if !ready {
			return false
		}
		s, release := x.Snapshot()
		defer release()
		only := true
		s.Paths(func(_ int, p string) {
			only = only && (p == file || path.Base(p) != path.Base(file))
		})
		seen[file] = only
		return only
	}
}

// opened returns the index of a workspace if it is open.
func opened(r *session.RootView) (x *indexer.Index, ready bool) {
	if r == nil || r.Opening == nil {
		return nil, false
	}
	x, err := r.Opening.Now()
	return x, err == nil && x != nil
}
