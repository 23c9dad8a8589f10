package memory

import (
	"time"

	"github.com/contexture-dev/contexture/memory/board"
	"github.com/contexture-dev/contexture/memory/cabinet"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/work"
)

// Desk is what a workspace has at hand: its tasks, its boards and its cabinet. Safe for concurrent
// use.
type Desk struct{ w *Workspace }

// Desk returns the workspace's desk.
func (w *Workspace) Desk() Desk { return Desk{w} }

// CompleteTask records that a task is done.
func (d Desk) CompleteTask(c work.Completion) (out work.Task, err error) {
	c.TaskID, c.Intent = d.w.name(c.TaskID), d.w.clean(c.Intent)
	if v := c.Validation; v != nil {
		c.Validation = &work.Validation{Success: v.Success, Notes: d.w.clean(v.Notes)}
	}
	err = d.w.change(func(tx store.Tx) (err error) {
		out, err = work.Complete(tx, c)
		return err
	})
	return out, err
}

// BlockTask records what blocks a task; a zero at means now.
func (d Desk) BlockTask(taskID, reason string, at time.Time) (out work.Task, err error) {
	taskID, reason = d.w.name(taskID), d.w.clean(reason)
	err = d.w.change(func(tx store.Tx) (err error) {
		out, err = work.Block(tx, taskID, reason, at)
		return err
	})
	return out, err
}

// UnblockTask clears a blocker. Error: work.ErrNotFound.
func (d Desk) UnblockTask(taskID string) (out work.Task, err error) {
	taskID = d.w.name(taskID)
	err = d.w.change(func(tx store.Tx) (err error) {
		out, err = work.Unblock(tx, taskID)
		return err
	})
	return out, err
}

// Tasks returns completed tasks, newest first and at most limit, and all blockers.
func (v *View) Tasks(limit int) (completed, blockers []work.Task, err error) {
	return work.List(v.state, limit)
}

// CurrentTasks returns the tasks that bundles show.
func (v *View) CurrentTasks() (completed, blockers []work.Task, err error) {
	return work.ForBundle(v.state)
}

// userTurns returns how many turns have a user message: all except the first one of a conversation
// in which nobody has asked anything yet. Lifetimes on the board count these turns.
func userTurns(info conversation.Info, asked bool) int {
	if !asked {
		return 0
	}
	return info.Turns
}

// boardOf returns the turn that a conversation's board is at. Error: conversation.ErrNotFound.
func boardOf(view store.View, id string) (turn int, err error) {
	info, err := conversation.Find(view, id)
	if err != nil {
		return 0, err
	}
	asked, err := conversation.Asked(view, info)
	return userTurns(info, asked), err
}

// PutOnBoard puts an item on a conversation's board. Error: conversation.ErrNotFound.
func (d Desk) PutOnBoard(id string, n board.New) (out board.Item, err error) {
	id, n.Type, n.Title, n.Content = d.w.name(id), d.w.clean(n.Type), d.w.clean(n.Title), d.w.clean(n.Content)
	err = d.w.change(func(tx store.Tx) error {
		turn, err := boardOf(tx.View, id)
		if err != nil {
			return err
		}
		out, err = board.Put(tx, id, n, turn)
		return err
	})
	return out, err
}

// Pin shows a turn on the board for board.DefaultTTL turns.
func (d Desk) Pin(id, tag, title, content string) error {
	id, tag, title, content = d.w.name(id), d.w.clean(tag), d.w.clean(title), d.w.clean(content)
	return d.w.change(func(tx store.Tx) error {
		turn, err := boardOf(tx.View, id)
		if err != nil {
			return err
		}
		_, err = board.Pin(tx, id, tag, title, content, turn)
		return err
	})
}

// RemoveFromBoard removes an item. Errors: conversation.ErrNotFound, board.ErrNotFound.
func (d Desk) RemoveFromBoard(id, item string) error {
	id, item = d.w.name(id), d.w.name(item)
	return d.w.change(func(tx store.Tx) error {
		turn, err := boardOf(tx.View, id)
		if err != nil {
			return err
		}
		return board.Remove(tx, id, item, turn)
	})
}

// Board returns the items on a conversation's board.
func (v *View) Board(info conversation.Info) ([]board.Item, error) {
	asked, err := conversation.Asked(v.state, info)
	if err != nil {
		return nil, err
	}
	return board.List(v.state, info.ID, userTurns(info, asked))
}

// PutText stores a text and returns its key.
func (d Desk) PutText(n cabinet.New) (key string, err error) {
	n.Title, n.Content, n.Note, n.URI = d.w.clean(n.Title), d.w.clean(n.Content), d.w.clean(n.Note), d.w.clean(n.URI)
	err = d.w.change(func(tx store.Tx) (err error) {
		if _, err := cabinet.Purge(tx); err != nil {
			return err
		}
		f, err := cabinet.Put(tx, n, d.w.memory.opts.Random)
		key = f.Key
		return err
	})
	return key, err
}

// Text returns a stored text and renews it. Error: cabinet.ErrNotFound.
func (d Desk) Text(key string) (out cabinet.File, err error) {
	key = d.w.name(key)
	err = d.w.change(func(tx store.Tx) (err error) {
		var renewed bool
		out, renewed, err = cabinet.Get(tx, key)
		if err == nil && !renewed {
			return errUnchanged
		}
		return err
	})
	return out, err
}

// RemoveText removes a stored text. Error: cabinet.ErrNotFound.
func (d Desk) RemoveText(key string) error {
	key = d.w.name(key)
	return d.w.change(func(tx store.Tx) error { return cabinet.Delete(tx, key) })
}

// Texts lists the stored texts, the one used last first.
func (v *View) Texts() ([]cabinet.File, error) {
	return cabinet.List(v.state, v.w.memory.now())
}
