package memory

import (
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/history"
	"github.com/contexture-dev/contexture/memory/level"
	"github.com/contexture-dev/contexture/memory/rewrite"
	"github.com/contexture-dev/contexture/memory/store"
)

// How many turns that lack versions are read at a time, how many get them in one batch, and how
// many are made between two checks for running appends.
const (
	pendingPage  = 1024
	pendingBatch = 16
	pendingRun   = 256
)

// makeVersions makes the versions of turns that lack them, until there are none or stopped is
// closed. It logs failures and leaves those turns for the next time.
func (m *Memory) makeVersions(w *Workspace, stopped <-chan struct{}) {
	for {
		if !w.unmade.Swap(false) {
			return // the search for turns scans all that ever waited
		}
		pending, err := conversation.Pending(w.latest(), pendingPage)
		if err != nil {
			m.log.Error("turns without versions not read", "err", err)
			return
		}
		made := 0
		for run := range slices.Chunk(pending, pendingRun) {
			n, more := m.makeRun(w, run, stopped)
			if made += n; !more {
				w.unmade.Store(true)
				return
			}
			if m.pace.busy() && !m.pace.rest(stopped) {
				return
			}
		}
		if made == 0 {
			return // there are none, or none that could be made
		}
		w.unmade.Store(true)
	}
}

// makeRun makes the versions of turns and stores them in batches. made counts those that no longer
// wait; more is false when stopped is closed or nothing can be stored.
func (m *Memory) makeRun(w *Workspace, run []conversation.PendingTurn, stopped <-chan struct{}) (made int, more bool) {
	for turns := range slices.Chunk(run, pendingBatch) {
		list := make([]madeVersions, 0, len(turns))
		for _, p := range turns {
			select {
			case <-stopped:
				return made, false
			default:
			}
			v, err := w.versionsOf(p)
			if err == nil {
				list = append(list, v)
				continue
			}
			// It may have been deleted meanwhile.
			if still, e := conversation.IsPending(w.latest(), p); still || e != nil {
				m.log.Error("versions of a turn not made", "turn", p.Turn, "err", err)
			}
		}
		if err := w.putVersions(list); err != nil {
			m.log.Error("versions of turns not stored", "err", err)
			return made, false
		}
		made += len(list)
	}
	return made, true
}

// madeVersions are the versions made of a turn.
type madeVersions struct {
	conversation.PendingTurn
	first    int // index of the turn's first message
	versions conversation.Versions
	weights  []byte
	better   *conversation.UnwrittenTurn // what a model may improve; nil: nothing
}

// versionsOf makes the versions to store for a turn, without the lock.
func (w *Workspace) versionsOf(p conversation.PendingTurn) (madeVersions, error) {
	latest := w.latest()
	info, err := conversation.ByNumber(latest, p.Conversation)
	if err != nil {
		return madeVersions{}, fmt.Errorf("find conversation: %w", err)
	}
	turn, err := conversation.Turn(latest, info, p.Turn)
	if err != nil {
		return madeVersions{}, fmt.Errorf("read turn: %w", err)
	}
	versions, raw := w.memory.extract(turn)
	made := madeVersions{PendingTurn: p, first: turn.First, versions: versions, weights: w.memory.weightsOf(turn)}
	if w.memory.opts.Writer != nil && rewrite.Worth(raw, level.Levels{S: versions.S, C: versions.C, T: versions.T}) {
		made.better = &conversation.UnwrittenTurn{Conversation: p.Conversation, Turn: p.Turn, Messages: p.Messages, Content: contentOf(raw)}
	}
	return made, nil
}

// putVersions stores versions of the turns that have not changed meanwhile: a turn that grew is
// queued again.
func (w *Workspace) putVersions(list []madeVersions) error {
	if len(list) == 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	tx := w.begin()
	for _, m := range list {
		still, err := conversation.IsPending(tx.View, m.PendingTurn)
		if err != nil {
			return err
		}
		if still {
			conversation.PutVersions(tx, m.Conversation, m.Turn, m.versions)
			conversation.PutWeights(tx, m.Conversation, m.first, m.weights)
			w.leaveToModel(tx, m)
		}
	}
	if err := w.memory.store.ApplyLater(tx.Batch); err != nil {
		return err
	}
	w.memory.scribe.poke(w)
	return nil
}

// leaveToModel stages the model's work on a turn that has new versions.
func (w *Workspace) leaveToModel(tx store.Tx, m madeVersions) {
	if w.memory.opts.Writer == nil {
		return
	}
	if m.better != nil {
		conversation.WantWritten(tx, *m.better)
	} else {
		conversation.NotWritten(tx, conversation.UnwrittenTurn{Conversation: m.Conversation, Turn: m.Turn})
	}
	conversation.WantArc(tx, m.Conversation)
}

// extract makes all versions of a turn by rules. raw is the text from which they were made.
func (m *Memory) extract(t dialogue.Turn) (v conversation.Versions, raw string) {
	raw = level.RawText(t)
	levels := level.Turn(t, level.Options{Count: m.opts.Count})
	notes := arc.Note(t)
	v = conversation.Versions{
		S: levels.S, C: levels.C, T: levels.T, Source: dialogue.FromExtraction, Notes: notes.AppendBinary(nil), Messages: len(t.Messages),
	}
	v.Sizes = conversation.Sizes{
		R: m.sizeOf(t.Number, dialogue.Raw, raw), S: m.sizeOf(t.Number, dialogue.Smoothed, v.S),
		C: m.sizeOf(t.Number, dialogue.Compressed, v.C), T: m.sizeOf(t.Number, dialogue.Tiny, v.T),
	}
	return v, raw
}

// sizeOf returns the tokens of a version in a history: an element of its own, or a line of a merged
// block.
func (m *Memory) sizeOf(turn int, level dialogue.Level, text string) int {
	if level == dialogue.Raw || level == dialogue.Smoothed {
		return m.opts.Count(m.opts.Block(dialogue.Tag(turn, level), text))
	}
	return m.opts.Count(history.Line(turn, text) + "\n")
}

// versions returns a turn's versions, made now if the background has not made them yet: an answer
// does not depend on its progress.
func (v *View) versions(info conversation.Info, turn int) (made conversation.Versions, pending bool, err error) {
	count, err := conversation.MessageCount(v.state, info, turn)
	if err != nil {
		return made, false, err
	}
	made, ok, err := conversation.LoadVersions(v.state, info, turn)
	if err != nil || ok && made.Messages == count {
		return made, false, err
	}
	if err := v.late(); err != nil {
		return made, false, err
	}
	t, err := conversation.Turn(v.state, info, turn)
	if err != nil {
		return made, false, err
	}
	made, _ = v.w.memory.extract(t)
	return made, true, nil
}

// written returns what a model made of a turn, whose versions by rules are made; nil when there is
// none, or it is from another state of the turn.
func (v *View) written(info conversation.Info, turn int, made conversation.Versions) (*conversation.Written, error) {
	w, ok, err := conversation.LoadWritten(v.state, info, turn)
	if err != nil || !ok || w.Messages != made.Messages {
		return nil, err
	}
	return &w, nil
}
