package work

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
)

// taskRecord and auditRecord are lines of an export.
type taskRecord struct {
	Type     string    `json:"type"`
	TaskID   string    `json:"taskId"`
	State    State     `json:"state"`
	Intent   string    `json:"intent,omitempty"`
	Summary  string    `json:"summary,omitempty"`
	Success  *bool     `json:"success,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	At       time.Time `json:"at"`
	Recorded time.Time `json:"recordedAt,omitzero"` // of a blocker
	Number   uint64    `json:"number"`
}

type auditRecord struct {
	Type string `json:"type"`
	Entry
}

// The types of this package's lines in an export.
const (
	TaskType  = "task"
	AuditType = "audit"
)

// Export emits completed tasks, oldest first, blockers by task, then the log, oldest first. The
// emitted values are to be written as JSON.
func Export(view store.View, emit func(any) error) error {
	order, err := doneOrder(view, keepCompleted)
	if err != nil {
		return fmt.Errorf("export tasks: %w", err)
	}
	for _, o := range slices.Backward(order) {
		d, _, err := get[done](view.Reader, doneKey(view.Workspace, o.task))
		if err != nil {
			return fmt.Errorf("export tasks: %w", err)
		}
		if err := emit(taskRecord{Type: TaskType, TaskID: d.TaskID, State: Completed, Intent: d.Intent,
			Summary: d.Summary, Success: d.Success, At: d.At, Number: d.Number}); err != nil {
			return err
		}
	}
	active, err := allBlockers(view)
	if err != nil {
		return fmt.Errorf("export tasks: %w", err)
	}
	for _, k := range active {
		if err := emit(taskRecord{Type: TaskType, TaskID: k.TaskID, State: Blocked, Reason: k.Reason, At: k.At,
			Recorded: k.Recorded, Number: k.Number}); err != nil {
			return err
		}
	}
	return eachEntry(view, func(e Entry) (bool, error) {
		return true, emit(auditRecord{AuditType, e})
	})
}

// Import registers the lines of this package. They are merged with the existing data: of two
// completions or blockers of a task the later one wins, the log gets every entry of both once, and
// a blocker that was cleared here does not come back. Staging the same lines again changes nothing.
func Import(im *store.Importer, tx store.Tx) {
	p := &importer{tx: tx, blockers: map[string]blocker{}, log: map[string]Entry{}}
	store.ImportLines(im, TaskType, p.task)
	store.ImportLines(im, AuditType, func(a auditRecord) error { return p.entry(a.Entry) })
	im.Finally(p.finish)
}

type importer struct {
	tx store.Tx

	completed map[string]done // all existing ones, once one has been read
	blockers  map[string]blocker
	log       map[string]Entry // staged, by key
}

func (im *importer) task(t taskRecord) error {
	if t.TaskID == "" || t.At.IsZero() {
		return errors.New("taskId and at are required")
	}
	switch t.State {
	case Completed:
		if err := im.load(); err != nil {
			return err
		}
		d := done{t.TaskID, t.Intent, t.Summary, t.Success, t.At.UTC(), t.Number}
		if old, ok := im.completed[t.TaskID]; !ok || bytes.Compare(orderKey(im.tx.Workspace, old), orderKey(im.tx.Workspace, d)) < 0 {
			im.completed[t.TaskID] = d
		}
	case Blocked:
		if t.Reason == "" || t.Recorded.IsZero() {
			return errors.New("reason and recordedAt are required of a blocker")
		}
		im.blockers[t.TaskID] = blocker{t.TaskID, t.Reason, t.At.UTC(), t.Recorded.UTC(), t.Number}
	default:
		return fmt.Errorf("state %q is not one of %s, %s", t.State, Completed, Blocked)
	}
	return nil
}

// load reads the completed tasks, of which there are few.
func (im *importer) load() error {
	if im.completed != nil {
		return nil
	}
	order, err := doneOrder(im.tx.View, keepCompleted)
	if err != nil {
		return err
	}
	im.completed = make(map[string]done, len(order))
	for _, o := range order {
		d, _, err := get[done](im.tx.Reader, doneKey(im.tx.Workspace, o.task))
		if err != nil {
			return err
		}
		im.completed[o.task] = d
	}
	return nil
}

// entry adds an entry at its position or, if another store's entry has it already, at the next free
// one.
func (im *importer) entry(e Entry) error {
	if e.TaskID == "" || e.At.IsZero() || e.Recorded.IsZero() {
		return errors.New("taskId, at and recordedAt are required")
	}
	if e.Action != DidComplete && e.Action != DidBlock && e.Action != DidUnblock {
		return fmt.Errorf("action %q is not one of %s, %s, %s", e.Action, DidComplete, DidBlock, DidUnblock)
	}
	e.At, e.Recorded = e.At.UTC(), e.Recorded.UTC()
	for {
		key := logKey(im.tx.Workspace, e.Position)
		there, found := im.log[string(key)]
		if !found {
			var err error
			if there, found, err = get[Entry](im.tx.Reader, key); err != nil {
				return err
			}
		}
		if !found {
			im.log[string(key)] = e
			return im.tx.SetJSON(key, e)
		}
		if same(there, e) {
			return nil
		}
		e.Number++
	}
}

// same compares everything except the number.
func same(x, y Entry) bool {
	success := x.Success == nil && y.Success == nil || x.Success != nil && y.Success != nil && *x.Success == *y.Success
	at := x.At.Equal(y.At) && x.Recorded.Equal(y.Recorded)
	x.Success, x.At, x.Position = y.Success, y.At, y.Position
	return success && at && x == y
}

func (im *importer) finish() error {
	if err := im.finishCompleted(); err != nil {
		return fmt.Errorf("import tasks: %w", err)
	}
	for _, k := range im.blockers {
		old, found, err := get[blocker](im.tx.Reader, blockerKey(im.tx.Workspace, k.TaskID))
		if err != nil {
			return fmt.Errorf("import tasks: %w", err)
		}
		if found && !old.At.Before(k.At) {
			continue
		}
		known, err := im.logged(k)
		if err != nil {
			return fmt.Errorf("import tasks: %w", err)
		}
		if known && !found {
			continue // it existed here, and was cleared
		}
		if err := im.tx.SetJSON(blockerKey(im.tx.Workspace, k.TaskID), k); err != nil {
			return fmt.Errorf("import tasks: %w", err)
		}
	}
	return nil
}

// logged reports whether the log from before the import has a blocker's entry: at its position or,
// see entry, after it.
func (im *importer) logged(k blocker) (bool, error) {
	for p := (Position{k.Recorded, k.Number}); ; p.Number++ {
		e, found, err := get[Entry](im.tx.Reader, logKey(im.tx.Workspace, p))
		if err != nil || !found {
			return false, err
		}
		if e.Action == DidBlock && e.TaskID == k.TaskID && e.Reason == k.Reason && e.At.Equal(k.At) {
			return true, nil
		}
	}
}

// finishCompleted replaces the existing completed tasks with the newest ones.
func (im *importer) finishCompleted() error {
	if im.completed == nil {
		return nil
	}
	all := make([]done, 0, len(im.completed))
	for _, d := range im.completed {
		all = append(all, d)
	}
	slices.SortFunc(all, func(x, y done) int { return bytes.Compare(orderKey(im.tx.Workspace, y), orderKey(im.tx.Workspace, x)) })
	for _, k := range []byte{doneKind, orderKind} {
		prefix := kind(im.tx.Workspace, k)
		im.tx.DeleteRange(prefix, store.PrefixEnd(prefix))
	}
	for _, d := range all[:min(len(all), keepCompleted)] {
		if err := putDone(im.tx, d); err != nil {
			return err
		}
	}
	return nil
}
