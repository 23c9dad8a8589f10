package memory

import (
	"errors"
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/store"
)

// PutKnowledge stores an item; an item with the same id is replaced, and its scope kept.
func (w *Workspace) PutKnowledge(it knowledge.Item) (knowledge.Item, error) {
	return w.putKnowledge(it, true)
}

// PutScoped is PutKnowledge with the item's own scope, even if it is empty.
func (w *Workspace) PutScoped(it knowledge.Item) (knowledge.Item, error) {
	return w.putKnowledge(it, false)
}

func (w *Workspace) putKnowledge(it knowledge.Item, keepScope bool) (out knowledge.Item, err error) {
	it = w.cleanItem(it)
	err = w.change(func(tx store.Tx) (err error) {
		if keepScope {
			old, err := knowledge.Get(tx.View, knowledge.IDOf(it))
			if err != nil && !errors.Is(err, knowledge.ErrNotFound) {
				return err
			}
			it.Scope = old.Scope
		}
		out, err = knowledge.Put(tx, it)
		return err
	})
	return out, err
}

// ReceiveKnowledge makes the items of teammates those of facts; see [knowledge.Receive]. Nothing is
// written when they are those already.
func (w *Workspace) ReceiveKnowledge(facts []knowledge.Item, withdrawn func(s *knowledge.Provenance) bool) (out knowledge.ReceiveCount, err error) {
	facts = slices.Clone(facts)
	for i := range facts {
		facts[i] = w.cleanItem(facts[i])
	}
	err = w.change(func(tx store.Tx) (err error) {
		out, err = knowledge.Receive(tx, facts, withdrawn)
		if err == nil && out == (knowledge.ReceiveCount{}) {
			return errUnchanged
		}
		return err
	})
	return out, err
}

// AcceptKnowledge confirms a candidate. Error: knowledge.ErrNotFound.
func (w *Workspace) AcceptKnowledge(id string, by knowledge.Confirmation) (out knowledge.Item, err error) {
	id = w.name(id)
	err = w.change(func(tx store.Tx) (err error) {
		out, err = knowledge.Accept(tx, id, by)
		return err
	})
	return out, err
}

// DeleteKnowledge removes an item; ForgetKnowledge also wipes its bytes from the store's files,
// even afterwards. Error: knowledge.ErrNotFound.
func (w *Workspace) DeleteKnowledge(id string) error {
	id = w.name(id)
	return w.change(func(tx store.Tx) error { return deleteKnowledge(tx, id) })
}

// deleteKnowledge stages the removal of an item.
func deleteKnowledge(tx store.Tx, id string) error {
	if err := knowledge.Delete(tx, id); err != nil {
		return err
	}
	rememberDeleted(tx, deletedKnowledge, id, nil)
	return nil
}

// Knowledge is what a [View]'s workspace has learned and was told to remember.
type Knowledge struct {
	state   store.View
	cleaner cleaner
	kept    *cacheGeneration
}

// Item returns an item. Error: knowledge.ErrNotFound.
func (v *Knowledge) Item(id string) (knowledge.Item, error) {
	return knowledge.Get(v.state, v.cleaner.name(id))
}

// List returns items, heaviest first.
func (v *Knowledge) List(f knowledge.Filter) ([]knowledge.Item, error) {
	f.Topic = v.cleaner.clean(f.Topic)
	return knowledge.List(v.state, f)
}

// Rules returns the active standing rules: those of the workspace, or for a conversation those that
// were put by hand and those active at its end, disregarding what was said elsewhere. replaced are
// the rules that a later one replaced. Both lists are sorted by weight, then by the latest
// statement.
func (v *Knowledge) Rules(scope *conversation.Info) (held, replaced []knowledge.Item, err error) {
	if scope == nil {
		return v.allRules()
	}
	past, err := stretches(v.state, scope)
	if err != nil {
		return nil, nil, fmt.Errorf("read rules: %w", err)
	}
	said, replaced, err := knowledge.ActiveIn(v.state, past...)
	if err != nil {
		return nil, nil, err
	}
	byHand, err := knowledge.List(v.state, knowledge.Filter{Kind: knowledge.Rule, ByHand: true})
	if err != nil {
		return nil, nil, err
	}
	return append(byHand, said...), replaced, nil
}

// stretches returns the past of a conversation, with the ids of the conversations that each part
// belongs to.
func stretches(view store.View, info *conversation.Info) (past []knowledge.Stretch, err error) {
	for _, s := range info.Spans() {
		if s.Conversation == info.Number {
			past = append(past, knowledge.Stretch{Conversation: info.ID})
			continue
		}
		owner, err := conversation.ByNumber(view, s.Conversation)
		if err != nil {
			return nil, err
		}
		turn, err := conversation.TurnOf(view, *info, s.To-1)
		if err != nil {
			return nil, err
		}
		past = append(past, knowledge.Stretch{Conversation: owner.ID, UpTo: turn})
	}
	return past, nil
}

// ruleList is the result of [knowledge.Active].
type ruleList struct{ held, replaced []knowledge.Item }

// allRules returns the rules of the workspace. They are cached by the knowledge's version, since
// every bundle needs them and reading them takes time in proportion to their number.
func (v *Knowledge) allRules() (held, replaced []knowledge.Item, err error) {
	version, err := knowledge.Version(v.state)
	if err != nil {
		return nil, nil, err
	}
	key := ruleKey{v.state.Workspace, version}
	list, ok := v.kept.rules.Get(key)
	if !ok {
		if list.held, list.replaced, err = knowledge.Active(v.state); err != nil {
			return nil, nil, err
		}
		v.kept.rules.Add(key, list)
	}
	return slices.Clone(list.held), slices.Clone(list.replaced), nil
}

// QuotedFiles returns the quotations of files in references that memory assembled.
func (v *Knowledge) QuotedFiles() ([]knowledge.Quotation, error) {
	list, err := knowledge.List(v.state, knowledge.Filter{Kind: knowledge.Reference})
	var out []knowledge.Quotation
	for _, it := range list {
		for _, q := range it.Quotations {
			if it.Assembled() && q.Path != "" {
				out = append(out, q)
			}
		}
	}
	return out, err
}

// Version returns the version of the workspace's knowledge; it never decreases.
func (v *Knowledge) Version() (uint64, error) { return knowledge.Version(v.state) }

// Recommendations returns gaps in the knowledge found by the last offline run, the most useful
// first.
func (v *Knowledge) Recommendations() ([]knowledge.Recommendation, error) {
	return knowledge.Recommendations(v.state)
}

// Digest returns a summary of what was learned.
func (v *Knowledge) Digest() (knowledge.Digest, error) { return knowledge.NewDigest(v.state) }
