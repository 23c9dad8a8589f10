package memory

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/rewrite"
	"github.com/contexture-dev/contexture/memory/store"
)

// Arc is a summary of a conversation, with its author.
type Arc struct {
	arc.Arc
	Source dialogue.Source
}

// How many turns a conversation grows before a model summarises its arc again, and for how many the
// summary is used.
const (
	arcEvery = 3
	arcLasts = 5
)

// What a model is shown of a conversation: so many of its last turns, the newest ones shortened
// less.
const (
	arcTurns     = 60
	arcNearTurns = 12
	arcTurnBytes = 1600 // of a turn; a longer one is reduced to a sentence
)

// arcRecord is the stored form of a conversation's arc.
type arcRecord struct {
	rewrite.ConversationArc
	By []byte `json:"by"` // the question
}

// modelArc returns a model's arc of a conversation while it is recent enough; nil otherwise.
func modelArc(view store.View, info conversation.Info) (*rewrite.ConversationArc, error) {
	rec, err := loadArc(view, info.Number)
	if err != nil || rec == nil || rec.Summary == "" || rec.Turns > info.Turns || info.Turns-rec.Turns > arcLasts {
		return nil, err
	}
	return &rec.ConversationArc, nil
}

// loadArc returns the stored arc; nil when there is none, or one of another format version.
func loadArc(view store.View, n conversation.Number) (*arcRecord, error) {
	raw, ok, err := conversation.LoadArc(view, n)
	if err != nil || !ok {
		return nil, err
	}
	var rec arcRecord
	if json.Unmarshal(raw, &rec) != nil {
		return nil, nil
	}
	return &rec, nil
}

// writeArc has the model summarise what one conversation is about.
func (d *drafter) writeArc(ctx context.Context) (did bool, err error) {
	list, err := conversation.PendingArcs(d.latest(), candidates)
	if err != nil || len(list) == 0 {
		return false, err
	}
	n := withFewestFailures(&d.writing, list)
	removals := d.removals.Load()
	task, turns, ok, err := d.arcTask(n)
	if err != nil {
		return false, err
	}
	if !ok {
		return true, d.putArc(removals, n, turns, nil)
	}
	rec := arcRecord{ConversationArc: rewrite.ConversationArc{Turns: turns}}
	by := askedOf(contentOf(task.Request.Prompt), d.writer.Identity())
	rec.By = by[:]
	if old, err := loadArc(d.latest(), n); err != nil {
		return false, err
	} else if old != nil && slices.Equal(old.By, rec.By) {
		d.memory.scribe.count(func(s *WriterStats) { s.Known++ })
		return true, d.putArc(removals, n, turns, nil)
	}
	answer, ok, err := d.ask(ctx, n, task.Request)
	if err != nil {
		return false, err
	}
	if ok {
		story, dropped, bad := task.Read(answer)
		if bad == nil {
			rec.ConversationArc = story
		}
		d.memory.refused("conversation", bad)
		d.memory.judged(dropped+btoi(bad != nil), bad == nil)
	}
	return true, d.putArc(removals, n, turns, &rec)
}

// arcTask returns the question about a conversation, and its number of turns; ok is false when
// there is nothing to ask.
func (d *drafter) arcTask(n conversation.Number) (task rewrite.ConversationTask, turns int, ok bool, err error) {
	v := d.View()
	defer v.Close()
	info, err := conversation.ByNumber(v.state, n)
	if errors.Is(err, conversation.ErrNotFound) {
		return task, 0, false, nil
	}
	if err != nil || info.ID == "" || info.Messages <= arcMessages {
		return task, info.Turns, false, err
	}
	before := rewrite.ConversationArc{}
	rec, err := loadArc(v.state, n)
	if err != nil {
		return task, info.Turns, false, err
	}
	if rec != nil {
		before = rec.ConversationArc
	}
	if before.Turns > 0 && info.Turns-before.Turns < arcEvery {
		return task, info.Turns, false, nil
	}
	rules, err := v.Arcs.byRules(info, arc.Dense, 0)
	if err != nil {
		return task, info.Turns, false, err
	}
	var told []rewrite.ShortTurn
	for turn := max(1, info.Turns-arcTurns+1); turn <= info.Turns; turn++ {
		made, _, err := v.Turns.versions(info, turn)
		if err != nil {
			return task, info.Turns, false, err
		}
		text := made.T
		if turn > info.Turns-arcNearTurns && len(made.C) <= arcTurnBytes {
			text = made.C
		}
		told = append(told, rewrite.ShortTurn{Turn: turn, Text: text})
	}
	task, ok = rewrite.Conversation(info.Turns, told, rules, before, d.memory.rewriting(d.writer, d.memory.opts.Count))
	return task, info.Turns, ok, nil
}

// putArc stores the arc written when the conversation had the given number of turns, nil when
// there is nothing to write. A conversation that has grown meanwhile is queued again.
func (d *drafter) putArc(removals uint64, n conversation.Number, turns int, rec *arcRecord) error {
	delete(d.writing.failed, n)
	var raw []byte
	if rec != nil {
		var err error
		if raw, err = json.Marshal(rec); err != nil {
			return err
		}
	}
	err := d.keep(removals, func(tx store.Tx) error {
		info, err := conversation.ByNumber(tx.View, n)
		if err != nil && !errors.Is(err, conversation.ErrNotFound) {
			return err
		}
		conversation.NoArc(tx, n)
		if err == nil && rec != nil {
			conversation.PutArc(tx, n, raw)
		}
		if err == nil && info.Turns > turns {
			conversation.WantArc(tx, n)
		}
		return nil
	})
	if errors.Is(err, errGone) {
		return nil
	}
	return err
}

// byRules returns the arc by rules. The caller must not change its lists.
func (v *Arcs) byRules(info conversation.Info, style arc.Style, budget int) (arc.Arc, error) {
	folder, last, err := v.folder(info)
	if err != nil {
		return arc.Arc{}, err
	}
	return folder.Arc(last, style, budget, v.turns.opts.Count), nil
}
