package indexer

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// What cannot be read is one of two: for good, as far as the index can tell (no permission), or for now (no descriptors
// left, a disk or a network folder that is away). What is known of the second kind stays, and is looked at again.

const (
	againFirst = 2 * time.Second
	againLast  = 5 * time.Minute
)

// forNow reports whether the path that could not be read may be read, going by its permissions.
func (w *writer) forNow(path string) bool {
	return unix.Access(w.tree.Root()+"/"+path, unix.R_OK) == nil
}

// blind says that the workspace cannot be looked at. What is indexed stays searchable.
func (w *writer) blind(err error) {
	w.log.Warn("walk the workspace", "err", err)
	w.status.update(func() {
		w.status.blind = fmt.Sprintf("look at the workspace: %v; what was indexed before is searched, and it is tried again", err)
		w.status.state, w.status.queue = Idle, 0
	})
	w.x.changes.signal()
	w.lookAgain()
}

// sighted takes note that the workspace was looked at, wholly or but for what could not be read for now.
func (w *writer) sighted(wholly bool) {
	if wholly {
		w.pause = 0
		w.again.Stop()
		return
	}
	w.lookAgain()
}

// againDue looks at the workspace again, and watches it where that was not possible.
func (w *writer) againDue(ctx context.Context) {
	if w.paused {
		return
	}
	if w.x.opts.Watch && w.watcher.w == nil {
		w.startWatch(ctx)
	}
	w.syncAll(ctx)
	w.watchStatus()
}

// lookAgain has the workspace looked at again, later each time that it is of no use.
func (w *writer) lookAgain() {
	w.pause = min(againLast, max(againFirst, 2*w.pause))
	w.again.Reset(w.pause)
}
