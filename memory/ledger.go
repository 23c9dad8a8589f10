package memory

import (
	"strings"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/entity"
	"github.com/contexture-dev/contexture/memory/history"
)

// Bounds of a ledger.
const (
	ledgerShare   = 10  // percent of a summary that its ledger takes at most
	historyLedger = 4   // percent of a history: a tenth of what the merged blocks have
	mostLedger    = 400 // tokens of a ledger
	leastLedger   = 16  // tokens below which a ledger says nothing
	leastHistory  = 60  // tokens of a ledger below which the turns themselves say more than it
	ledgerFrom    = 20  // turns from which a history has a ledger: a multiple of ten, where borders are laid anew
)

// Ledger counts the files and symbols that turns from … to of a conversation mention, the latest most.
func (v *View) Ledger(info conversation.Info, from, to int) (*entity.Ledger, error) {
	return v.ledger(info, entity.Run{To: info.Messages, FirstTurn: from, LastTurn: to})
}

// ledger counts what a run of a conversation's messages mentions, wherever they are stored.
func (v *View) ledger(info conversation.Info, run entity.Run) (*entity.Ledger, error) {
	l := &entity.Ledger{}
	for _, s := range info.Spans() {
		part := run
		part.Conversation, part.From, part.To = uint32(s.Conversation), max(run.From, s.From), min(run.To, s.To)
		if part.From >= part.To {
			continue
		}
		if err := l.Count(v.r, v.w.number, part); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// ledgerRoom is what a history of so many turns keeps for its ledger, in tokens.
func ledgerRoom(turns, budget int, s history.Strategy) int {
	room := min(budget*historyLedger/100, mostLedger)
	if turns < ledgerFrom || room < leastHistory || s == history.Regular || s == history.TaskLog {
		return 0
	}
	return room
}

// addLedger puts the ledger of the merged blocks at the beginning of a history before the first of them. It is that of
// the turn at which the borders were laid, so that it stays as it is until they are laid anew.
func (v *View) addLedger(h *History, info conversation.Info, room int) error {
	to := 0
	for _, b := range h.Bands {
		if b.Level == dialogue.Raw || b.Level == dialogue.Smoothed {
			break
		}
		to = b.To
	}
	if to = min(to, h.RecalculatedAt); to == 0 || room == 0 || len(h.Blocks) == 0 {
		return nil
	}
	l, err := v.Ledger(info, 1, to)
	if err != nil {
		return err
	}
	count := v.w.memory.opts.Count
	if text := l.Text(room-2, count); text != "" {
		h.Blocks[0].Body = text + "\n" + h.Blocks[0].Body
		h.Tokens += count(text) + 1
	}
	return nil
}

// ledger is what the messages from … to mention, in a tenth of a summary's tokens.
func (c *compactor) ledger(from, to, tokens int) (string, error) {
	room := min(tokens*ledgerShare/100, mostLedger)
	if room < leastLedger {
		return "", nil
	}
	l, err := c.view.ledger(c.info, entity.Run{From: from, To: to + 1, FirstTurn: c.weights[from].turn, LastTurn: c.weights[to].turn})
	if err != nil {
		return "", err
	}
	return l.Text(room-1, c.count), nil
}

// withLedger is a summary with its ledger.
func withLedger(summary, ledger string) string {
	if summary == "" || ledger == "" {
		return summary
	}
	return strings.TrimRight(summary, "\n") + "\n" + ledger
}

// roomOf is what a ledger takes of a summary, in tokens.
func (c *compactor) roomOf(ledger string) int {
	if ledger == "" {
		return 0
	}
	return c.count(ledger) + 1
}
