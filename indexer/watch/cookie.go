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

// ErrUnwatched is returned by [Watcher.Sync] if the system does not report every change: the caller
// must check the disk.
var ErrUnwatched = errors.New("not every folder is watched")

// cookies are files that Sync creates. The system reports events in the order of the changes, so
// once it has reported a cookie it has reported all earlier changes. Safe for concurrent use.
type cookies struct {
	mu      sync.Mutex
	enabled bool // the folder is watched
	serial  int
	waiting map[string]chan struct{} // by the base name of the file
	due     []chan struct{}          // those whose files were reported; earlier changes are in pend or were taken
	leaving []chan struct{}          // the part of due whose earlier changes are in the batch that waits to be taken
}

// watchCookies starts watching the folder of cookies.
func (w *Watcher) watchCookies() {
	dir := w.opts.Cookies
	if dir == "" || runtime.GOOS != "linux" { // elsewhere events are not in the order of the changes
		return
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = w.system.fs.Add(dir)
	}
	if err != nil {
		w.log.Debug("watch the folder of cookies", "err", err)
		return
	}
	w.cookies.mu.Lock()
	defer w.cookies.mu.Unlock()
	w.cookies.enabled, w.cookies.waiting = true, map[string]chan struct{}{}
}

// disable ends the use of cookies; calls that wait for one wait until their context ends.
func (c *cookies) disable() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enabled = false
}

// came processes the event of a cookie; it reports whether ev is one.
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

// advance wakes the calls whose cookies were reported and whose earlier changes have been taken.
// batched means that everything gathered is in the waiting batch, taken that no batch waits.
// Changes after a cookie do not delay its call.
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

// Sync blocks until all changes on disk before the call have been taken from Batches. It returns
// ErrUnwatched or ctx's error. The reader of Batches must not call it.
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
	defer func() { _ = os.Remove(path) }() // no longer needed; a stray one does no harm
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-w.done:
		return ErrUnwatched
	}
}
