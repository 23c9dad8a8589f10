package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/usage"
)

// ForgetConversation permanently removes a conversation and all that was derived from it: when it
// returns, nothing of it remains in the store's files, except what its forks share. It also wipes
// one that was deleted before, and one whose forgetting was interrupted. Error:
// conversation.ErrNotFound, also for one that was forgotten.
func (w *Workspace) ForgetConversation(ctx context.Context, id string) error {
	id = w.name(id)
	return w.forget(ctx, deletedKey(w.number, deletedConversation, id), func(tx store.Tx) error {
		err := deleteConversation(w, tx, id)
		if errors.Is(err, conversation.ErrNotFound) {
			err = deletedBefore(tx.View, deletedConversation, id, err)
		}
		if err != nil {
			return err
		}
		// What was shown of it may have been counted since it was deleted.
		return uses{}.remove(tx, &removal{conversations: []string{id}})
	})
}

// deletedBefore returns nil for an id of which something was deleted, and notFound otherwise.
func deletedBefore(view store.View, kind byte, id string, notFound error) error {
	_, found, err := wasDeleted(view, kind, id)
	if err == nil && !found {
		err = notFound
	}
	return err
}

// names reports whether an item's id names something in a conversation, or in an item of knowledge.
func names(item, id string) bool {
	_, rest, ok := strings.Cut(item, ":")
	return ok && (rest == id || strings.HasPrefix(rest, id+"/") || strings.HasPrefix(rest, id+":"))
}

// SharedError means that a turn of a deleted conversation also belongs to another one, from which
// it can be forgotten.
type SharedError struct {
	Turn int
	By   string // the conversation that shares it
}

func (e *SharedError) Error() string {
	return fmt.Sprintf("the conversation was deleted, but %q shares its turn %s: forget the turn there", e.By, dialogue.TurnID(e.Turn))
}

// ForgetTurn permanently removes what was said in a turn, and all that was derived from it, in
// every conversation that shares it. Its number stays, so that the others keep theirs. The turns of
// a deleted conversation are wiped from the files whichever turn is given. Errors:
// conversation.ErrNotFound for the conversation or the turn, *SharedError.
func (w *Workspace) ForgetTurn(ctx context.Context, id string, turn int) error {
	id = w.name(id)
	return w.forget(ctx, nil, func(tx store.Tx) error {
		sharing, err := conversation.Sharing(tx.View, id, turn)
		if errors.Is(err, conversation.ErrNotFound) {
			return turnOfDeleted(tx.View, id, turn, err)
		}
		if err != nil {
			return err
		}
		removed, err := conversation.ForgetTurn(tx, id, turn)
		if err != nil {
			return err
		}
		keepForgottenMessages(tx.Batch, sharing, removed)
		return w.memory.removeAll(tx, &removal{parts: removed, conversations: sharing, turns: []int{turn}})
	})
}

// turnOfDeleted searches for a turn that was not found among what was deleted.
func turnOfDeleted(view store.View, id string, turn int, notFound error) error {
	if _, err := conversation.Find(view, id); err == nil {
		return notFound // the conversation has no such turn
	}
	past, found, err := wasDeleted(view, deletedConversation, id)
	if err != nil || !found {
		return errors.Join(err, notFound)
	}
	by, err := conversation.Shares(view, past, turn)
	if err == nil && by != "" {
		err = &SharedError{turn, by}
	}
	return err
}

// ForgetKnowledge permanently removes an item of knowledge, and wipes one that was deleted before
// from the files. Error: knowledge.ErrNotFound, also for one that was forgotten.
func (w *Workspace) ForgetKnowledge(ctx context.Context, id string) error {
	id = w.name(id)
	return w.forget(ctx, deletedKey(w.number, deletedKnowledge, id), func(tx store.Tx) error {
		err := deleteKnowledge(tx, id)
		if errors.Is(err, knowledge.ErrNotFound) {
			err = deletedBefore(tx.View, deletedKnowledge, id, err)
		}
		if err != nil {
			return err
		}
		return usage.Forget(tx, func(item string) bool { return item == id || names(item, id) })
	})
}

// ForgetAll permanently removes everything stored for the workspace.
func (w *Workspace) ForgetAll(ctx context.Context) error {
	m := w.memory
	m.mu.Lock()
	delete(m.workspaces, w.root)
	m.mu.Unlock()
	return w.forget(ctx, nil, func(tx store.Tx) error {
		if err := keepForgottenAll(tx); err != nil {
			return err
		}
		return m.store.RemoveWorkspace(tx.Batch, w.number)
	})
}

// forget stages removals, makes them durable, and wipes their traces from the store's files. When
// that is interrupted, by ctx or by a crash, the next start wipes them. The caller must not hold a
// view. deleted is the key that records the forgotten thing as deleted, nil for none; it is removed
// after the traces.
func (w *Workspace) forget(ctx context.Context, deleted []byte, stage func(tx store.Tx) error) error {
	w.shown.clear()
	err := w.change(func(tx store.Tx) error {
		tx.EraseDue()
		w.removals.Add(1)
		return stage(tx)
	})
	if err != nil {
		return err
	}
	w.memory.cache.clear()
	wiped, err := w.memory.deletedBy(deleted)
	if err != nil {
		return err
	}
	if err := w.memory.store.Erase(ctx); err != nil {
		return fmt.Errorf("removed, but not yet wiped from the files: %w", err)
	}
	return w.forgetDeleted(deleted, wiped)
}
