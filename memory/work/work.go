// Package work is the working memory of a workspace: recently completed tasks, what blocks others,
// and a log of every change. The last hundred completed tasks and all active blockers are stored;
// the log is append-only and complete.
//
// A change reads the committed state and stages into a batch that cannot be read back, so a batch
// holds one change of a workspace's tasks, and the committer must keep other changes of the
// workspace out in between. Nothing here commits.
package work

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
)

// ErrNotFound means that a task has no blocker.
var ErrNotFound = errors.New("no such blocker")

const (
	keepCompleted = 100 // completed tasks that are stored
	bundled       = 5   // completed tasks that are in a bundle
)

// State is the state of a task after a change.
type State string

// The states of the contract.
const (
	Completed State = "completed"
	Blocked   State = "blocked"
	Unblocked State = "unblocked"
)

// Task is a piece of work with its state.
type Task struct {
	ID      string
	State   State
	Intent  string
	Summary string    // of a completed task that later ones need to know about
	Success *bool     // of a completed task that was validated
	Reason  string    // why it is, or was, blocked
	At      time.Time // when it entered this state, UTC
}

// Completion is the input for a completed task.
type Completion struct {
	TaskID          string
	Intent          string
	RequiresContext bool // later tasks need to know about it: a summary is made
	Validation      *Validation
	At              time.Time // zero: now
}

// Validation is the outcome of a task.
type Validation struct {
	Success bool
	Notes   string
}

// Complete records that a task is done, which clears its blocker. Completing a task again replaces
// its record. The newest completed tasks by their time are kept: one recorded late may be older
// than all of those, and then is only in the log.
func Complete(tx store.Tx, c Completion) (Task, error) {
	fail := func(err error) (Task, error) { return Task{}, fmt.Errorf("complete task %q: %w", c.TaskID, err) }
	at, err := nextPosition(tx.View, tx.Now)
	if err != nil {
		return fail(err)
	}
	cleared, blocked, err := get[blocker](tx.Reader, blockerKey(tx.Workspace, c.TaskID))
	if err != nil {
		return fail(err)
	}
	if blocked {
		tx.Delete(blockerKey(tx.Workspace, c.TaskID))
	}
	d := done{TaskID: c.TaskID, Intent: c.Intent, At: orNow(c.At, tx.Now), Number: at.Number}
	e := Entry{Action: DidComplete, TaskID: c.TaskID, Intent: c.Intent, RequiresContext: c.RequiresContext,
		Reason: cleared.Reason, At: d.At}
	if v := c.Validation; v != nil {
		d.Success, e.Success, e.Notes = &v.Success, &v.Success, v.Notes
	}
	if c.RequiresContext {
		d.Summary = summarise(c, cleared.Reason)
	}
	if err := stageDone(tx, d); err != nil {
		return fail(err)
	}
	if err := logEntry(tx, at, e); err != nil {
		return fail(err)
	}
	t := d.task()
	t.Reason = cleared.Reason
	return t, nil
}

// Block records what keeps a task from proceeding, replacing an earlier record. A completed task
// may be blocked: it is being worked on again. A zero at means now.
func Block(tx store.Tx, taskID, reason string, at time.Time) (Task, error) {
	fail := func(err error) (Task, error) { return Task{}, fmt.Errorf("block task %q: %w", taskID, err) }
	p, err := nextPosition(tx.View, tx.Now)
	if err != nil {
		return fail(err)
	}
	k := blocker{TaskID: taskID, Reason: reason, At: orNow(at, tx.Now), Recorded: p.Recorded, Number: p.Number}
	if err := tx.SetJSON(blockerKey(tx.Workspace, taskID), k); err != nil {
		return fail(err)
	}
	if err := logEntry(tx, p, Entry{Action: DidBlock, TaskID: taskID, Reason: reason, At: k.At}); err != nil {
		return fail(err)
	}
	return k.task(), nil
}

// Unblock removes a task's blocker. It returns ErrNotFound when there is none.
func Unblock(tx store.Tx, taskID string) (Task, error) {
	fail := func(err error) (Task, error) { return Task{}, fmt.Errorf("unblock task %q: %w", taskID, err) }
	k, found, err := get[blocker](tx.Reader, blockerKey(tx.Workspace, taskID))
	if err == nil && !found {
		err = ErrNotFound
	}
	if err != nil {
		return fail(err)
	}
	p, err := nextPosition(tx.View, tx.Now)
	if err != nil {
		return fail(err)
	}
	tx.Delete(blockerKey(tx.Workspace, taskID))
	e := Entry{Action: DidUnblock, TaskID: taskID, Reason: k.Reason, At: tx.Now.UTC()}
	if err := logEntry(tx, p, e); err != nil {
		return fail(err)
	}
	return Task{ID: taskID, State: Unblocked, Reason: k.Reason, At: e.At}, nil
}

// List returns up to limit completed tasks and all active blockers, both newest first.
func List(view store.View, limit int) (completed, blockers []Task, err error) {
	if completed, err = listDone(view, limit); err != nil {
		return nil, nil, fmt.Errorf("list tasks: %w", err)
	}
	active, err := allBlockers(view)
	if err != nil {
		return nil, nil, fmt.Errorf("list tasks: %w", err)
	}
	slices.SortFunc(active, func(x, y blocker) int {
		return cmp.Or(y.At.Compare(x.At), cmp.Compare(y.Number, x.Number), strings.Compare(x.TaskID, y.TaskID))
	})
	for _, k := range active {
		blockers = append(blockers, k.task())
	}
	return completed, blockers, nil
}

// ForBundle returns what belongs in every bundle that has room: the last five completed tasks and
// all active blockers, both newest first.
func ForBundle(view store.View) (completed, blockers []Task, err error) {
	return List(view, bundled)
}

func orNow(at, now time.Time) time.Time {
	if at.IsZero() {
		return now.UTC()
	}
	return at.UTC()
}
