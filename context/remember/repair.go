package remember

import (
	"errors"
	"slices"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
)

// repairs bounds the messages with a failure that are read, since an assistant waits for it.
const repairs = 16

// Repair returns the command that passed in another conversation after one had failed in the same
// way, the newest one; nil if there is none.
func (a *Act) Repair(failure knowledge.Failure) (*Reminder, error) {
	found, err := a.View.Messages.Failing(failure, repairs)
	if err != nil {
		return nil, err
	}
	var best *Reminder
	for _, at := range found {
		t, err := a.repair(failure, at)
		if err != nil {
			return nil, err
		}
		if t != nil && (best == nil || t.At.After(best.At)) {
			best = t
		}
	}
	return best, nil
}

// repair returns the command that passed in place of a failing one in its turn; nil if there is
// none.
func (a *Act) repair(failure knowledge.Failure, at knowledge.Failing) (*Reminder, error) {
	info, places, err := a.View.Messages.Places(at.Conversation, at.Message, at.Message+1+howAfter)
	if errors.Is(err, conversation.ErrNotFound) || err == nil && (len(places) == 0 || a.Mine != "" && info.ID == a.Mine) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	turn := places[0].Turn
	var messages []dialogue.Message
	for _, p := range places {
		if p.Turn != turn {
			break
		}
		messages = append(messages, p.Message)
	}
	marks := knowledge.MarksOf(messages)
	runs := failure.Runs(&messages[0], marks)
	slices.Reverse(runs) // of several in a line, the last is most likely the one that failed
	for i := range runs {
		line, index := marks.Repair(&runs[i], messages[1:])
		if line == "" {
			continue
		}
		out := &Reminder{
			ID: TurnsID(info.ID, turn, turn), Kind: lesson, Text: line + " passed after " + runs[i].Line + " had failed so", Passed: line,
			At: messages[1+index].At, Conversation: info.ID, Turn: turn,
		}
		if !out.At.IsZero() {
			out.Date = out.At.UTC().Format("2006-01-02")
		}
		return out, nil
	}
	return nil, nil
}
