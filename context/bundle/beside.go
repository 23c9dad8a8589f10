package bundle

import (
	"context"
	"path"
	"slices"

	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/lexical"
)

// beside returns what an assistant opens next to the function whose lines most probably settle the
// prompt: who calls it, a test of it and, for a task, the page that tells of it.
func (b *finding) beside(ctx context.Context, shown []*place, q *cut.Question, words []lexical.QueryTerm) []pointer {
	d, ok := b.settling(shown)
	if !ok {
		return nil
	}
	users := b.usersOf(ctx, d)
	if b.out.Signals.Frame != intent.Task {
		return users
	}
	names := append(intent.Flags(b.req.Query), b.out.Signals.Identifiers...)
	with := retrieve.CompanionsOf(b.src.Snapshot, d, names, words)
	companion := func(chunk int, why string) (p pointer, ok bool) {
		if chunk < 0 {
			return p, false
		}
		c, _, gate := b.reader.Chunk(chunk)
		if p = b.pointer(chunk, companionChance, why); gate == "" {
			p.text, p.Anchor = b.nameOf(newPlace(&p.Item, c, ""), q)
		}
		return p, gate == ""
	}
	if p, ok := companion(with.Test, "tests "+path.Base(d.Path)); ok {
		users = append(slices.DeleteFunc(users, func(p pointer) bool { return retrieve.IsTest(p.Path) }), p)
	}
	if p, ok := companion(with.Page, "tells of "+with.PageOf); ok {
		users = append(users, p)
	}
	return users
}

// pointer makes a pointer to a chunk, without a text and a line.
func (b *finding) pointer(chunk int, chance float64, why string) pointer {
	c := b.src.Snapshot.Chunk(chunk)
	found := newPlace(&item.Item{Chunk: chunk, Score: chance, Reasons: []string{why}}, c, "")
	return pointer{Item: found.Item, file: c.File, why: why}
}

// usersOf returns who calls a function, and a test that does.
func (b *finding) usersOf(ctx context.Context, d indexer.Symbol) (out []pointer) {
	for _, o := range retrieve.Users(ctx, b.src.Snapshot, b.reader, d, mostCallers, mostTesters) {
		id, ok := b.src.Snapshot.ChunkAt(o.File, o.Line)
		if !ok {
			continue
		}
		why := "calls " + d.Name
		if retrieve.IsTest(o.Path) {
			why = "tests " + d.Name
		}
		p := b.pointer(id, userChance, why)
		p.text, p.why, p.Anchor = b.signature(o.File, o.Line, ""), o.In+" "+why, o.Line
		out = append(out, p)
	}
	return out
}

// settling returns the function that has the line which most probably settles the prompt, of the
// lines of code.
func (b *finding) settling(shown []*place) (d indexer.Symbol, ok bool) {
	best, at := 0.0, -1
	var of *place
	for _, p := range shown {
		if p.Kind != item.Code {
			continue
		}
		for n, chance := range p.shown[0].Chance {
			if chance > best || chance == best && of == p && n < at {
				best, at, of = chance, n, p
			}
		}
	}
	if of == nil {
		return d, false
	}
	for _, s := range b.src.Snapshot.Symbols().InFile(of.chunk.File) {
		if s.Line <= at && at <= s.EndLine && retrieve.IsCallable(s) {
			d, ok = s, true // the innermost comes last
		}
	}
	return d, ok
}
