package bundle

import (
	"context"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
)

// The measures of pointers to users.
const (
	mostCallers, mostTesters = 2, 1
	// usersLooked is how many uses are considered.
	usersLooked = 40
	// userChance is the probability that a user is wanted: of 27 that were pointed at for 40
	// questions, 3 were in the answer, and 14 in a file of it.
	userChance = .1
)

// usersOf returns who calls the function whose lines most probably settle the prompt, and a test of
// it: what an assistant opens next.
func (b *finding) usersOf(ctx context.Context, shown []*place) (out []pointer) {
	d, ok := b.settling(shown)
	if !ok {
		return nil
	}
	callers, testers := 0, 0
	seen := map[string]bool{}
	for _, o := range retrieve.Users(ctx, b.src.Snapshot, b.reader, d, usersLooked) {
		n, most, why := &callers, mostCallers, "calls "+d.Name
		if retrieve.IsTest(o.Path) {
			n, most, why = &testers, mostTesters, "tests "+d.Name
		}
		id, ok := b.src.Snapshot.ChunkAt(o.File, o.Line)
		if in := o.Path + " " + o.In; ok && o.In != "" && o.In != d.Name && *n < most && !seen[in] {
			seen[in] = true
			*n++
			chunk := b.src.Snapshot.Chunk(id)
			found := newPlace(&item.Item{Chunk: id, Score: userChance, Reasons: []string{why}}, chunk, "")
			p := pointer{Item: found.Item, file: o.File, text: o.In, why: why}
			p.Anchor = o.Line
			if !b.omitted[p.ID] {
				out = append(out, p)
			}
		}
	}
	return out
}

// settling returns the function that has the line which most probably settles the prompt.
func (b *finding) settling(shown []*place) (d indexer.Symbol, ok bool) {
	best, at := 0.0, -1
	var of *place
	for _, p := range shown {
		for n, chance := range p.shown[0].Chance {
			if chance > best || chance == best && of == p && n < at {
				best, at, of = chance, n, p
			}
		}
	}
	if of == nil {
		return d, false
	}
	for _, s := range b.src.Snapshot.FileSymbols(of.chunk.File) {
		if s.Line <= at && at <= s.EndLine && retrieve.IsCallable(s) {
			d, ok = s, true // the innermost comes last
		}
	}
	return d, ok
}
