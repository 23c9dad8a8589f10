package memory

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
)

// processTries is how often Process starts over when what it read was changed meanwhile, and
// joinTries how often it checks the changes made while it was about to publish its result.
const processTries, joinTries = 5, 10

// ErrRestless means that other changes kept conflicting with an offline run. What it read of
// conversations is stored, so that a later run is faster.
var ErrRestless = errors.New("what was learned kept changing during the run; run it again later")

// Documents returns sections of a workspace's documents that may be about a topic, the best first.
type Documents func(ctx context.Context, topic string) ([]knowledge.Section, error)

// Processing holds the options of an offline run.
type Processing struct {
	// Full reads all turns again, instead of only those that no run has read.
	Full bool
	// Documents may be quoted in references; nil when none can be read at the moment.
	Documents Documents
	// Gone reports whether a file that belonged to the workspace no longer exists; nil when
	// unknown.
	Gone func(path string) bool
	// Reason is the reason for the run, in words.
	Reason string
	// Pause is called between small steps and may block, so that interactive requests go first; nil
	// = never. Its error ends the run, and a later one continues from there.
	Pause func() error
	// Progress is called often with the state of the run, by the goroutine that runs it; nil = not
	// needed.
	Progress func(knowledge.Progress)
}

// Process runs the offline learning. Readers see the old version or the new one. Other changes
// proceed concurrently and never wait for it; when one of them has changed something that the run
// changes as well, the run starts over. What it read of each conversation is stored on the way, so
// that an interrupted run is not lost. Runs are sequential: a second one waits for the first.
// Errors: ctx's, Pause's, ErrRestless, those of the store.
func (w *Workspace) Process(ctx context.Context, o Processing) (knowledge.ProcessResult, error) {
	select {
	case w.processing <- struct{}{}:
		defer func() { <-w.processing }()
	case <-ctx.Done():
		return knowledge.ProcessResult{}, ctx.Err()
	}
	out, err := (&process{w, o}).run(ctx)
	if err != nil {
		return out, err
	}
	w.wishLabels()
	if err := w.memory.store.Tidy(ctx, o.Pause); err != nil && ctx.Err() == nil {
		w.memory.log.Error("memory not compacted; it takes more disk space than necessary", "err", err)
	}
	out.Took = max(0, w.memory.now().Sub(out.Began))
	return out, w.change(func(tx store.Tx) error { return knowledge.NoteTook(tx, out.Took) })
}

// process is one offline run.
type process struct {
	*Workspace
	Processing
}

// run reads what was said and makes visible what was learned from it, again if others have changed
// the same meanwhile.
func (p *process) run(ctx context.Context) (out knowledge.ProcessResult, err error) {
	for range processTries {
		removals := p.removals.Load()
		r := p.memory.store.Snapshot()
		tx := store.Tx{View: r.View(p.number), Batch: p.memory.store.NewBatch(), Now: p.memory.now()}
		out, err = p.read(ctx, tx, func(stage func(store.Tx)) error {
			return p.keep(removals, func(tx store.Tx) error {
				stage(tx)
				return nil
			})
		})
		var wait func() error
		if err == nil {
			wait, out.Version, err = p.join(tx, removals)
		}
		if err := errors.Join(err, r.Close()); err != nil && !errors.Is(err, errGone) {
			return out, err
		}
		if err == nil {
			return out, wait()
		}
	}
	return out, ErrRestless
}

// join makes what a run has staged visible in one step, with the next version of the knowledge. It
// fails with errGone when others have changed since what the run changes, or removed anything.
// Other changes wait only while the batch is applied.
func (p *process) join(run store.Tx, removals uint64) (wait func() error, version uint64, err error) {
	was, err := knowledge.Version(run.View)
	if err != nil {
		return nil, 0, err
	}
	for range joinTries {
		now := p.memory.store.Snapshot()
		version, err = knowledge.Version(now.View(p.number))
		if err == nil && version != was {
			err = p.untouched(run, now)
		}
		if err := errors.Join(err, now.Close()); err != nil {
			return nil, 0, err
		}
		knowledge.SetVersion(run, version+1)
		wait, err := p.applyAt(run.Batch, version, removals)
		if wait != nil || err != nil {
			return wait, version + 1, err
		}
	}
	return nil, 0, errGone
}

// untouched fails with errGone when what a run changes is no longer what it read.
func (p *process) untouched(run store.Tx, now store.Reader) error {
	for n, key := range knowledge.Decisive(run.Keys(), p.number) {
		if n%100 == 0 && p.Pause != nil {
			if err := p.Pause(); err != nil {
				return err
			}
		}
		a, _, err := run.Get(key)
		if err != nil {
			return err
		}
		c, _, err := now.Get(key)
		if err != nil {
			return err
		}
		if !bytes.Equal(a, c) {
			return errGone
		}
	}
	return nil
}

