package store

import "time"

// View is what one state of the store holds of one workspace: what functions take that only read.
// Reading it is reading the state; it copies nothing and is passed by value. Safe for concurrent
// use.
type View struct {
	Reader              // the state: the store's latest, or a snapshot's
	Workspace Workspace // the one whose keys are read
}

// Tx is one change of a workspace while it is staged: what functions take that also write. It reads
// the state before the change, never what the batch has staged, and it commits nothing: whoever
// began it applies the batch, or drops it when a function failed. It is passed by value. Its read
// part is safe for concurrent use; its batch is not.
type Tx struct {
	View
	*Batch           // what the change writes; nil where only the read part is used
	Now    time.Time // the time of the change; zero for changes that record no time
}

// View returns the latest committed state of a workspace. It is no snapshot: each call of its
// methods sees what is committed by then.
func (s *Store) View(ws Workspace) View { return View{Reader: s, Workspace: ws} }

// View returns the snapshot's state of a workspace. It must not be used after Close.
func (v *Snapshot) View(ws Workspace) View { return View{Reader: v, Workspace: ws} }

// Begin returns a transaction with an empty batch that reads the latest committed state. One that
// is not applied may be dropped. Where changes build on each other the caller keeps others from
// being applied between Begin and Apply.
func (s *Store) Begin(ws Workspace, now time.Time) Tx {
	return Tx{View: s.View(ws), Batch: s.NewBatch(), Now: now}
}
