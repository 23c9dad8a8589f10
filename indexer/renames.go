package indexer

import "sync"

// Rename is a file that stands at another path now, by its content.
type Rename struct{ From, To string }

// renames are those that were noticed and not taken yet. Safe for concurrent use.
type renames struct {
	mu   sync.Mutex // guards list
	list []Rename
}

// maxRenames bounds the list: whoever renames more at once and has nobody that takes them loses the
// oldest.
const maxRenames = 10000

func (r *renames) add(from, to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.list = append(r.list, Rename{from, to}); len(r.list) > maxRenames {
		r.list = r.list[1:]
	}
}

// TakeRenames returns the renames that were noticed since it was last called, in their order: files
// that went while one with their content came, and none of the others that went had it. Changed
// tells when there may be some.
func (x *Index) TakeRenames() []Rename {
	x.renames.mu.Lock()
	defer x.renames.mu.Unlock()
	list := x.renames.list
	x.renames.list = nil
	return list
}
