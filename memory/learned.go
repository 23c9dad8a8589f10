package memory

import (
	"context"
	"errors"
	"fmt"
	"iter"
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

// Topics are what conversations are about, as the last offline run found them; heaviest first.
func (v *View) Topics() ([]knowledge.Topic, error) { return knowledge.Topics(v.r, v.w.number) }

// Recommendations are gaps in the knowledge, as the last offline run found them; most useful first.
func (v *View) Recommendations() ([]knowledge.Recommendation, error) {
	return knowledge.Recommendations(v.r, v.w.number)
}

// processTries is how often Process reads beside other changes before it makes them wait.
const processTries = 3

// Documents gives sections of a workspace's documents that may say something of a topic, the best first.
type Documents func(ctx context.Context, topic string) ([]knowledge.Section, error)

// Process runs the offline learning over the turns that no run has read, or with full over all. documents may be quoted
// in references; nil where none can be read now. Readers see the old version or the new one. Other changes go on beside it; where one of them may have touched what it read it begins anew,
// and the last time they wait for it.
func (w *Workspace) Process(ctx context.Context, full bool, documents Documents) (knowledge.ProcessResult, error) {
	out, err := w.processed(ctx, full, documents)
	if err == nil {
		w.wishLabels()
	}
	return out, err
}

func (w *Workspace) processed(ctx context.Context, full bool, documents Documents) (out knowledge.ProcessResult, err error) {
	for range processTries {
		b := w.memory.store.NewBatch()
		w.mu.Lock()
		before, r := w.changes, w.memory.store.Snapshot()
		w.mu.Unlock()
		out, err = w.process(ctx, r, b, full, documents)
		if err := errors.Join(err, r.Close()); err != nil {
			return out, err
		}
		wait, same, err := w.applyUnchanged(b, before)
		if err != nil {
			return out, err
		}
		if same {
			return out, wait()
		}
	}
	err = w.change(func(r store.Reader, b *store.Batch) (err error) {
		out, err = w.process(ctx, r, b, full, documents)
		return err
	})
	return out, err
}

// applyUnchanged applies a batch unless what it was made of may have changed since.
func (w *Workspace) applyUnchanged(b *store.Batch, since uint64) (wait func() error, same bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changes != since {
		return nil, false, nil
	}
	w.changes++
	wait, err = w.memory.store.Apply(b)
	return wait, true, err
}

func (w *Workspace) process(ctx context.Context, r store.Reader, b *store.Batch, full bool, documents Documents) (knowledge.ProcessResult, error) {
	in := knowledge.ProcessInput{Turns: w.told(ctx, r), Full: full, Now: w.memory.now(), Terms: w.memory.opts.Terms, Count: w.memory.opts.Count}
	if documents != nil {
		in.Sections = func(topic string) ([]knowledge.Section, error) {
			list, err := documents(ctx, topic)
			return slices.DeleteFunc(list, func(s knowledge.Section) bool { // what must not be stored cannot be quoted
				return w.clean(s.Text) != s.Text || w.clean(s.Path) != s.Path
			}), err
		}
	}
	return knowledge.Process(r, b, w.number, in)
}

// toldTurns is how many turns are read at a time.
const toldTurns = 200

// told gives all turns of the workspace, conversation by conversation.
func (w *Workspace) told(ctx context.Context, r store.Reader) iter.Seq2[knowledge.Told, error] {
	return func(yield func(knowledge.Told, error) bool) {
		for before := ""; ; {
			page, next, err := conversation.List(r, w.number, toldTurns, before)
			if err != nil {
				yield(knowledge.Told{}, err)
				return
			}
			for _, info := range page {
				if !w.toldOf(ctx, r, info, yield) {
					return
				}
			}
			if before = next; next == "" {
				return
			}
		}
	}
}

func (w *Workspace) toldOf(ctx context.Context, r store.Reader, info conversation.Info, yield func(knowledge.Told, error) bool) bool {
	for from := 1; from <= info.Turns; from += toldTurns {
		turns, err := conversation.Turns(r, w.number, info, from, min(info.Turns, from+toldTurns-1))
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			yield(knowledge.Told{}, err)
			return false
		}
		for _, t := range turns {
			if !yield(knowledge.Told{Conversation: info.ID, Turn: t}, nil) {
				return false
			}
		}
	}
	return true
}
