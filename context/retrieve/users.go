package retrieve

import (
	"context"
	"slices"

	"github.com/contexture-dev/contexture/indexer"
)

const (
	// usersFiles bounds the files that are read for the users of a definition.
	usersFiles = 8
	// usersTogether is the number of them that are parsed at once: more would often be for nothing.
	usersTogether = 2
)

// Users returns lines that certainly call a definition, each in another function: at most callers
// of them outside of tests, then at most testers in tests. It reads a few of the files that the
// index knows to refer to the definition, the nearest first, and none whose lines no longer matter.
func Users(ctx context.Context, s *indexer.Snapshot, reader *indexer.Reader, d indexer.Symbol, callers, testers int) []Occurrence {
	l := newLookup(s, reader, SymbolQuery{Name: d.Name, Path: d.Path})
	defer l.bindings.Close()
	if len(l.targets) != 1 || !IsCallable(d) {
		return nil // the lines may mean another
	}
	l.indexed = true
	files := l.filesWith()
	u := users{lookup: l, files: files[:min(usersFiles, len(files))], wanted: map[bool]int{false: callers, true: testers},
		found: map[bool][]Occurrence{}, seen: map[userOf]bool{},
	}
	for ctx.Err() == nil && u.read() {
	}
	return append(u.found[false], u.found[true]...)
}

// users is a search for who calls a definition. The keys of both maps are whether it is in a test.
type users struct {
	*lookup
	files  []int // that were not read yet
	wanted map[bool]int
	found  map[bool][]Occurrence
	seen   map[userOf]bool
}

// userOf is a function that calls a definition.
type userOf struct{ path, in string }

// read reads the next files in which users are still wanted. It returns false when there are none.
func (u *users) read() bool {
	u.files = slices.DeleteFunc(u.files, func(file int) bool { return u.wanted[IsTest(u.s.Path(file))] == 0 })
	next := u.files[:min(usersTogether, len(u.files))]
	u.files = u.files[len(next):]
	u.bindings.Read(next)
	var lines []Occurrence
	for n, file := range next {
		lines = u.usesIn(file, n, lines)
	}
	for _, o := range lines {
		in, by := IsTest(o.Path), userOf{o.Path, o.In}
		if !o.Calls || o.Chance != 1 || o.In == "" || o.In == u.name || u.seen[by] || u.wanted[in] == 0 {
			continue
		}
		u.seen[by] = true
		u.wanted[in]--
		u.found[in] = append(u.found[in], o)
	}
	return len(next) > 0
}
