package indexer

import (
	"strings"
	"sync"
)

// departed remembers contents that no path has any more and that still stand in a segment, until it
// is merged: whoever gets such a content next costs no parsing. Safe for concurrent use.
type departed struct {
	mu     sync.Mutex // guards places
	places map[contentKey]departedPlace
}

type departedPlace struct {
	segment uint64
	index   int
}

// departedMost bounds what is remembered, at about 100 bytes each.
const departedMost = 1 << 16

func (d *departed) add(key contentKey, segment uint64, index int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.places == nil || len(d.places) >= departedMost {
		d.places = map[contentKey]departedPlace{}
	}
	key.ext = strings.Clone(key.ext) // of a path that may go
	d.places[key] = departedPlace{segment, index}
}

func (d *departed) has(key contentKey) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.places[key]
	return ok
}

// take returns a place away.
func (d *departed) take(key contentKey) (segment uint64, index int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.places[key]
	delete(d.places, key)
	return p.segment, p.index, ok
}

// forget drops what stood in a segment that goes.
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
