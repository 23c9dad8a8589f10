package memory

import (
	"fmt"

	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/extract"
	"github.com/contexture-dev/contexture/memory/history"
)

// pendingBatch is how many turns get their versions between two looks at whether to stop.
const pendingBatch = 64

// makeVersions makes the versions of turns that lack them, until there are none or stopped is closed. What fails is
// logged and left for the next time.
func (m *Memory) makeVersions(w *Workspace, stopped <-chan struct{}) {
	for {
		if err := w.rememberShown(); err != nil {
			m.log.Error("bundles not remembered: feedback on them will not be known", "err", err)
		}
		pending, err := conversation.Pending(m.store, w.number, pendingBatch)
		if err != nil {
			m.log.Error("turns without versions not read", "err", err)
			return
		}
		if len(pending) == 0 {
			return
		}
		for _, p := range pending {
			select {
			case <-stopped:
				return
			default:
			}
			if err := w.makeVersion(p); err != nil {
				m.log.Error("versions of a turn not made", "turn", p.Turn, "err", err)
				return
			}
		}
	}
}

// makeVersion extracts outside the lock and stores what it made if the turn is still the same.
func (w *Workspace) makeVersion(p conversation.PendingTurn) error {
	st := w.memory.store
	info, err := conversation.ByNumber(st, w.number, p.Conversation)
	if err != nil {
		return fmt.Errorf("find conversation: %w", err)
	}
	turn, err := conversation.Turn(st, w.number, info, p.Turn)
	if err != nil {
		return fmt.Errorf("read turn: %w", err)
	}
	v, weights := w.memory.extract(turn), w.memory.weightsOf(turn)
	w.mu.Lock()
	defer w.mu.Unlock()
	if still, err := conversation.IsPending(st, w.number, p); err != nil || !still {
		return err // it grew meanwhile, and waits anew
	}
	b := st.NewBatch()
	conversation.PutVersions(b, w.number, p.Conversation, p.Turn, v)
	conversation.PutWeights(b, w.number, p.Conversation, turn.First, weights)
	return st.ApplyLater(b)
}

// extract makes all versions of a turn by rules.
func (m *Memory) extract(t dialogue.Turn) conversation.Versions {
	levels := extract.Turn(t, extract.Options{Count: m.opts.Count})
	notes := arc.Note(t)
	v := conversation.Versions{
		S: levels.S, C: levels.C, T: levels.T, Source: dialogue.FromExtraction, Notes: notes.AppendBinary(nil), Messages: len(t.Messages),
	}
	v.Sizes = conversation.Sizes{
		R: m.sizeOf(t.Number, dialogue.Raw, extract.RawText(t)), S: m.sizeOf(t.Number, dialogue.Smoothed, v.S),
		C: m.sizeOf(t.Number, dialogue.Compressed, v.C), T: m.sizeOf(t.Number, dialogue.Tiny, v.T),
	}
	return v
}

// sizeOf is what a version takes in a history: an element of its own, or a line of a merged block.
func (m *Memory) sizeOf(turn int, level dialogue.Level, text string) int {
	if level == dialogue.Raw || level == dialogue.Smoothed {
		return m.opts.Count(m.opts.Block(dialogue.Tag(turn, level), text))
	}
	return m.opts.Count(history.Line(turn, text) + "\n")
}

// versions are a turn's, made now where the background has not come to it: an answer does not depend on how far it is.
func (v *View) versions(info conversation.Info, turn int) (made conversation.Versions, pending bool, err error) {
	count, err := conversation.MessageCount(v.r, v.w.number, info, turn)
	if err != nil {
		return made, false, err
	}
	made, ok, err := conversation.LoadVersions(v.r, v.w.number, info, turn)
	if err != nil || ok && made.Messages == count {
		return made, false, err
	}
	t, err := conversation.Turn(v.r, v.w.number, info, turn)
	if err != nil {
		return made, false, err
	}
	return v.w.memory.extract(t), true, nil
}
