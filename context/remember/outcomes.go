package remember

import (
	"context"
	"errors"
	"slices"

	"github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/episode"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

// Outcomes implements recall.Decider: it returns the outcomes of decisions in their episodes, and
// the rules that replaced others.
func (f *Found) Outcomes(context.Context) (func(turn string) []recall.Outcome, error) {
	x, err := f.View.Episodes()
	if err != nil || len(x.Episodes()) == 0 {
		return nil, err
	}
	held, replaced, err := f.View.Rules(f.Scope)
	if err != nil {
		return nil, err
	}
	byRule := replacements(held, replaced)
	return func(turn string) []recall.Outcome {
		return append(inEpisodes(turn, x), byRule[turn]...)
	}, nil
}

// inEpisodes returns how a turn's notes relate to others of their episodes.
func inEpisodes(turn string, x *episode.Index) (out []recall.Outcome) {
	for _, o := range x.Outcomes(turn) {
		other, effect := o.Effect, true
		if other.Source() == turn {
			other, effect = o.Cause, false
		}
		out = append(out, recall.Outcome{Turn: other.Source(), Message: other.Message, Effect: effect, Weight: o.Weight, Loose: o.Loose})
	}
	return out
}

// replacements returns, by turn, the rules that replaced one of it, and those that one of it
// replaced.
func replacements(held, replaced []knowledge.Item) map[string][]recall.Outcome {
	out := map[string][]recall.Outcome{}
	if len(replaced) == 0 {
		return out
	}
	by := make(map[string]*knowledge.Item, len(held)+len(replaced))
	for _, list := range [][]knowledge.Item{held, replaced} {
		for i := range list {
			by[list[i].ID] = &list[i]
		}
	}
	for i := range replaced {
		before, after := &replaced[i], by[replaced[i].SupersededBy]
		if after == nil || len(before.SourceTurns) == 0 || len(after.SourceTurns) == 0 {
			continue
		}
		from, to := before.SourceTurns[0], after.SourceTurns[0]
		if from == to {
			continue
		}
		out[from] = append(out[from], recall.Outcome{Turn: to, Message: firstMessage(after), Effect: true, Weight: 1})
		out[to] = append(out[to], recall.Outcome{Turn: from, Message: firstMessage(before), Weight: 1})
	}
	return out
}

// firstMessage returns the message that stated a rule first, "" when unknown.
func firstMessage(it *knowledge.Item) string {
	if len(it.MessageIDs) == 0 {
		return ""
	}
	return it.MessageIDs[0]
}

// Place implements recall.Decider.
func (f *Found) Place(_ context.Context, turn, message string) (conv uint32, index int, ok bool, err error) {
	id, name, ok := knowledge.ParseSource(turn)
	number, err := dialogue.ParseTurn(name)
	if !ok || err != nil || f.Scope != nil && f.Scope.ID != id {
		return 0, 0, false, nil
	}
	info, err := f.View.Find(id)
	if err == nil {
		var t dialogue.Turn
		if t, err = f.View.Turn(info, number); err == nil && len(t.Messages) > 0 {
			at := max(0, slices.IndexFunc(t.Messages, func(m dialogue.Message) bool { return m.ID == message && message != "" }))
			for _, s := range info.Spans() {
				if index = t.First + at; index >= s.From && index < s.To {
					return uint32(s.Conversation), index, true, nil
				}
			}
			return 0, 0, false, nil
		}
	}
	if errors.Is(err, conversation.ErrNotFound) {
		err = nil
	}
	return 0, 0, false, err
}
