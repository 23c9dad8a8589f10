package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/context/tokens"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/server/command"
)

// Memory opens the memory of a root without a session. It belongs to the engine, which closes it.
// Errors are answers of the contract: they name the folder and what to do.
func (v *Engine) Memory(ctx context.Context, root string) (*memory.Workspace, error) {
	m, err := v.MemoryHolder.Get(ctx)
	if err != nil {
		return nil, MemoryError(err)
	}
	set, _ := v.Settings(root, SessionOptions{})
	real, home := v.Roots.Of(root), v.Roots.Home(root)
	v.Scanners.StandIn(home, v.Scanners.Of(set.Secrets.Allow))
	w, err := m.Workspace(ctx, home, real, root)
	if err == nil {
		err = m.Joined(ctx)
	}
	return w, MemoryError(err)
}

// memoryFolder is the memory's folder in the state directory.
const memoryFolder = "memory"

// MemoryHolder opens the memory on first use, and again if that failed, since another process may
// have held it. A goroutine of its own opens it, so that no caller waits longer than its own
// deadline; close waits for it. Safe for concurrent use.
type MemoryHolder struct {
	open func(ctx context.Context) (*memory.Memory, error)

	mu      sync.Mutex // guards all below
	memory  *memory.Memory
	opening chan struct{} // closed when the current opening has ended; nil while there is none
	failed  error         // of the last opening
	ended   bool
}

func newMemoryHolder(opts Options, counter *tokens.Counter, writer func(root string) memory.Writer, redact func(root, text string) string,
	relative func(root, uri string) (path string, ok bool), changed func(root string),
) *MemoryHolder {
	return &MemoryHolder{open: func(ctx context.Context) (*memory.Memory, error) {
		return memory.Open(ctx, memory.Options{
			Dir: filepath.Join(opts.StateDir, memoryFolder), Log: opts.Logger, Now: opts.Now, Count: counter.Count,
			Encoding: string(counter.Encoding()),
			Familiar: counter.Familiarity,
			Terms:    Terms,
			Block:    TurnElement,
			Writer:   writer,
			Redact:   redact,
			Relative: relative,
			Changed:  changed,
		})
	}}
}

// retryPatience bounds how long a command with a deadline waits for the memory if opening it failed
// before.
const retryPatience = 100 * time.Millisecond

// Get returns the memory, and blocks while it is being opened. If ctx ends before, the error is
// that of the last attempt, if there was one.
func (h *MemoryHolder) Get(ctx context.Context) (*memory.Memory, error) {
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
		go h.run(context.WithoutCancel(ctx), h.opening) // it serves all callers, not only this request
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

// Await blocks until the memory was opened or could not be, for callers that can do without it. It
// does not retry.
func (h *MemoryHolder) Await(ctx context.Context) {
	h.mu.Lock()
	settled := h.memory != nil || h.failed != nil
	h.mu.Unlock()
	if !settled {
		_, _ = h.Get(ctx)
	}
}

// run opens the memory and notifies the waiting callers.
func (h *MemoryHolder) run(ctx context.Context, opening chan struct{}) {
	m, err := h.open(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.memory, h.failed, h.opening = m, err, nil
	close(opening)
}

// Opened returns the memory, nil while it is not open.
func (h *MemoryHolder) Opened() *memory.Memory {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.memory
}

// chatCame makes the memory ask a chat model about work set aside for want of one.
func (h *MemoryHolder) chatCame() {
	if m := h.Opened(); m != nil {
		m.ChatCame()
	}
}

func (h *MemoryHolder) close() error {
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

// MemoryError returns the contract's error for one of memory; errors of the contract stay as they
// are.
func MemoryError(err error) error {
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

// TurnElement returns a turn, or a run of turns, as rendered in a bundle's history.
func TurnElement(tag, body string) string {
	return render.Block(item.Item{Kind: "turn", Tag: tag, Layer: item.L6History, Body: body})
}
