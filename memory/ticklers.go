package memory

import (
	"cmp"
	"context"
	"fmt"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/recall"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
	"github.com/contexture-dev/contexture/memory/tickle"
)

// RenameFile records that a file or folder now has another path below the root: mentions of the old
// path are found under both. It returns when that is on disk.
func (w *Workspace) RenameFile(from, to string) error {
	from, to = w.clean(from), w.clean(to)
	return w.change(func(tx store.Tx) error {
		subject.Move(tx, from, to)
		return nil
	})
}

// Mentioning returns the turns that mention files and symbols, best first.
func (v *View) Mentioning(l subject.Lookup) ([]subject.LookupHit, error) {
	return subject.Find(v.state, l)
}

// Count returns the number of messages and how many of them contain each of some terms; see
// [recall.Count].
func (v *Messages) Count(ctx context.Context, terms []string) (messages float64, counts []float64, err error) {
	return recall.Count(ctx, v.state, terms)
}

// TurnOf returns the turn of a message that is stored under a number. Error:
// conversation.ErrNotFound.
func (v *Messages) TurnOf(number uint32, message int) (int, error) {
	info, err := conversation.ByNumber(v.state, conversation.Number(number))
	if err != nil {
		return 0, err
	}
	return conversation.TurnOf(v.state, info, message)
}

// Opening returns the first message of a turn that is stored under a number, and the index after
// the turn's last message. Error: conversation.ErrNotFound.
func (v *Messages) Opening(number uint32, turn int) (first Place, end int, err error) {
	stored, err := v.stored(conversation.Number(number))
	if err != nil {
		return Place{}, 0, err
	}
	start, end, err := conversation.Bounds(v.state, stored.info, turn)
	if err != nil {
		return Place{}, 0, err
	}
	_, list, err := v.Places(number, start, start+1)
	if err != nil || len(list) == 0 {
		return Place{}, 0, cmp.Or(err, conversation.ErrNotFound)
	}
	return list[0], end, nil
}

// Spoken is a turn with the conversation as part of which it is shown.
type Spoken struct {
	Info conversation.Info
	dialogue.Turn
}

// Spoken returns the turn stored under a number: as one of the conversation mine if it belongs to
// its past, else as one of the conversation that said it or, if that was deleted, of a fork that
// shares it. Error: conversation.ErrNotFound, also for a turn of which nothing remains.
func (v *Messages) Spoken(number uint32, turn int, mine conversation.Info) (Spoken, error) {
	info, err := conversation.ByNumber(v.state, conversation.Number(number))
	if err != nil {
		return Spoken{}, err
	}
	t, err := conversation.Turn(v.state, info, turn)
	if err != nil {
		return Spoken{}, err
	}
	if len(t.Messages) == 0 {
		return Spoken{}, fmt.Errorf("turn %s is empty: %w", dialogue.TurnID(turn), conversation.ErrNotFound)
	}
	for _, s := range mine.Spans() {
		if s.Conversation == info.Number && s.From <= t.First && t.First < s.To {
			return Spoken{mine, t}, nil
		}
	}
	if info.ID == "" {
		if info, err = conversation.Living(v.state, info.Number, t.First); err != nil {
			return Spoken{}, err
		}
	}
	return Spoken{info, t}, nil
}

// Reminder returns the data for a tickler of a turn, without its score. number is the one under
// which the turn is stored; the title is set unless the conversation is the current one, whose id
// is mine.
func (v *View) Reminder(s Spoken, number uint32, mine string) (tickle.Turn, error) {
	made, _, err := v.Turns.versions(s.Info, s.Number)
	if err != nil {
		return tickle.Turn{}, err
	}
	out := tickle.Turn{ConversationID: s.Info.ID, Number: s.Number, At: s.Messages[0].At, Tiny: made.T}
	if better, err := v.Turns.written(s.Info, s.Number, made); err != nil {
		return tickle.Turn{}, err
	} else if better != nil && better.T != "" {
		out.Tiny = better.T
	}
	if s.Info.ID != v.w.name(mine) {
		out.ConversationTitle = s.Info.Title
	}
	out.Paths, out.Symbols, err = subject.InTurn(v.state, number, s.Number)
	if err != nil {
		return tickle.Turn{}, fmt.Errorf("read mentions: %w", err)
	}
	return out, nil
}
