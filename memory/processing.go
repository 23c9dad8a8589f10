package memory

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/entity"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/profile"
	"github.com/contexture-dev/contexture/memory/store"
)

// processTries is how often Process reads beside other changes before it makes them wait.
const processTries = 3

// Documents gives sections of a workspace's documents that may say something of a topic, the best first.
type Documents func(ctx context.Context, topic string) ([]knowledge.Section, error)

// Processing is how the offline learning runs.
type Processing struct {
	// Full reads all turns anew, else those that no run has read.
	Full bool
	// Documents may be quoted in references; nil where none can be read now.
	Documents Documents
	// Reason is why it runs, in words.
	Reason string
	// Pause is called between small steps and may block, so that what people wait for goes first; nil = never. Its error
	// ends the run, and a later one goes on from there.
	Pause func() error
}

// Process runs the offline learning. Readers see the old version or the new one. Other changes go on beside it; where
// one of them may have touched what it read it begins anew, and the last time they wait for it. What it read of each
// conversation is stored on the way, so that a run that is cut short is not for nothing. One run goes on at a time, and
// the next waits for it.
func (w *Workspace) Process(ctx context.Context, o Processing) (knowledge.ProcessResult, error) {
	select {
	case w.processing <- struct{}{}:
		defer func() { <-w.processing }()
	case <-ctx.Done():
		return knowledge.ProcessResult{}, ctx.Err()
	}
	out, err := w.processed(ctx, o)
	if err != nil {
		return out, err
	}
	w.wishLabels()
	out.Took = max(0, w.memory.now().Sub(out.Began))
	return out, w.change(func(r store.Reader, b *store.Batch) error { return knowledge.NoteTook(r, b, w.number, out.Took) })
}

func (w *Workspace) processed(ctx context.Context, o Processing) (out knowledge.ProcessResult, err error) {
	for range processTries {
		removals := w.removals.Load()
		b := w.memory.store.NewBatch()
		w.mu.Lock()
		before, r := w.changes, w.memory.store.Snapshot()
		w.mu.Unlock()
		out, err = w.process(ctx, r, b, o, func(stage func(*store.Batch)) error {
			return w.keep(removals, func(_ store.Reader, b *store.Batch) error {
				stage(b)
				return nil
			})
		})
		if errors.Is(err, errGone) { // something was forgotten meanwhile
			if err := r.Close(); err != nil {
				return out, err
			}
			continue
		}
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
		o.Pause = nil // it has the lock, others wait
		out, err = w.process(ctx, r, b, o, nil)
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

func (w *Workspace) process(ctx context.Context, r store.Reader, b *store.Batch, o Processing, keep func(func(*store.Batch)) error) (knowledge.ProcessResult, error) {
	messages, err := w.messages(r)
	if err != nil {
		return knowledge.ProcessResult{}, err
	}
	in := knowledge.ProcessInput{
		Turns: w.told(ctx, r), Full: o.Full, Now: w.memory.now(), Terms: w.memory.opts.Terms, Count: w.memory.opts.Count, Familiar: w.memory.opts.Familiar,
		Pause: o.Pause, Keep: keep, Reason: o.Reason, Messages: messages,
	}
	if documents := o.Documents; documents != nil {
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
	own := 0 // the first message that is not an ancestor's
	if spans := info.Spans(); len(spans) > 0 {
		own = spans[len(spans)-1].From
	}
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
			told := knowledge.Told{Conversation: info.ID, Turn: t, Shared: t.First < own}
			if !told.Shared {
				if told.Files, _, err = entity.Named(r, w.number, uint32(info.Number), t.Number); err != nil {
					yield(knowledge.Told{}, err)
					return false
				}
			}
			if !yield(told, nil) {
				return false
			}
		}
	}
	return true
}

// messages counts those of all conversations.
func (w *Workspace) messages(r store.Reader) (n int, err error) {
	for before := ""; ; {
		page, next, err := conversation.List(r, w.number, toldTurns, before)
		if err != nil {
			return 0, err
		}
		for _, info := range page {
			n += info.Messages
		}
		if before = next; next == "" {
			return n, nil
		}
	}
}

// Learned is what is known of the last offline run, and whether another one would find anything new.
func (v *View) Learned() (last knowledge.Run, due bool, err error) {
	if last, err = knowledge.LastRun(v.r, v.w.number); err != nil {
		return last, false, err
	}
	messages, err := v.w.messages(v.r)
	return last, messages != last.Messages || last.Forgotten, err
}

// Messages counts those of all conversations.
func (v *View) Messages() (int, error) { return v.w.messages(v.r) }

// Profiles are the topics and entities that the last offline run found, as they have been steered since. They are not
// to be changed.
func (v *View) Profiles() (*knowledge.Profiles, error) {
	serial, err := knowledge.ProfilesSerial(v.r, v.w.number)
	if err != nil {
		return nil, err
	}
	key := ruleKey{v.w.number, serial}
	if p, ok := v.kept.profiles.Get(key); ok {
		return p, nil
	}
	p, err := knowledge.LoadProfiles(v.r, v.w.number)
	if err != nil {
		return nil, err
	}
	v.kept.profiles.Add(key, &p)
	return &p, nil
}

// Steer does what a person wants of a topic or an entity, now and in all later runs. Error: knowledge.ErrNotFound.
func (w *Workspace) Steer(wish profile.Steering) (out profile.Set, err error) {
	wish.Label = w.clean(wish.Label)
	err = w.change(func(r store.Reader, b *store.Batch) (err error) {
		out, err = knowledge.Steer(r, b, w.number, wish)
		return err
	})
	return out, err
}
