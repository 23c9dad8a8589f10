package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// ErrUnwatched is the error of [Watcher.Sync] where the system does not tell of every change: the
// caller must look at the disk.
var ErrUnwatched = errors.New("not every folder is watched")

// cookies are files that Sync makes. The system reports events in the order of the changes, so when
// it has reported a cookie it has reported all that changed before. Safe for concurrent use.
type cookies struct {
	mu      sync.Mutex
	enabled bool // the folder is watched
	serial  int
	waiting map[string]chan struct{} // by the base name of the file
	due     []chan struct{}          // whose files were reported; what came before is in pend, or was taken
	leaving []chan struct{}          // of due, those for which it is in the batch that waits to be taken
}

// watchCookies begins to watch the folder of cookies.
func (w *Watcher) watchCookies() {
	dir := w.opts.Cookies
	if dir == "" || runtime.GOOS != "linux" { // elsewhere the order of events is not that of the changes
		return
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = w.fs.Add(dir)
	}
	if err != nil {
		w.log.Debug("watch the folder of cookies", "err", err)
		return
	}
	w.cookies.mu.Lock()
	defer w.cookies.mu.Unlock()
	w.cookies.enabled, w.cookies.waiting = true, map[string]chan struct{}{}
}

// disable ends the use of cookies; who waits for one goes on waiting until its context ends.
func (c *cookies) disable() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enabled = false
}

// came takes an event of a cookie; it reports whether the event is one.
func (c *cookies) came(ev fsnotify.Event) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	base := filepath.Base(ev.Name)
	done := c.waiting[base]
	if done == nil {
		return false
	}
	delete(c.waiting, base)
	c.due = append(c.due, done)
	return true
}

// advance tells those whose cookies came that what came before them has been taken. batched says
// that nothing is gathered any more but in the batch that waits, taken that none waits. What comes
// after a cookie holds nobody up.
func (c *cookies) advance(batched, taken bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if batched {
		c.leaving, c.due = append(c.leaving, c.due...), nil
	}
	if !taken {
		return
	}
	for _, done := range c.leaving {
		close(done)
	}
	c.leaving = nil
}

// Sync returns when all that changed on disk before the call has been taken from Batches. Errors:
// ErrUnwatched, and ctx's. It must not be called by the reader of Batches.
func (w *Watcher) Sync(ctx context.Context) error {
	if st := w.Status(); st.Mode != "inotify" {
		return ErrUnwatched
	}
	c := &w.cookies
	c.mu.Lock()
	if !c.enabled {
		c.mu.Unlock()
		return ErrUnwatched
	}
	c.serial++
	base, done := fmt.Sprintf("contexture-sync-%d-%d", os.Getpid(), c.serial), make(chan struct{})
	c.waiting[base] = done
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, base)
	}()
	path := filepath.Join(w.opts.Cookies, base)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return fmt.Errorf("%w: %w", ErrUnwatched, err)
	}
	defer func() { _ = os.Remove(path) }() // it is of no use any more, and a stray one does no harm
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-w.done:
		return ErrUnwatched
	}
}
