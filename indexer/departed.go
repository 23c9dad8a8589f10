package indexer

import (
	"strings"
	"sync"
)

// departed caches contents without a path that are still in a segment, until it is merged: a new
// file with such a content need not be parsed. Safe for concurrent use.
type departed struct {
	mu     sync.Mutex // guards places
	places map[contentKey]departedPlace
}

type departedPlace struct {
	segment uint64
	index   int
}

// departedMost bounds the cached contents, at about 100 bytes each.
const departedMost = 1 << 16

func (d *departed) add(key contentKey, segment uint64, index int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.places == nil || len(d.places) >= departedMost {
		d.places = map[contentKey]departedPlace{}
	}
	key.ext = strings.Clone(key.ext) // so that the path is not kept in memory
	d.places[key] = departedPlace{segment, index}
}

func (d *departed) has(key contentKey) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.places[key]
	return ok
}

// take removes a content from the cache and returns its place.
func (d *departed) take(key contentKey) (segment uint64, index int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.places[key]
	delete(d.places, key)
	return p.segment, p.index, ok
}

// forget removes the contents of a segment that is removed.
func (d *departed) forget(segment uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, p := range d.places {
		if p.segment == segment {
			delete(d.places, key)
		}
	}
}

func (d *departed) forgetAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.places = nil
}
