package indexer

import "sync"

// Rename is a file that is at another path now, recognised by its content.
type Rename struct{ From, To string }

// renames holds those that were detected and not taken yet. Safe for concurrent use.
type renames struct {
	mu   sync.Mutex // guards list
	list []Rename
}

// maxRenames bounds the list: if more renames are detected and they are not taken, the oldest are
// dropped.
const maxRenames = 10000

func (r *renames) add(from, to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.list = append(r.list, Rename{from, to}); len(r.list) > maxRenames {
		r.list = r.list[1:]
	}
}

// TakeRenames returns the renames detected since the last call, in order: removed files whose
// content a single new file has, and no other removed file had. Changed signals when there may be
// some.
func (x *Index) TakeRenames() []Rename {
	x.renames.mu.Lock()
	defer x.renames.mu.Unlock()
	list := x.renames.list
	x.renames.list = nil
	return list
}
