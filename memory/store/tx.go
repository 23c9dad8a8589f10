package store

import "time"

// View is the part of one state of the store that belongs to one workspace: the parameter of
// functions that only read. It copies nothing and is passed by value. Safe for concurrent use.
type View struct {
	Reader              // the state: the store's latest, or a snapshot's
	Workspace Workspace // the workspace whose keys are read
}

// Tx is a staged change of a workspace: the parameter of functions that also write. It reads the
// state before the change, never what the batch has staged, and it does not commit: whoever began
// it applies the batch, or drops it when a function failed. It is passed by value. Its read part is
// safe for concurrent use; its batch is not.
type Tx struct {
	View
	*Batch           // the writes of the change; nil when only the read part is used
	Now    time.Time // the time of the change; zero for changes that record no time
}

// View returns the latest committed state of a workspace. It is not a snapshot: each call of its
// methods reads the state committed by then.
func (s *Store) View(ws Workspace) View { return View{Reader: s, Workspace: ws} }

// View returns the snapshot's state of a workspace. It must not be used after Close.
func (v *Snapshot) View(ws Workspace) View { return View{Reader: v, Workspace: ws} }

// Begin returns a transaction with an empty batch that reads the latest committed state. It may be
// dropped without being applied. If changes depend on each other the caller must keep others from
// being applied between Begin and Apply.
func (s *Store) Begin(ws Workspace, now time.Time) Tx {
	return Tx{View: s.View(ws), Batch: s.NewBatch(), Now: now}
}
