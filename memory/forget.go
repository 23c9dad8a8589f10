package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/memory/board"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/usage"
)

// ForgetConversation removes a conversation and all that was made of it for good: when it returns, nothing of it is
// left in the store's files. Error: conversation.ErrNotFound.
func (w *Workspace) ForgetConversation(ctx context.Context, id string) error {
	id = w.name(id)
	return w.forget(ctx, func(r store.Reader, b *store.Batch) error {
		if err := w.deleteConversation(r, b, id); err != nil {
			return err
		}
		return usage.Forget(r, b, w.number, func(item string) bool { return mentions(item, id) })
	})
}

// mentions reports whether an item's id names something of a conversation.
func mentions(item, id string) bool {
	_, rest, ok := strings.Cut(item, ":")
	return ok && (rest == id || strings.HasPrefix(rest, id+"/") || strings.HasPrefix(rest, id+":"))
}

// ForgetTurn removes what was said in a turn, and all that was made of it, for good; its number stays, so that others
// keep theirs. Errors: conversation.ErrNotFound for the conversation or the turn.
func (w *Workspace) ForgetTurn(ctx context.Context, id string, turn int) error {
	id = w.name(id)
	return w.forget(ctx, func(r store.Reader, b *store.Batch) error {
		removed, err := conversation.ForgetTurn(r, b, w.number, id, turn)
		if err != nil {
			return err
		}
		if err := w.unindex(r, b, removed); err != nil {
			return err
		}
		if err := knowledge.ForgetConversation(r, b, w.number, id, []int{turn}); err != nil {
			return err
		}
		return w.unpin(r, b, id, turn)
	})
}

// unpin takes a turn off its conversation's board.
func (w *Workspace) unpin(r store.Reader, b *store.Batch, id string, turn int) error {
	info, err := conversation.Find(r, w.number, id)
	if err != nil {
		return err
	}
	items, err := board.List(r, w.number, id, info.Turns)
	if err != nil {
		return err
	}
	for _, it := range items {
		if strings.HasPrefix(it.Pinned, dialogue.TurnID(turn)+"-") {
			if err := board.Remove(r, b, w.number, id, it.ID, info.Turns); err != nil {
				return err
			}
		}
	}
	return nil
}

// ForgetKnowledge removes an item of knowledge for good. Error: knowledge.ErrNotFound.
func (w *Workspace) ForgetKnowledge(ctx context.Context, id string) error {
	id = w.name(id)
	return w.forget(ctx, func(r store.Reader, b *store.Batch) error {
		if err := knowledge.Delete(r, b, w.number, id); err != nil {
			return err
		}
		return usage.Forget(r, b, w.number, func(item string) bool { return item == id || mentions(item, id) })
	})
}

// ForgetAll removes all that is remembered of the workspace for good.
func (w *Workspace) ForgetAll(ctx context.Context) error {
	m := w.memory
	m.mu.Lock()
	delete(m.workspaces, w.root)
	m.mu.Unlock()
	return w.forget(ctx, func(_ store.Reader, b *store.Batch) error {
		return m.store.RemoveWorkspace(b, w.number)
	})
}

// forget stages removals, makes them durable, and wipes their traces off the store's files. Where that is cut short, by
// ctx or by a crash, the next start wipes them. No view may be held by the caller.
func (w *Workspace) forget(ctx context.Context, stage func(r store.Reader, b *store.Batch) error) error {
	w.takeShown()
	err := w.change(func(r store.Reader, b *store.Batch) error {
		b.EraseDue()
		w.removals.Add(1)
		return stage(r, b)
	})
	if err != nil {
		return err
	}
	w.memory.talks.clear()
	if err := w.memory.store.Erase(ctx); err != nil {
		return fmt.Errorf("removed, but its traces are not wiped off the files yet: %w", err)
	}
	return nil
}
