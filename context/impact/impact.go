// Package impact finds what a change of a workspace concerns: the definitions that it touches, what
// calls and implements them, the tests to run, and the documents and settings that name them.
//
// [Read] parses both sides of each changed file, so that what a change removed is known, too;
// [Find] composes what the index, the history and the package retrieve know of it. Which tests to
// run is judged by a model that go run ./cmd/train impact fitted to commits with the tests that
// they changed; see [Evidence].
package impact

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
)

// Place points at something that a change concerns.
type Place struct {
	Path          string
	Line, EndLine int    // from 0; -1 where it is gone, or the whole file is meant
	Name, Kind    string // of the definition; "" for none
	Why           string
}

// compare orders places by path and line.
func (p Place) compare(q Place) int {
	return cmp.Or(strings.Compare(p.Path, q.Path), cmp.Compare(p.Line, q.Line))
}

// Result is what a change concerns, each list with what concerns it most first.
type Result struct {
	Definitions, Callers, Implementations, Tests, Documents, Settings []Place
	// Partial means that not everything was searched, for want of time or because it is too much.
	Partial bool
}

// finder is one search under way.
type finder struct {
	s        *indexer.Snapshot
	reader   *indexer.Reader
	changed  []File
	bySymbol map[int][]indexer.Symbol
	unsure   []Place // callers that may mean another definition
	out      Result
}

// Find returns what a change concerns: callers up to a depth, from 1. It searches until ctx ends,
// tests first.
func Find(ctx context.Context, s *indexer.Snapshot, reader *indexer.Reader, changed []File, depth int) *Result {
	f := &finder{s: s, reader: reader, changed: changed, bySymbol: map[int][]indexer.Symbol{}}
	f.definitions()
	f.tests(ctx)
	f.mentions(ctx)
	f.dependents(ctx, depth)
	f.out.Partial = f.out.Partial || ctx.Err() != nil
	return &f.out
}

// definitions lists the touched definitions, where they are now: those that others may depend on
// already come first, those in data last.
func (f *finder) definitions() {
	order := map[int][]Place{}
	for i := range f.changed {
		file := &f.changed[i]
		for _, d := range file.touched() {
			p := placeOf(f.current(file, d), d.How)
			if d.How == Removed {
				p.Line, p.EndLine = -1, -1
			}
			rank := 0
			switch {
			case retrieve.IsData(d.Kind):
				rank = 2
			case d.How == Added:
				rank = 1
			}
			order[rank] = append(order[rank], p)
		}
	}
	f.out.Definitions = slices.Concat(order[0], order[1], order[2])
}

// tests lists the tests to run: those that were changed themselves, then the others by their
// probability.
func (f *finder) tests(ctx context.Context) {
	own := map[string]bool{}
	for i := range f.changed {
		if c := &f.changed[i]; c.isTest() && c.How != Removed {
			own[c.Path] = true
			f.out.Tests = append(f.out.Tests, Place{Path: c.Path, Line: -1, EndLine: -1, Why: c.How})
		}
	}
	for _, t := range judge(Gather(ctx, f.s, f.changed)) {
		if own[t.Path] {
			continue
		}
		p := Place{Path: t.Path, Line: -1, EndLine: -1, Why: t.why()}
		if len(t.Uses) > 0 {
			if at, ok := f.firstUse(t.File, t.Uses[0]); ok {
				p.Line, p.EndLine = at, at
			}
		}
		f.out.Tests = append(f.out.Tests, p)
	}
}

// firstUse returns the first line of a file that has a name.
func (f *finder) firstUse(file int, name string) (at int, ok bool) {
	text, gate := f.reader.File(file)
	if gate != "" {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if retrieve.HasName(line, name) {
			return at, true
		}
		at++
	}
	return 0, false
}
