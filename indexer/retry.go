package indexer

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/contexture-dev/contexture/indexer/source"
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
func isTransient(tree *source.Tree, path string) bool {
	return isReadable(filepath.Join(tree.Root(), filepath.FromSlash(path)))
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

// retryNow walks the workspace, and starts to watch it where that was not possible before.
func (w *writer) retryNow(ctx context.Context) {
	if w.paused {
		return
	}
	if w.x.opts.Watch && w.watcher.w == nil {
		w.startWatch(ctx)
	}
	w.syncAll(ctx)
	w.watcher.report()
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

// ended ends the attempts after one that was complete, and schedules another after one that a
// transient error kept from reading something.
func (r *retry) ended(complete bool) {
	if !complete {
		r.later()
		return
	}
	r.backoff = 0
	r.timer.Stop()
}
