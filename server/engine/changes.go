package engine

import (
	"slices"
	"sync"
	"time"
)

// Watchers are called when something changes. The zero value has none; the owner must guard it.
type Watchers struct{ all []*func() }

// Add adds touch; remove removes it.
func (w *Watchers) Add(touch func()) (remove func()) {
	w.all = append(w.all, &touch)
	return func() { w.all = slices.DeleteFunc(w.all, func(t *func()) bool { return t == &touch }) }
}

// Touch calls all watchers.
func (w *Watchers) Touch() {
	for _, t := range w.all {
		(*t)()
	}
}

// Changes counts the changes of memory for sessions that notify their clients. Safe for concurrent
// use.
type Changes struct {
	mu       sync.Mutex // guards all below; no other lock is taken while it is held
	last     uint64     // the version of the latest change anywhere
	versions map[string]uint64
	watchers Watchers
}

// newChanges returns a counter that starts at the milliseconds since 1970, so that versions
// increase across restarts of the process too.
func newChanges(now time.Time) *Changes {
	return &Changes{last: uint64(max(0, now.UnixMilli())), versions: map[string]uint64{}}
}

// changed records a change in the memory of a root, "" for that of sessions without one.
func (c *Changes) changed(root string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	c.versions[root] = c.last
	c.watchers.Touch()
}

// Now returns the version of the latest change of any memory.
func (c *Changes) Now() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// Version returns the version of the latest change of a root's memory, 0 when there was none.
func (c *Changes) Version(root string) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.versions[root]
}

// Watch calls touch at each change, until stop is called. touch must not block.
func (c *Changes) Watch(touch func()) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	remove := c.watchers.Add(touch)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		remove()
	}
}
