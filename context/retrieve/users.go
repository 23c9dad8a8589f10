package retrieve

import (
	"context"

	"github.com/contexture-dev/contexture/indexer"
)

// usersFiles bounds the files that are read for the users of a definition.
const usersFiles = 8

// Users returns lines that certainly call a definition, tests last, of the files that the index
// knows to refer to it. It reads a few of them, the nearest ones.
func Users(ctx context.Context, s *indexer.Snapshot, reader *indexer.Reader, d indexer.Symbol, limit int) []Occurrence {
	l := newLookup(s, reader, SymbolQuery{Name: d.Name, Path: d.Path, Limit: limit})
	defer l.bindings.Close()
	if len(l.targets) != 1 || !IsCallable(d) {
		return nil // the lines may mean another
	}
	l.indexed, l.filesMost = true, usersFiles
	l.occurrences(ctx)
	var out []Occurrence
	for _, o := range l.answer.Occurrences {
		if o.Calls && o.Chance == 1 {
			out = append(out, o)
		}
	}
	return out
}
