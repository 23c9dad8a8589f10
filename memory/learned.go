package memory

import (
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/store"
)

// PutKnowledge stores an item; one of the same id is replaced.
func (w *Workspace) PutKnowledge(it knowledge.Item) (out knowledge.Item, err error) {
	it = w.cleanItem(it)
	err = w.change(func(r store.Reader, b *store.Batch) (err error) {
		out, err = knowledge.Put(r, b, w.number, it, w.memory.now())
		return err
	})
	return out, err
}

// AcceptKnowledge confirms a candidate. Error: knowledge.ErrNotFound.
func (w *Workspace) AcceptKnowledge(id string, by knowledge.Confirmation) (out knowledge.Item, err error) {
	id = w.name(id)
	err = w.change(func(r store.Reader, b *store.Batch) (err error) {
		out, err = knowledge.Accept(r, b, w.number, id, by, w.memory.now())
		return err
	})
	return out, err
}

// DeleteKnowledge takes an item out; ForgetKnowledge wipes its bytes off the store's files, also after that. Error:
// knowledge.ErrNotFound.
func (w *Workspace) DeleteKnowledge(id string) error {
	id = w.name(id)
	return w.change(func(r store.Reader, b *store.Batch) error { return w.deleteKnowledge(r, b, id) })
}

func (w *Workspace) deleteKnowledge(r store.Reader, b *store.Batch, id string) error {
	if err := knowledge.Delete(r, b, w.number, id); err != nil {
		return err
	}
	w.rememberDeleted(b, deletedKnowledge, id, nil)
	return nil
}

// KnowledgeItem gives an item. Error: knowledge.ErrNotFound.
func (v *View) KnowledgeItem(id string) (knowledge.Item, error) {
	return knowledge.Get(v.r, v.w.number, v.w.name(id))
}

// Knowledge lists items, heaviest first.
func (v *View) Knowledge(f knowledge.Filter) ([]knowledge.Item, error) {
	f.Topic = v.w.clean(f.Topic)
	return knowledge.List(v.r, v.w.number, f)
}

// Rules are the standing rules that hold: in the workspace, or with a conversation those that were put by hand and those
// that held at its end as if nothing had been said elsewhere. replaced are those that a later one has replaced there. In
// each list the heaviest come first, then the latest stated.
func (v *View) Rules(scope *conversation.Info) (held, replaced []knowledge.Item, err error) {
	if scope == nil {
		return v.allRules()
	}
	var past []knowledge.Stretch
	for _, s := range scope.Spans() {
		if s.Conversation == scope.Number {
			past = append(past, knowledge.Stretch{Conversation: scope.ID})
			continue
		}
		owner, err := conversation.ByNumber(v.r, v.w.number, s.Conversation)
		if err != nil {
			return nil, nil, fmt.Errorf("read rules: %w", err)
		}
		turn, err := conversation.TurnOf(v.r, v.w.number, *scope, s.To-1)
		if err != nil {
			return nil, nil, fmt.Errorf("read rules: %w", err)
		}
		past = append(past, knowledge.Stretch{Conversation: owner.ID, UpTo: turn})
	}
	said, replaced, err := knowledge.ActiveIn(v.r, v.w.number, past...)
	if err != nil {
		return nil, nil, err
	}
	byHand, err := knowledge.List(v.r, v.w.number, knowledge.Filter{Kind: knowledge.Rule, ByHand: true})
	if err != nil {
		return nil, nil, err
	}
	return append(byHand, said...), replaced, nil
}

// ruleList is what [knowledge.Active] gives.
type ruleList struct{ held, replaced []knowledge.Item }

// allRules returns the rules of the workspace. They are kept by the knowledge's version: reading them takes as long as
// there are rules, and every bundle wants them.
func (v *View) allRules() (held, replaced []knowledge.Item, err error) {
	version, err := knowledge.Version(v.r, v.w.number)
	if err != nil {
		return nil, nil, err
	}
	key := ruleKey{v.w.number, version}
	list, ok := v.kept.rules.Get(key)
	if !ok {
		if list.held, list.replaced, err = knowledge.Active(v.r, v.w.number); err != nil {
			return nil, nil, err
		}
		v.kept.rules.Add(key, list)
	}
	return slices.Clone(list.held), slices.Clone(list.replaced), nil
}

// Version of the workspace's knowledge; it only ever grows.
func (v *View) Version() (uint64, error) { return knowledge.Version(v.r, v.w.number) }

// Recommendations are gaps in the knowledge, as the last offline run found them; most useful first.
func (v *View) Recommendations() ([]knowledge.Recommendation, error) {
	return knowledge.Recommendations(v.r, v.w.number)
}
