package work

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
)

// Action is what a change did.
type Action string

// The changes that there are.
const (
	DidComplete Action = "complete"
	DidBlock    Action = "block"
	DidUnblock  Action = "unblock"
)

// Position is a place in the log. The zero Position is before the first entry.
type Position struct {
	Recorded time.Time `json:"recordedAt"` // never earlier than that of the entry before
	Number   uint64    `json:"number"`     // orders entries that were recorded at the same time
}

// Entry is one change in the log, with all that was said of it. Its JSON is the stored form.
type Entry struct {
	Position
	Action          Action    `json:"action"`
	TaskID          string    `json:"taskId"`
	Intent          string    `json:"intent,omitempty"`
	RequiresContext bool      `json:"requiresContext,omitempty"`
	Success         *bool     `json:"success,omitempty"`
	Notes           string    `json:"notes,omitempty"`
	Reason          string    `json:"reason,omitempty"` // of the blocker that was set or cleared
	At              time.Time `json:"at"`               // when it is said to have happened
}

// Audit gives up to limit entries of the log that come after a position, oldest first.
func Audit(r store.Reader, ws store.Workspace, after Position, limit int) ([]Entry, error) {
	var out []Entry
	err := eachEntry(r, ws, after, func(e Entry) (bool, error) {
		if len(out) >= limit {
			return false, nil
		}
		out = append(out, e)
		return len(out) < limit, nil
	})
	if err != nil {
		return nil, fmt.Errorf("read log of tasks: %w", err)
	}
	return out, nil
}

func eachEntry(r store.Reader, ws store.Workspace, after Position, f func(Entry) (more bool, err error)) error {
	prefix := kind(ws, logKind)
	lower := prefix
	if after != (Position{}) {
		lower = append(logKey(ws, after), 0) // the smallest key above
	}
	return r.Scan(lower, store.PrefixEnd(prefix), func(_, value []byte) (bool, error) {
		var e Entry
		if err := json.Unmarshal(value, &e); err != nil {
			return false, err
		}
		return f(e)
	})
}

// nextPosition gives the place of the next entry: after all that are there, whatever the clock says.
func nextPosition(r store.Reader, ws store.Workspace, now time.Time) (Position, error) {
	p := Position{Recorded: now.UTC(), Number: 1}
	prefix := kind(ws, logKind)
	err := r.ScanBack(prefix, store.PrefixEnd(prefix), func(_, value []byte) (bool, error) {
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

func logEntry(b *store.Batch, ws store.Workspace, p Position, e Entry) error {
	e.Position = p
	return set(b, logKey(ws, p), e)
}

func logKey(ws store.Workspace, p Position) []byte {
	return appendPosition(kind(ws, logKind), p.Recorded, p.Number)
}
