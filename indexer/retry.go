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
	w.retry.later()
}

// walkEnded ends the retries after a walk of the workspace that was complete. A transient error
// that kept the walk from reading something is retried.
func (w *writer) walkEnded(complete bool) {
	if complete {
		w.retry.over()
		return
	}
	w.retry.later()
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

// retry is a timer for the next attempt.
type retry struct {
	timer   *time.Timer
	backoff time.Duration // until the next attempt; 0 when none is due
}

func newRetry() retry {
	r := retry{timer: time.NewTimer(time.Hour)}
	r.timer.Stop()
	return r
}

// later schedules an attempt, after twice the time of the previous one.
func (r *retry) later() {
	r.backoff = min(maxBackoff, max(minBackoff, 2*r.backoff))
	r.timer.Reset(r.backoff)
}

// over ends the attempts: the last one succeeded.
func (r *retry) over() {
	r.backoff = 0
	r.timer.Stop()
}
