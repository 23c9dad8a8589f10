package work

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
)

// Action is the kind of a change.
type Action string

// The kinds of changes.
const (
	DidComplete Action = "complete"
	DidBlock    Action = "block"
	DidUnblock  Action = "unblock"
)

// Position orders the entries of the log.
type Position struct {
	Recorded time.Time `json:"recordedAt"` // never earlier than that of the previous entry
	Number   uint64    `json:"number"`     // orders entries recorded at the same time
}

// Entry is one change in the log, with all its data. Its JSON is the stored form.
type Entry struct {
	Position
	Action          Action    `json:"action"`
	TaskID          string    `json:"taskId"`
	Intent          string    `json:"intent,omitempty"`
	RequiresContext bool      `json:"requiresContext,omitempty"`
	Success         *bool     `json:"success,omitempty"`
	Notes           string    `json:"notes,omitempty"`
	Reason          string    `json:"reason,omitempty"` // of the blocker that was set or cleared
	At              time.Time `json:"at"`               // when it happened according to the caller
}

// eachEntry calls f for each entry of the log, the oldest first, until it returns false or an
// error.
func eachEntry(view store.View, f func(Entry) (more bool, err error)) error {
	prefix := kind(view.Workspace, logKind)
	return view.Scan(prefix, store.PrefixEnd(prefix), func(_, value []byte) (bool, error) {
		var e Entry
		if err := json.Unmarshal(value, &e); err != nil {
			return false, err
		}
		return f(e)
	})
}

// nextPosition returns the position of the next entry: after all existing ones, whatever the clock.
func nextPosition(view store.View, now time.Time) (Position, error) {
	p := Position{Recorded: now.UTC(), Number: 1}
	prefix := kind(view.Workspace, logKind)
	err := view.ScanBack(prefix, store.PrefixEnd(prefix), func(_, value []byte) (bool, error) {
		var last Entry
		if err := json.Unmarshal(value, &last); err != nil {
			return false, fmt.Errorf("read log of tasks: %w", err)
		}
		p.Number = last.Number + 1
		if p.Recorded.Before(last.Recorded) {
			p.Recorded = last.Recorded
		}
		return false, nil
	})
	return p, err
}

func logEntry(tx store.Tx, p Position, e Entry) error {
	e.Position = p
	return tx.SetJSON(logKey(tx.Workspace, p), e)
}

func logKey(ws store.Workspace, p Position) []byte {
	return appendPosition(kind(ws, logKind), p.Recorded, p.Number)
}
