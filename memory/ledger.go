package memory

import (
	"fmt"
	"math"
	"strings"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/subject"
)

// Bounds of a ledger.
const (
	ledgerShare     = 10  // the largest share of a summary that its ledger takes, in percent
	maxLedgerTokens = 400 // tokens of a ledger
	minLedgerTokens = 16  // tokens below which a ledger is useless
)

// Ledger counts the files and symbols that turns from … to of a conversation mention, the latest
// most.
func (v *View) Ledger(info conversation.Info, from, to int) (*subject.Ledger, error) {
	return ledgerOf(v.state, info, subject.Run{To: info.Messages, FirstTurn: from, LastTurn: to})
}

// ledgerOf counts what a run of a conversation's messages mentions, wherever they are stored.
func ledgerOf(view store.View, info conversation.Info, run subject.Run) (*subject.Ledger, error) {
	l := &subject.Ledger{}
	for _, s := range info.Spans() {
		part := run
		part.Conversation, part.From, part.To = uint32(s.Conversation), max(run.From, s.From), min(run.To, s.To)
		if part.From >= part.To {
			continue
		}
		if err := l.Count(view, part); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// A workspace's ledger covers the latest turns of its latest conversations. The weight of a mention
// halves after so many conversations continued since.
const (
	latelyTalks    = 8
	latelyTurns    = 30
	latelyHalfLife = 3
)

// Lately counts the files and symbols that the conversations of the workspace, except one, mention,
// the latest with the most weight: the last turns of each conversation, and shared turns only once.
// It reads stored data, so that what is forgotten is not included. except may be the zero value.
func (v *View) Lately(except conversation.Info) (*subject.Ledger, error) {
	list, _, err := v.Conversations.List(latelyTalks+1, "")
	if err != nil {
		return nil, fmt.Errorf("list the latest conversations: %w", err)
	}
	out := &subject.Ledger{}
	rank := 0
	for _, info := range list {
		if info.ID == except.ID || rank == latelyTalks {
			continue
		}
		spans := info.Spans()
		if len(spans) == 0 {
			continue
		}
		own := spans[len(spans)-1]
		part := &subject.Ledger{}
		run := subject.Run{Conversation: uint32(own.Conversation), From: own.From, To: own.To, FirstTurn: max(1, info.Turns-latelyTurns+1), LastTurn: info.Turns}
		if err := part.Count(v.state, run); err != nil {
			return nil, err
		}
		out.Join(part, math.Exp2(-float64(rank)/latelyHalfLife))
		rank++
	}
	return out, nil
}

// ledger returns the ledger of the messages from … to, in a tenth of a summary's tokens.
func (c *compactor) ledger(from, to, tokens int) (string, error) {
	room := min(tokens*ledgerShare/100, maxLedgerTokens)
	if room < minLedgerTokens {
		return "", nil
	}
	l, err := ledgerOf(c.view.state, c.info, subject.Run{From: from, To: to + 1, FirstTurn: c.weights[from].turn, LastTurn: c.weights[to].turn})
	if err != nil {
		return "", err
	}
	return l.Text(room-1, c.count), nil
}

// withLedger returns a summary followed by its ledger.
func withLedger(summary, ledger string) string {
	if summary == "" || ledger == "" {
		return summary
	}
	return strings.TrimRight(summary, "\n") + "\n" + ledger
}

// roomOf returns the tokens that a ledger takes of a summary.
func (c *compactor) roomOf(ledger string) int {
	if ledger == "" {
		return 0
	}
	return c.count(ledger) + 1
}
