package watch

import (
	"maps"
	"slices"
	"sync"
)

// maxPending bounds the number of paths in a batch; above it, checking everything is as cheap.
const maxPending = 65_536

// pending gathers the content of the next batch. The zero value is empty.
type pending struct {
	paths, dirs, extra map[string]struct{}
	rescan             bool
	changed            bool // something was added since the loop last checked
}

func add(set *map[string]struct{}, s string) {
	if *set == nil {
		*set = map[string]struct{}{}
	}
	(*set)[s] = struct{}{}
}

func (p *pending) path(rel string) {
	p.changed = true
	if add(&p.paths, rel); len(p.paths) > maxPending {
		p.paths, p.dirs, p.rescan = nil, nil, true
	}
}

// dir adds a folder, which is also added as a path.
func (p *pending) dir(rel string) {
	p.path(rel)
	add(&p.dirs, rel)
}

func (p *pending) extraPath(given string) {
	p.changed = true
	add(&p.extra, given)
}

// all requests a check of everything.
func (p *pending) all() { p.changed, p.rescan = true, true }

func (p *pending) empty() bool {
	return !p.rescan && len(p.paths) == 0 && len(p.dirs) == 0 && len(p.extra) == 0
}

// take returns what was gathered and resets p.
func (p *pending) take() *Batch {
	b := &Batch{
		Paths: slices.Sorted(maps.Keys(p.paths)), Dirs: slices.Sorted(maps.Keys(p.dirs)),
		Rescan: p.rescan, Extra: slices.Sorted(maps.Keys(p.extra)),
	}
	*p = pending{}
	return b
}

// injectBox holds the paths from any goroutine until the watcher's own fetches them.
type injectBox struct {
	wake chan struct{} // capacity 1

	mu     sync.Mutex
	paths  map[string]struct{} // guarded by mu
	beyond bool                // guarded by mu; there were more than maxPending
}

func (b *injectBox) put(paths []string) {
	if len(paths) == 0 {
		return
	}
	b.mu.Lock()
	for _, p := range paths {
		if add(&b.paths, p); len(b.paths) > maxPending {
			b.paths, b.beyond = nil, true
		}
	}
	b.mu.Unlock()
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *injectBox) fetch() (paths []string, beyond bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	paths, beyond = slices.Collect(maps.Keys(b.paths)), b.beyond
	b.paths, b.beyond = nil, false
	return paths, beyond
}
