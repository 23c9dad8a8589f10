package server

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/board"
	"github.com/contexture-dev/contexture/memory/cabinet"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/usage"
	"github.com/contexture-dev/contexture/memory/work"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/session"
)

// remembered returns the memory of the workspace that a command concerns.
func (c *call) remembered(ctx context.Context, workspace string) (*memory.Workspace, *session.RootView, error) {
	r, err := c.Root(workspace)
	if err != nil {
		return nil, nil, err
	}
	w, err := c.memoryOf(ctx, r)
	return w, r, err
}

func (c *call) memoryOf(ctx context.Context, r *session.RootView) (*memory.Workspace, error) {
	set := c.settingsOf(r)
	if !set.Enabled || !set.Memory.Enabled {
		return nil, command.Unavailable("memory, by the settings enabled and memory.enabled,")
	}
	m, err := c.server.MemoryHolder.Get(ctx)
	if err != nil {
		return nil, engine.MemoryError(err)
	}
	if r == nil {
		w, err := m.Workspace(ctx, "")
		return w, engine.MemoryError(err)
	}
	r.Opening.ModelServer().Use()
	w, err := m.Workspace(ctx, r.Home, r.Real, r.Path)
	return w, engine.MemoryError(err)
}

// named converts errors about something that a command named into the contract's: format and args
// are its name for a person, `conversation "c1"`.
func named(err error, format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	for _, missing := range []error{
		conversation.ErrNotFound, knowledge.ErrNotFound, board.ErrNotFound, cabinet.ErrNotFound, work.ErrNotFound, usage.ErrNotFound,
	} {
		if errors.Is(err, missing) {
			return command.NotFound(what)
		}
	}
	return engine.MemoryError(err)
}

// measureMemory sums what is stored for the roots, or for sessions without one. It does not open a
// memory.
func (c *call) measureMemory(ctx context.Context, roots []session.RootView, out *command.MemoryMetrics) error {
	m := c.server.MemoryHolder.Opened()
	if m == nil {
		return nil
	}
	names := []string{""}
	if len(roots) > 0 {
		names = names[:0]
		for _, r := range roots {
			if !slices.Contains(names, r.Home) {
				names = append(names, r.Home)
			}
		}
	}
	for _, name := range names {
		w, err := m.Workspace(ctx, name)
		if err != nil {
			return err
		}
		v := w.View()
		s, err := v.Stats()
		v.Close()
		if err != nil {
			return err
		}
		out.Conversations += int64(s.Conversations)
		out.Turns += int64(s.Turns)
		out.Messages += int64(s.Messages)
		out.Knowledge += int64(s.Rules + s.Lessons + s.References)
		out.QueueDepth += int64(s.Pending)
		out.KnowledgeVersion = max(out.KnowledgeVersion, s.Version)
		out.Bytes = s.Bytes
	}
	return nil
}
