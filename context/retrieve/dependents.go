package retrieve

import (
	"context"
	"slices"

	"github.com/contexture-dev/contexture/indexer"
)

// Dependents returns the lines that use a definition, and what implements or overrides it. Calls
// that may mean another definition of the name are among them, after the others, if they are at
// least as likely to mean this one. It reads at most most files, of those that the index knows to
// refer to the name, the nearest ones first. Of a definition that is gone it returns the lines that
// use its name, unless something else has that.
func Dependents(ctx context.Context, s *indexer.Snapshot, reader *indexer.Reader, d indexer.Symbol, most int) (uses []Occurrence, implementations []Definition) {
	name := d.Name
	if container := containerName(d); container != "" {
		name = container + "." + name
	}
	l := newLookup(s, reader, SymbolQuery{Name: name, Path: d.Path, Limit: maxCounted})
	defer l.bindings.Close()
	if len(l.targets) == 0 {
		if len(l.all) > 0 {
			return nil, nil
		}
		l.qualifier = "" // of what variable a line calls it is not known
	}
	l.indexed, l.filesMost = IsCallable(d) || isType(d), most // the index does not have every use of a variable
	if len(l.targets) > 0 {
		l.implementations(ctx)
	}
	l.occurrences(ctx)
	for _, o := range l.answer.Occurrences {
		if o.Chance == 1 || o.Calls && o.Chance >= maybe {
			uses = append(uses, o)
		}
	}
	return uses, l.answer.Implementations
}

// IsData reports whether a symbol is a name in data or prose, which code does not call.
func IsData(kind string) bool { return slices.Contains(dataKinds, kind) }
