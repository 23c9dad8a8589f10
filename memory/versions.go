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

// versioner makes the versions of a workspace's turns.
type versioner struct{ *Workspace }

// make makes the versions of turns that lack them, until there are none or stopped is
// closed. It logs failures and leaves those turns for the next time.
func (v versioner) make(stopped <-chan struct{}) {
	for {
		if !v.unmade.Swap(false) {
			return // the search for turns scans all that ever waited
		}
		pending, err := conversation.Pending(v.latest(), pendingPage)
		if err != nil {
			v.memory.log.Error("turns without versions not read", "err", err)
			return
		}
		made := 0
		for run := range slices.Chunk(pending, pendingRun) {
			n, more := v.run(run, stopped)
			if made += n; !more {
				v.unmade.Store(true)
				return
			}
			if v.memory.pace.busy() && !v.memory.pace.rest(stopped) {
				return
			}
		}
		if made == 0 {
			return // there are none, or none that could be made
		}
		v.unmade.Store(true)
	}
}

// run makes the versions of turns and stores them in batches. made counts those that no longer
// wait; more is false when stopped is closed or nothing can be stored.
func (v versioner) run(run []conversation.PendingTurn, stopped <-chan struct{}) (made int, more bool) {
	for turns := range slices.Chunk(run, pendingBatch) {
		list := make([]madeVersions, 0, len(turns))
		for _, p := range turns {
			select {
			case <-stopped:
				return made, false
			default:
			}
			one, err := v.of(p)
			if err == nil {
				list = append(list, one)
				continue
			}
			// It may have been deleted meanwhile.
			if still, e := conversation.IsPending(v.latest(), p); still || e != nil {
				v.memory.log.Error("versions of a turn not made", "turn", p.Turn, "err", err)
			}
		}
		if err := v.put(list); err != nil {
			v.memory.log.Error("versions of turns not stored", "err", err)
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

// of makes the versions to store for a turn, without the lock.
func (v versioner) of(p conversation.PendingTurn) (madeVersions, error) {
	latest := v.latest()
	info, err := conversation.ByNumber(latest, p.Conversation)
	if err != nil {
		return madeVersions{}, fmt.Errorf("find conversation: %w", err)
	}
	turn, err := conversation.Turn(latest, info, p.Turn)
	if err != nil {
		return madeVersions{}, fmt.Errorf("read turn: %w", err)
	}
	versions, raw := v.memory.opts.extract(turn)
	made := madeVersions{PendingTurn: p, first: turn.First, versions: versions, weights: v.memory.weightsOf(turn)}
	if v.memory.opts.Writer != nil && rewrite.Worth(raw, level.Levels{S: versions.S, C: versions.C, T: versions.T}) {
		made.better = &conversation.UnwrittenTurn{Conversation: p.Conversation, Turn: p.Turn, Messages: p.Messages, Content: contentOf(raw)}
	}
	return made, nil
}

// put stores versions of the turns that have not changed meanwhile: a turn that grew is
// queued again.
func (v versioner) put(list []madeVersions) error {
	if len(list) == 0 {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	tx := v.begin()
	for _, m := range list {
		still, err := conversation.IsPending(tx.View, m.PendingTurn)
		if err != nil {
			return err
		}
		if still {
			conversation.PutVersions(tx, m.Conversation, m.Turn, m.versions)
			conversation.PutWeights(tx, m.Conversation, m.first, m.weights)
			v.leaveToModel(tx, m)
		}
	}
	if err := v.memory.store.ApplyLater(tx.Batch); err != nil {
		return err
	}
	v.memory.scribe.poke(v.Workspace)
	return nil
}

// leaveToModel stages the model's work on a turn that has new versions.
func (v versioner) leaveToModel(tx store.Tx, m madeVersions) {
	if v.memory.opts.Writer == nil {
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
func (o *Options) extract(t dialogue.Turn) (v conversation.Versions, raw string) {
	raw = level.RawText(t)
	levels := level.Turn(t, level.Options{Count: o.Count})
	notes := arc.Note(t)
	v = conversation.Versions{
		S: levels.S, C: levels.C, T: levels.T, Source: dialogue.FromExtraction, Notes: notes.AppendBinary(nil), Messages: len(t.Messages),
	}
	v.Sizes = conversation.Sizes{
		R: o.sizeOf(t.Number, dialogue.Raw, raw), S: o.sizeOf(t.Number, dialogue.Smoothed, v.S),
		C: o.sizeOf(t.Number, dialogue.Compressed, v.C), T: o.sizeOf(t.Number, dialogue.Tiny, v.T),
	}
	return v, raw
}

// sizeOf returns the tokens of a version in a history: an element of its own, or a line of a merged
// block.
func (o *Options) sizeOf(turn int, level dialogue.Level, text string) int {
	if level == dialogue.Raw || level == dialogue.Smoothed {
		return o.Count(o.Block(dialogue.Tag(turn, level), text))
	}
	return o.Count(history.Line(turn, text) + "\n")
}

// versions returns a turn's versions, made now if the background has not made them yet: an answer
// does not depend on its progress.
func (v *Turns) versions(info conversation.Info, turn int) (made conversation.Versions, pending bool, err error) {
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
	made, _ = v.opts.extract(t)
	return made, true, nil
}

// written returns what a model made of a turn, whose versions by rules are made; nil when there is
// none, or it is from another state of the turn.
func (v *Turns) written(info conversation.Info, turn int, made conversation.Versions) (*conversation.Written, error) {
	w, ok, err := conversation.LoadWritten(v.state, info, turn)
	if err != nil || !ok || w.Messages != made.Messages {
		return nil, err
	}
	return &w, nil
}
