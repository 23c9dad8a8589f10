package work

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
)

// Keys, each after the workspace's prefix:
//
//	'b' task           blocker
//	'c' task           done
//	'o' time number task   nothing: the order of completion, so that the oldest is found without reading all
//	'l' time number    Entry of the log
const (
	blockerKind = 'b'
	doneKind    = 'c'
	orderKind   = 'o'
	logKind     = 'l'
)

// done is a completed task in stored form. Number orders tasks completed at the same time: it is
// that of the log's entry.
type done struct {
	TaskID  string    `json:"taskId"`
	Intent  string    `json:"intent,omitempty"`
	Summary string    `json:"summary,omitempty"`
	Success *bool     `json:"success,omitempty"`
	At      time.Time `json:"at"`
	Number  uint64    `json:"number"`
}

func (d done) task() Task {
	return Task{ID: d.TaskID, State: Completed, Intent: d.Intent, Summary: d.Summary, Success: d.Success, At: d.At}
}

// blocker is an active blocker in stored form. Recorded and Number are the position of its entry in
// the log.
type blocker struct {
	TaskID   string    `json:"taskId"`
	Reason   string    `json:"reason"`
	At       time.Time `json:"at"`
	Recorded time.Time `json:"recordedAt"`
	Number   uint64    `json:"number"`
}

func (k blocker) task() Task {
	return Task{ID: k.TaskID, State: Blocked, Reason: k.Reason, At: k.At}
}

// stageDone replaces an earlier completion of the same task and removes the oldest when there are
// more than keepCompleted.
func stageDone(tx store.Tx, d done) error {
	old, again, err := get[done](tx.Reader, doneKey(tx.Workspace, d.TaskID))
	if err != nil {
		return err
	}
	if again {
		tx.Delete(orderKey(tx.Workspace, old))
	}
	// The new one may be the oldest: the order is that of keys.
	order, err := doneOrder(tx.View, keepCompleted)
	if err != nil {
		return err
	}
	if !again && len(order) >= keepCompleted {
		oldest := order[len(order)-1]
		if string(orderKey(tx.Workspace, d)) < oldest.key {
			return nil
		}
		tx.Delete([]byte(oldest.key))
		tx.Delete(doneKey(tx.Workspace, oldest.task))
	}
	return putDone(tx, d)
}

func putDone(tx store.Tx, d done) error {
	if err := tx.SetJSON(doneKey(tx.Workspace, d.TaskID), d); err != nil {
		return err
	}
	tx.Set(orderKey(tx.Workspace, d), nil)
	return nil
}

// orderEntry is one entry of the order of completion.
type orderEntry struct{ key, task string }

// doneOrder returns up to limit entries of the order of completion, newest first.
func doneOrder(view store.View, limit int) ([]orderEntry, error) {
	var out []orderEntry
	prefix := kind(view.Workspace, orderKind)
	err := view.ScanBack(prefix, store.PrefixEnd(prefix), func(key, _ []byte) (bool, error) {
		if len(out) >= limit {
			return false, nil
		}
		if len(key) < len(prefix)+positionBytes {
			return false, fmt.Errorf("order of tasks: key of %d bytes", len(key))
		}
		task, _, ok := store.TakeString(key[len(prefix)+positionBytes:])
		if !ok {
			return false, fmt.Errorf("order of tasks: bad key")
		}
		out = append(out, orderEntry{string(key), task})
		return true, nil
	})
	return out, err
}

// listDone returns up to limit completed tasks, newest first.
func listDone(view store.View, limit int) ([]Task, error) {
	order, err := doneOrder(view, limit)
	if err != nil {
		return nil, err
	}
	out := make([]Task, 0, len(order))
	for _, o := range order {
		d, found, err := get[done](view.Reader, doneKey(view.Workspace, o.task))
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, fmt.Errorf("task %q is in the order of completion and nowhere else", o.task)
		}
		out = append(out, d.task())
	}
	return out, nil
}

// allBlockers returns the active blockers, by task.
func allBlockers(view store.View) ([]blocker, error) {
	var out []blocker
	prefix := kind(view.Workspace, blockerKind)
	err := view.Scan(prefix, store.PrefixEnd(prefix), func(_, value []byte) (bool, error) {
		var k blocker
		if err := json.Unmarshal(value, &k); err != nil {
			return false, fmt.Errorf("read blocker: %w", err)
		}
		out = append(out, k)
		return true, nil
	})
	return out, err
}

func get[T any](r store.Reader, key []byte) (v T, found bool, err error) {
	data, found, err := r.Get(key)
	if err != nil || !found {
		return v, false, err
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return v, false, fmt.Errorf("read task: %w", err)
	}
	return v, true, nil
}

func kind(ws store.Workspace, k byte) []byte { return append(store.Prefix(store.Work, ws), k) }

func blockerKey(ws store.Workspace, task string) []byte {
	return store.AppendString(kind(ws, blockerKind), task)
}

func doneKey(ws store.Workspace, task string) []byte {
	return store.AppendString(kind(ws, doneKind), task)
}

func orderKey(ws store.Workspace, d done) []byte {
	return store.AppendString(appendPosition(kind(ws, orderKind), d.At, d.Number), d.TaskID)
}

const positionBytes = 8 + 4 + 8

// appendPosition appends a time and a number in the order of time, then number. Times of any year
// keep their order.
func appendPosition(key []byte, at time.Time, number uint64) []byte {
	key = store.AppendUint64(key, uint64(at.Unix())^1<<63)
	key = store.AppendUint32(key, uint32(at.Nanosecond()))
	return store.AppendUint64(key, number)
}
