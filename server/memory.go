package server

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/board"
	"github.com/contexture-dev/contexture/memory/cabinet"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/usage"
	"github.com/contexture-dev/contexture/memory/work"
	"github.com/contexture-dev/contexture/server/command"
)

// memoryFolder is the memory's place in the state directory.
const memoryFolder = "memory"

// memoryHolder opens the memory when it is first wanted, and again when that failed: who held it may have left. Opening
// is done by a goroutine of its own, so that nobody waits longer for it than they have time; close waits for it. Safe
// for concurrent use.
type memoryHolder struct {
	open func(ctx context.Context) (*memory.Memory, error)

	mu      sync.Mutex // guards all below
	memory  *memory.Memory
	opening chan struct{} // closed when the opening under way has ended; nil while there is none
	failed  error         // of the last opening
	ended   bool
}

func newMemoryHolder(opts Options, counter *tokens.Counter, writer func(root string) memory.Writer, redact func(root, text string) string,
	relative func(root, uri string) (path string, ok bool),
) *memoryHolder {
	return &memoryHolder{open: func(ctx context.Context) (*memory.Memory, error) {
		return memory.Open(ctx, memory.Options{
			Dir: filepath.Join(opts.StateDir, memoryFolder), Log: opts.Logger, Now: opts.Now, Count: counter.Count,
			Encoding: string(counter.Encoding()),
			Familiar: counter.Familiarity,
			Terms:    terms,
			Block:    turnElement,
			Writer:   writer,
			Redact:   redact,
			Relative: relative,
		})
	}}
}

// retryPatience is what a command with a deadline waits for the memory when opening it has failed before.
const retryPatience = 100 * time.Millisecond

// get gives the memory. Where ctx ends before it is open, the error is that of the last attempt, if there was one.
func (h *memoryHolder) get(ctx context.Context) (*memory.Memory, error) {
	h.mu.Lock()
	if h.ended {
		h.mu.Unlock()
		return nil, errors.New("the server is closing")
	}
	if m := h.memory; m != nil {
		h.mu.Unlock()
		return m, nil
	}
	if h.opening == nil {
		h.opening = make(chan struct{})
		go h.run(context.WithoutCancel(ctx), h.opening) // it is everybody's, not this request's
	}
	opening, before := h.opening, h.failed
	h.mu.Unlock()
	if _, bounded := ctx.Deadline(); bounded && before != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, retryPatience)
		defer cancel()
	}
	select {
	case <-opening:
	case <-ctx.Done():
		if before != nil && !errors.Is(ctx.Err(), context.Canceled) {
			return nil, before
		}
		return nil, fmt.Errorf("memory is being opened: %w", ctx.Err())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.memory == nil {
		return nil, h.failed
	}
	return h.memory, nil
}

// await waits for a memory that has not been opened yet; one that could not be is for those who need it to try again.
func (h *memoryHolder) await(ctx context.Context) {
	h.mu.Lock()
	settled := h.memory != nil || h.failed != nil
	h.mu.Unlock()
	if !settled {
		_, _ = h.get(ctx)
	}
}

// run opens the memory and tells those who wait.
func (h *memoryHolder) run(ctx context.Context, opening chan struct{}) {
	m, err := h.open(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.memory, h.failed, h.opening = m, err, nil
	close(opening)
}

// opened gives the memory if it is open.
func (h *memoryHolder) opened() *memory.Memory {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.memory
}

// chatCame has the memory ask a chat model about what it laid aside for want of one.
func (h *memoryHolder) chatCame() {
	if m := h.opened(); m != nil {
		m.ChatCame()
	}
}

func (h *memoryHolder) close() error {
	h.mu.Lock()
	h.ended = true
	opening := h.opening
	h.mu.Unlock()
	if opening != nil {
		<-opening
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.memory == nil {
		return nil
	}
	return h.memory.Close()
}

// remembered gives the memory of the workspace that a command concerns.
func (c commands) remembered(ctx context.Context, workspace string) (*memory.Workspace, *rootView, error) {
	r, err := c.root(workspace)
	if err != nil {
		return nil, nil, err
	}
	w, err := c.memoryOf(ctx, r)
	return w, r, err
}

func (c commands) memoryOf(ctx context.Context, r *rootView) (*memory.Workspace, error) {
	set := c.settingsOf(r)
	if !set.Enabled || !set.Memory.Enabled {
		return nil, command.Unavailable("memory, by the settings enabled and memory.enabled,")
	}
	m, err := c.session.server.memory.get(ctx)
	if err != nil {
		return nil, memoryError(err)
	}
	if r == nil {
		w, err := m.Workspace(ctx, "")
		return w, memoryError(err)
	}
	r.opening.models().use()
	w, err := m.Workspace(ctx, r.home, r.real, r.path)
	return w, memoryError(err)
}

// memoryError turns an error of memory into the contract's; one that is an answer already stays.
func memoryError(err error) error {
	var answer *command.Error
	var corrupt *store.CorruptError
	var locked *store.LockedError
	var newer *store.NewerError
	switch {
	case err == nil || errors.As(err, &answer):
		return err
	case errors.As(err, &corrupt):
		return command.Corrupt(err)
	case errors.As(err, &locked), errors.As(err, &newer):
		return command.Failed(err)
	}
	return err
}

// named turns the errors of what a command named into the contract's: what is its name for a person, `conversation
// "c1"`.
func named(err error, format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	for _, missing := range []error{
		conversation.ErrNotFound, knowledge.ErrNotFound, board.ErrNotFound, cabinet.ErrNotFound, work.ErrNotFound, usage.ErrNotFound,
	} {
		if errors.Is(err, missing) {
			return command.NotFound(what)
		}
	}
	return memoryError(err)
}

// measureMemory sums what is remembered of the roots, or of sessions without one. A memory that nobody has opened yet
// is not opened for it.
func (c commands) measureMemory(ctx context.Context, roots []rootView, out *command.MemoryMetrics) error {
	m := c.session.server.memory.opened()
	if m == nil {
		return nil
	}
	names := []string{""}
	if len(roots) > 0 {
		names = names[:0]
		for _, r := range roots {
			if !slices.Contains(names, r.home) {
				names = append(names, r.home)
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
