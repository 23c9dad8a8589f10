package memory

import (
	"context"
	"errors"
	"fmt"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/store"
)

// LearnFrom extracts standing rules from stored conversations, as Append does from new messages.
// What was learned from them before, or removed, stays as it is. It returns when the rules are on
// disk. It skips a conversation that no longer exists.
func (w *Workspace) LearnFrom(ctx context.Context, conversations []string) error {
	found := false
	for _, id := range conversations {
		id = w.name(id)
		err := w.change(func(tx store.Tx) error {
			learned, err := learnFrom(ctx, tx, id)
			found = found || learned
			if err == nil && !learned {
				err = errUnchanged
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("learn from conversation %q: %w", id, err)
		}
	}
	if found {
		w.wishLabels()
	}
	return nil
}

// learnFrom stages the rules of one conversation.
func learnFrom(ctx context.Context, tx store.Tx, id string) (learned bool, err error) {
	info, err := conversation.Find(tx.View, id)
	if errors.Is(err, conversation.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	all := conversation.AppendResult{Info: info}
	var failed error
	toldOf(ctx, tx.View, info, false, func(t knowledge.TalkTurn, err error) bool {
		if failed = err; err != nil {
			return false
		}
		for _, m := range t.Turn.Messages {
			all.Messages, all.TurnOf = append(all.Messages, m), append(all.TurnOf, t.Turn.Number)
		}
		return true
	})
	put := statements{}.prepare(&intake{messages: all.Messages, learn: true})
	if failed != nil || put == nil {
		return false, failed
	}
	b := batch{tx: tx}
	err = put(&b, &all)
	return b.learned, err
}
