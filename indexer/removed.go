package indexer

import (
	"strings"
	"sync"
)

// removedContents caches contents without a path that are still in a segment, until it is merged: a
// new file with such a content need not be parsed. Safe for concurrent use.
type removedContents struct {
	mu     sync.Mutex // guards places
	places map[contentKey]removedPlace
}

type removedPlace struct {
	segment uint64
	index   int
}

// maxRemovedContents bounds the cached contents, at about 100 bytes each.
const maxRemovedContents = 1 << 16

func (d *removedContents) add(key contentKey, segment uint64, index int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.places == nil || len(d.places) >= maxRemovedContents {
		d.places = map[contentKey]removedPlace{}
	}
	key.ext = strings.Clone(key.ext) // so that the path is not kept in memory
	d.places[key] = removedPlace{segment, index}
}

func (d *removedContents) has(key contentKey) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.places[key]
	return ok
}

// take removes a content from the cache and returns its place.
func (d *removedContents) take(key contentKey) (segment uint64, index int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.places[key]
	delete(d.places, key)
	return p.segment, p.index, ok
}

// forget removes the contents of a segment that is removed.
func (d *removedContents) forget(segment uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, p := range d.places {
		if p.segment == segment {
			delete(d.places, key)
		}
	}
}

func (d *removedContents) forgetAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.places = nil
}
