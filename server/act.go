package server

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/history"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/session"
)

// Act implements command.Commands.
func (c lookupCommands) Act(ctx context.Context, args *command.ActArgs) (*command.ActResult, error) {
	if (args.Path == "") == (args.Output+args.Command == "") {
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
	if args.Command != "" && args.Output == "" {
		return ran(ctx, &act, args)
	}
	var list []remember.Reminder
	var file string
	var inside bool
	if args.Path == "" {
		list, err = act.AfterFailure(args.Command, args.Output[max(0, len(args.Output)-command.MostOutput):])
	} else if file, inside = pathBelow(r, args.Path); inside {
		file = path.Clean(filepath.ToSlash(file))
		list, err = beforeEdit(r, &act, file, args.Position)
	}
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	list = list[:min(len(list), args.Limit)]
	out := &command.ActResult{}
	if _, ready := opened(r); !ready && r != nil && args.Path != "" {
		out.Degraded = append(out.Degraded, command.Degradation{
			Stage: "index", Reason: "indexing", Detail: "what names the file without its folder was left out: the index is not open yet",
		})
	}
	for _, t := range list {
		out.Statements = append(out.Statements, statement(t))
	}
	if args.Moved && r != nil {
		out.Degraded = append(out.Degraded, moved(ctx, r.Real, file, list, out.Statements)...)
	}
	return out, ctx.Err()
}

// statement returns what is told as the contract has it.
func statement(t remember.Reminder) command.ActStatement {
	out := command.ActStatement{ID: t.ID, Kind: string(t.Kind), Text: t.Text, Date: t.Date, ConversationID: t.Conversation, Passed: t.Passed, Doubtful: t.Doubtful}
	if t.Turn > 0 {
		out.TurnID = dialogue.TurnID(t.Turn)
	}
	return out
}

// beforeEdit returns what was stated about a file, or about the symbol at a position in it.
func beforeEdit(r *session.RootView, act *remember.Act, file string, at *command.Position) ([]remember.Reminder, error) {
	if !filepath.IsLocal(file) {
		return nil, nil
	}
	if at != nil {
		act.Symbols, act.Others = symbolAt(r, file, at.Line)
	}
	return act.BeforeEdit(file)
}

// mostMoved bounds the commits that are listed since a statement.
const mostMoved = 1000

// moved sets what changed in a file since each statement, by one run of Git, and returns why not.
func moved(ctx context.Context, root, file string, list []remember.Reminder, out []command.ActStatement) []command.Degradation {
	oldest := time.Time{}
	for _, t := range list {
		if !t.At.IsZero() && (oldest.IsZero() || t.At.Before(oldest)) {
			oldest = t.At
		}
	}
	if file == "" || oldest.IsZero() {
		return nil
	}
	touches, err := history.Touched(ctx, root, file, oldest, mostMoved)
	if err != nil && !errors.Is(err, history.ErrNoGit) {
		return []command.Degradation{{Stage: "history", Reason: "error", Detail: err.Error()}}
	}
	for i, t := range list {
		n := 0
		for n < len(touches) && touches[n].At.After(t.At) {
			n++
		}
		if n > 0 && !t.At.IsZero() {
			out[i].Moved = &command.ActMoved{Commits: n, Date: touches[0].At.Format(time.DateOnly), Subject: touches[0].Subject}
		}
	}
	return nil
}

// symbolAt returns the names of the innermost symbol at a line of a file, from 0, and those of the
// file's other symbols; none where the index has none.
func symbolAt(r *session.RootView, file string, line int) (names []string, others map[string]bool) {
	x, ready := opened(r)
	if !ready {
		return nil, nil
	}
	s, release := x.Snapshot()
	defer release()
	number, ok := s.File(file)
	if !ok {
		return nil, nil
	}
	list := s.Symbols().InFile(number)
	others = map[string]bool{}
	for _, y := range list {
		others[y.Name] = true
	}
	for i := len(list) - 1; i >= 0; i-- { // the innermost is the last that has the line
		y := list[i]
		if y.Line > line || y.EndLine < line {
			continue
		}
		delete(others, y.Name)
		if len(names) > 0 {
			continue // it holds the innermost
		}
		if container := strings.TrimLeft(y.Container, "*&"); container != "" {
			names = append(names, container+"."+y.Name)
			delete(others, container)
		}
		if len(s.Symbols().Definitions(y.Name, 2)) == 1 {
			names = append(names, y.Name)
		}
	}
	if names == nil {
		return nil, nil
	}
	return names, others
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