// applyAt applies a batch if the knowledge still has a version; wait is nil when it has another
// one.
func (p *process) applyAt(b *store.Batch, version, removals uint64) (wait func() error, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, err := knowledge.Version(p.latest())
	switch {
	case err != nil:
		return nil, err
	case p.removals.Load() != removals:
		return nil, errGone
	case now != version:
		return nil, nil
	}
	return p.memory.store.Apply(b)
}

// read stages what is learned from a state.
func (p *process) read(ctx context.Context, tx store.Tx, keep func(func(store.Tx)) error) (knowledge.ProcessResult, error) {
	_, messages, turns, err := counts(tx.View)
	if err != nil {
		return knowledge.ProcessResult{}, err
	}
	t := &turnReader{ctx: ctx, state: tx.View, full: p.Full}
	in := knowledge.ProcessInput{
		Turns: t.turns, Partial: t.isPartial, Full: p.Full, Terms: p.memory.opts.Terms, Count: p.memory.opts.Count,
		Pause: p.Pause, Progress: p.Progress, Keep: keep, Reason: p.Reason, Messages: messages, Talked: turns, Gone: p.Gone,
		Subjects: func() (subject.Set, error) { return subjectsIn(tx.View) },
	}
	if documents := p.Documents; documents != nil {
		in.Sections = func(topic string) ([]knowledge.Section, error) {
			list, err := documents(ctx, topic)
			return slices.DeleteFunc(list, func(s knowledge.Section) bool { // what must not be stored cannot be quoted
				return p.clean(s.Text) != s.Text || p.clean(s.Path) != s.Path
			}), err
		}
	}
	return knowledge.Process(tx, in)
}

// turnsAtOnce is how many turns are read at a time: they are large, and other work waits meanwhile.
const turnsAtOnce = 10

// nearMessages is how many of the latest messages a run reads again for what they have in common.
// Of older conversations it reads only those that changed.
const nearMessages = 8_000

// turnReader iterates over the turns that a run reads.
type turnReader struct {
	ctx     context.Context
	state   store.View
	full    bool // all turns
	partial bool // conversations were skipped
}

func (t *turnReader) isPartial() bool { return t.partial }

// turns yields the turns conversation by conversation, the latest first.
func (t *turnReader) turns(yield func(knowledge.TalkTurn, error) bool) {
	messages := 0
	for info, err := range conversation.All(t.state) {
		if err != nil {
			yield(knowledge.TalkTurn{}, err)
			return
		}
		distant := messages >= nearMessages && !t.full
		messages += info.Messages
		if distant {
			unread, err := knowledge.Unread(t.state, info.ID, info.Messages)
			if err != nil {
				yield(knowledge.TalkTurn{}, err)
				return
			}
			if t.partial = true; !unread {
				continue
			}
		}
		if !toldOf(t.ctx, t.state, info, distant, yield) {
			return
		}
	}
}

func toldOf(ctx context.Context, view store.View, info conversation.Info, distant bool, yield func(knowledge.TalkTurn, error) bool) bool {
	own := 0 // the first message that is not an ancestor's
	if spans := info.Spans(); len(spans) > 0 {
		own = spans[len(spans)-1].From
	}
	for from := 1; from <= info.Turns; from += turnsAtOnce {
		turns, err := conversation.Turns(view, info, from, min(info.Turns, from+turnsAtOnce-1))
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			yield(knowledge.TalkTurn{}, err)
			return false
		}
		for _, t := range turns {
			told := knowledge.TalkTurn{Conversation: info.ID, Turn: t, Shared: t.First < own, Messages: info.Messages, Distant: distant}
			if !told.Shared {
				if told.Files, _, err = subject.InTurn(view, uint32(info.Number), t.Number); err != nil {
					yield(knowledge.TalkTurn{}, err)
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

// counts returns the numbers of conversations, and of their messages and turns; a message that a
// fork shares with its ancestor counts in both.
func counts(view store.View) (conversations, messages, turns int, err error) {
	for info, err := range conversation.All(view) {
		if err != nil {
			return 0, 0, 0, err
		}
		conversations, messages, turns = conversations+1, messages+info.Messages, turns+info.Turns
	}
	return conversations, messages, turns, nil
}

// Learned returns the last offline run, and whether another one would find anything new.
func (v *Knowledge) Learned() (last knowledge.Run, due bool, err error) {
	if last, err = knowledge.LastRun(v.state); err != nil {
		return last, false, err
	}
	_, messages, _, err := counts(v.state)
	return last, messages != last.Messages || last.Forgotten, err
}
