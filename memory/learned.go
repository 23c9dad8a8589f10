package memory

import (
	"fmt"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/store"
)

// PutKnowledge stores an item; one of the same id is replaced.
func (w *Workspace) PutKnowledge(it knowledge.Item) (out knowledge.Item, err error) {
	err = w.change(func(r store.Reader, b *store.Batch) (err error) {
		out, err = knowledge.Put(r, b, w.number, it, w.memory.now())
		return err
	})
	return out, err
}

// DeleteKnowledge takes an item out. Error: knowledge.ErrNotFound.
func (w *Workspace) DeleteKnowledge(id string) error {
	return w.change(func(r store.Reader, b *store.Batch) error { return knowledge.Delete(r, b, w.number, id) })
}

// KnowledgeItem gives an item. Error: knowledge.ErrNotFound.
func (v *View) KnowledgeItem(id string) (knowledge.Item, error) {
	return knowledge.Get(v.r, v.w.number, id)
}

// Knowledge lists items, heaviest first.
func (v *View) Knowledge(f knowledge.Filter) ([]knowledge.Item, error) {
	return knowledge.List(v.r, v.w.number, f)
}

// Rules are the standing rules that hold: in the workspace, or with a conversation those that held at its end as if
// nothing had been said elsewhere. The heaviest come first, then the latest stated.
func (v *View) Rules(scope *conversation.Info) ([]knowledge.Item, error) {
	if scope == nil {
		return knowledge.Active(v.r, v.w.number)
	}
	var past []knowledge.Stretch
	for _, s := range scope.Spans() {
		if s.Conversation == scope.Number {
			past = append(past, knowledge.Stretch{Conversation: scope.ID})
			continue
		}
		owner, err := conversation.ByNumber(v.r, v.w.number, s.Conversation)
		if err != nil {
			return nil, fmt.Errorf("read rules: %w", err)
		}
		turn, err := conversation.TurnOf(v.r, v.w.number, *scope, s.To-1)
		if err != nil {
			return nil, fmt.Errorf("read rules: %w", err)
		}
		past = append(past, knowledge.Stretch{Conversation: owner.ID, UpTo: turn})
	}
	return knowledge.ActiveIn(v.r, v.w.number, past...)
}

// Version of the workspace's knowledge; it only ever grows.
func (v *View) Version() (uint64, error) { return knowledge.Version(v.r, v.w.number) }
