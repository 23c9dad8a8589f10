package memory

import (
	"context"
	"encoding/binary"
	"errors"

	"github.com/zeebo/xxh3"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/level"
	"github.com/contexture-dev/contexture/memory/rewrite"
	"github.com/contexture-dev/contexture/memory/store"
)

// contentOf returns a hash of what a model is asked about a turn.
func contentOf(raw string) conversation.Sum { return xxh3.HashString128(raw).Bytes() }

// askedOf returns a hash of a question to a model: the same one is not asked twice.
func askedOf(content conversation.Sum, identity string) conversation.Sum {
	b := binary.AppendUvarint(content[:], rewrite.Version)
	return xxh3.Hash128(append(b, identity...)).Bytes()
}

// errGone means that the subject of a text has changed: the text is discarded.
var errGone = errors.New("changed meanwhile")

// writing is the scribe's state of a workspace besides the store. Only the scribe's goroutine uses
// turn and failed.
type writing struct {
	turn   int             // the kind of text to begin with
	failed map[any]failure // where the model failed; other work comes first
}

// maxFailures bounds the failures that are remembered.
const maxFailures = 1024

// kinds are the kinds of text; each function does one piece of work of its kind. did is false when
// there is none.
var kinds = []func(d *drafter, ctx context.Context) (did bool, err error){
	(*drafter).writeTurn, (*drafter).writeArc, (*drafter).writeSummary, (*drafter).labelCandidates,
}

// drafter has a model write texts of a workspace.
type drafter struct {
	*Workspace
	writer Writer
}

// write does one piece of work for a workspace. The kinds take turns, so that a thousand imported
// turns do not delay the arc of the current conversation. Its error is the model's; an error of the
// store is logged and ends the work until the next time.
func (m *Memory) write(ctx context.Context, w *Workspace, writer Writer) (more bool, err error) {
	if !m.pace.rest(ctx.Done()) {
		return false, nil
	}
	d := &drafter{w, writer}
	for range kinds {
		kind := kinds[w.writing.turn%len(kinds)]
		w.writing.turn++
		did, err := kind(d, ctx)
		var failed *modelError
		switch {
		case errors.As(err, &failed):
			return true, err
		case err != nil && ctx.Err() == nil:
			m.log.Error("texts of a model not stored", "err", err)
			return false, nil
		case did:
			return true, nil
		}
	}
	return false, nil
}

// modelError is an error of the model.
type modelError struct{ err error }

func (e *modelError) Error() string { return e.err.Error() }
func (e *modelError) Unwrap() error { return e.err }

// failure counts the failures of a question.
type failure struct {
	times int
	vain  int // of them, how often the model worked without a usable answer
}

// fail records a failure of the model, and reports whether to stop retrying.
func (s *writing) fail(what any, vain bool) (over bool) {
	if s.failed == nil || len(s.failed) >= maxFailures {
		s.failed = map[any]failure{}
	}
	f := s.failed[what]
	f.times++
	if vain {
		f.vain++
	}
	s.failed[what] = f
	return f.vain >= mostVain
}

// withFewestFailures returns the first element of a list among those with the fewest failures.
func withFewestFailures[T comparable](s *writing, list []T) T {
	best := list[0]
	for _, other := range list[1:] {
		if s.failed[other].times < s.failed[best].times {
			best = other
		}
	}
	return best
}

// candidates is how many waiting elements are examined to find one without a failure.
const candidates = 32

// keep stages a model's text and makes it visible, if nothing was removed from the workspace since
// its input was read. It does not wait for the disk: a lost text is written again.
func (w *Workspace) keep(removals uint64, stage func(tx store.Tx) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.removals.Load() != removals {
		return errGone
	}
	tx := w.begin()
	if err := stage(tx); err != nil {
		return err
	}
	return w.memory.store.ApplyLater(tx.Batch)
}

// writeTurn has the model shorten one turn.
func (d *drafter) writeTurn(ctx context.Context) (did bool, err error) {
	list, err := conversation.Unwritten(d.latest(), candidates)
	if err != nil || len(list) == 0 {
		return false, err
	}
	u := withFewestFailures(&d.writing, list)
	removals := d.removals.Load()
	made := conversation.Written{Messages: u.Messages, By: askedOf(u.Content, d.writer.Identity())}
	known, ok, err := conversation.Answered(d.latest(), made.By)
	if err != nil {
		return false, err
	}
	if ok {
		made.S, made.C, made.T = known.S, known.C, known.T
		d.memory.scribe.count(func(s *WriterStats) { s.Known++ })
		return true, d.putWritten(removals, u, &made)
	}
	task, ok, err := d.turnTask(u)
	if err != nil {
		d.writing.fail(u, false) // others come first the next time
		return false, err
	}
	if !ok {
		return true, d.putWritten(removals, u, nil)
	}
	answer, ok, err := d.ask(ctx, u, task.Request)
	if err != nil {
		return false, err
	}
	if ok {
		levels, bad := task.Read(answer)
		made.S, made.C, made.T = levels.S, levels.C, levels.T
		d.memory.refused("turn", bad)
		d.memory.judged(btoi(bad != nil), levels != level.Levels{})
	}
	return true, d.putWritten(removals, u, &made)
}

// turnTask returns the question about a turn; ok is false when there is nothing to ask.
func (d *drafter) turnTask(u conversation.UnwrittenTurn) (task rewrite.TurnTask, ok bool, err error) {
	r := d.memory.store.Snapshot()
	defer r.Close()
	view := r.View(d.number)
	still, err := conversation.IsUnwritten(view, u)
	if err != nil || !still {
		return task, false, err
	}
	info, err := conversation.ByNumber(view, u.Conversation)
	if err != nil {
		return task, false, err
	}
	turn, err := conversation.Turn(view, info, u.Turn)
	if err != nil {
		return task, false, err
	}
	have, ok, err := conversation.LoadVersions(view, info, u.Turn)
	if err != nil || !ok || have.Messages != u.Messages || len(turn.Messages) != u.Messages {
		return task, false, err // it waits for its versions, and then again for the model
	}
	task, ok = rewrite.Turn(turn, level.Levels{S: have.S, C: have.C, T: have.T}, d.memory.rewriting(d.writer, d.memory.opts.Count))
	return task, ok, nil
}

// putWritten stores what was made of a turn, nil when there is nothing to make, if the turn is
// unchanged.
func (d *drafter) putWritten(removals uint64, u conversation.UnwrittenTurn, made *conversation.Written) error {
	delete(d.writing.failed, u)
	err := d.keep(removals, func(tx store.Tx) error {
		still, err := conversation.IsUnwritten(tx.View, u)
		if err != nil || !still {
			return errors.Join(err, errGone)
		}
		if made == nil {
			conversation.NotWritten(tx, u)
			return nil
		}
		info, err := conversation.ByNumber(tx.View, u.Conversation)
		if err != nil {
			return err
		}
		made.Turns = info.Turns
		return conversation.PutWritten(tx, u, *made)
	})
	if errors.Is(err, errGone) {
		return nil // it waits in its new state, if it exists
	}
	return err
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// refused logs why an answer is rejected. The reason must not contain text of the conversation.
func (m *Memory) refused(what string, bad error) {
	if bad != nil {
		m.log.Debug("an answer of the model, or a part of it, is not used", "of", what, "err", bad)
	}
}
