package indexer

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// A file or folder cannot be read because of a permanent error, as far as the index can tell (no
// permission), or of a transient one (no descriptors left, a disk or a network folder that is
// away). After a transient error what the index holds of it stays, and reading is retried.

// The time until the first retry, and the longest time between two.
const (
	minBackoff = 2 * time.Second
	maxBackoff = 5 * time.Minute
)

// isTransient reports whether the path could not be read because of a transient error: its
// permissions allow reading.
func (w *writer) isTransient(path string) bool {
	return isReadable(filepath.Join(w.tree.Root(), filepath.FromSlash(path)))
}

// unavailable reports in the status that the workspace cannot be walked, and retries later. What is
// indexed stays searchable.
func (w *writer) unavailable(err error) {
	w.log.Warn("walk the workspace", "err", err)
	w.status.update(func() {
		w.status.unavailable = fmt.Sprintf("read the workspace: %v; the existing index is searched, and reading is retried", err)
		w.status.state, w.status.queue = Idle, 0
	})
	w.x.changes.signal()
	w.retryLater()
}

// walkEnded ends the retries after a walk of the workspace that was complete. A transient error
// that kept the walk from reading something is retried.
func (w *writer) walkEnded(complete bool) {
	if complete {
		w.backoff = 0
		w.retry.Stop()
		return
	}
	w.retryLater()
}

// retryNow walks the workspace, and starts to watch it where that was not possible before.
func (w *writer) retryNow(ctx context.Context) {
	if w.paused {
		return
	}
	if w.x.opts.Watch && w.watcher.w == nil {
		w.startWatch(ctx)
	}
	w.syncAll(ctx)
	w.watchStatus()
}

// retryLater schedules a retry, after twice the time of the previous one.
func (w *writer) retryLater() {
	w.backoff = min(maxBackoff, max(minBackoff, 2*w.backoff))
	w.retry.Reset(w.backoff)
}
