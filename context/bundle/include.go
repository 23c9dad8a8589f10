package bundle

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/indexer"
)

// picks are what the caller named by id.
type picks struct {
	*answer
	taken         []*item.Item      // what Include names, as far as it fits
	takenTokens   int               // their size
	resolved      map[string]*place // the places that Include names, by id
	omittedChunks map[int]bool      // the chunks that the ids in Omit name
}

// take makes the items that the caller included, in the order of their ids, as far as they fit
// beside the prompt. They are rendered whatever the layers settle on; everything else is built as
// for a budget that is smaller by their tokens, so that nothing else in the build needs to handle
// them.
func (b *picks) take(ctx context.Context, prompt int) {
	if len(b.req.Include)+len(b.req.Omit) == 0 {
		return
	}
	b.included, b.omitted, b.omittedChunks, b.excluded = map[string]bool{}, map[string]bool{}, map[int]bool{}, map[string]bool{}
	b.resolved = map[string]*place{}
	var codeIDs []string
	for _, id := range slices.Concat(b.req.Include, b.req.Omit) {
		if isCodeID(id) {
			codeIDs = append(codeIDs, id)
		}
	}
	for _, id := range b.req.Omit {
		b.omitted[id] = true
	}
	chunks := b.chunksOf(ctx, codeIDs)
	for id := range b.omitted {
		for _, n := range chunks[id] {
			b.omitChunk(n)
		}
	}
	b.takeAll(ctx, chunks, b.req.Budget-prompt)
	b.req.Budget -= b.takenTokens
}

// takeAll includes what Include names and fits in room tokens.
func (b *picks) takeAll(ctx context.Context, chunks map[string][]int, room int) {
	var missing []string
	seen := map[string]bool{}
	for _, id := range b.req.Include {
		if seen[id] || id == promptID || IsMissing(id) { // those are in the bundle anyway
			continue
		}
		seen[id] = true
		d, why, err := b.resolve(ctx, id, chunks)
		switch {
		case err != nil:
			b.recalled(nil, err)
		case why != nil:
			why.ID = id // its piece may have moved since
			b.noteExcluded(*why)
		case d == nil:
			missing = append(missing, id)
		case b.omitted[id]:
			b.exclude(d)
		case b.isTaken(id):
			b.noteExcluded(b.dropped(d, item.Duplicate))
		case !shrinkTo(d, room):
			b.noteExcluded(b.dropped(d, item.OverBudget))
		default:
			room -= d.Forms[0].Tokens
			b.takenTokens += d.Forms[0].Tokens
			b.taken = append(b.taken, d)
			b.included[id] = true
		}
	}
	if len(missing) > 0 {
		reason := item.Stale
		if b.src.Indexing && slices.ContainsFunc(missing, isCodeID) {
			reason = item.Indexing
		}
		b.out.Degraded = append(b.out.Degraded, item.Degradation{Stage: item.Assemble, Reason: reason, Detail: "include: there is no item " + strings.Join(missing, ", ")})
	}
}

// isCodeID reports whether an id has the form that [CodeID] returns.
func isCodeID(id string) bool { return strings.HasPrefix(id, "c-") }

// stepChunks is the number of chunks between two checks of the deadline.
const stepChunks = 4096

// chunksOf returns the chunks that ids name. It scans every chunk of the workspace, because an id
// holds only hashes of the path, the line and the text.
func (b *picks) chunksOf(ctx context.Context, ids []string) map[string][]int {
	if len(ids) == 0 || b.src.Snapshot == nil {
		return nil
	}
	out := map[string][]int{}
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	for n := range b.src.Snapshot.Chunks() {
		if n%stepChunks == 0 && ctx.Err() != nil {
			b.out.Degraded = append(b.out.Degraded, item.Degradation{Stage: item.Assemble, Reason: item.Timeout, Detail: "not all locations were compared with the ids of include and omit"})
			return out
		}
		c := b.src.Snapshot.Place(n)
		if c.Path == "" { // its file was removed
			continue
		}
		if id := CodeID(c); wanted[id] {
			out[id] = append(out[id], n)
		}
	}
	return out
}

// omitChunk omits a chunk, and with it the definition that it is a piece of.
func (b *picks) omitChunk(n int) {
	b.omittedChunks[n] = true
	first, pieces := b.definition(b.src.Snapshot.Chunk(n))
	for i := range pieces {
		b.omittedChunks[first+i] = true
	}
}

// wantedPlaces returns the candidates that the caller neither included nor omitted by id.
func (b *picks) wantedPlaces(list []*item.Item) []*item.Item {
	if len(b.included)+len(b.omittedChunks) == 0 {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(c *item.Item) bool {
		chunk := b.src.Snapshot.Place(c.Chunk)
		if b.omittedChunks[c.Chunk] {
			b.noteExcluded(b.droppedChunk(chunk, item.Excluded, c.Score))
			return true
		}
		return b.included[CodeID(chunk)]
	})
}

// resolve makes the item of what an id names; nil when no such item exists. why is the reason that
// an existing item may not be shown. An error comes from memory.
func (b *picks) resolve(ctx context.Context, id string, chunks map[string][]int) (d *item.Item, why *item.Omission, err error) {
	prefix, _, _ := strings.Cut(id, ":")
	kind := item.Kind(prefix)
	switch {
	case isCodeID(id):
		d, why = b.resolveCode(id, chunks[id])
		return d, why, nil
	case kind == item.Identity || kind == item.Preference:
		for _, p := range b.src.Personal {
			if it := b.personalItem(p); it != nil && it.ID == id {
				return it, nil, nil
			}
		}
		return nil, nil, nil
	}
	d, err = b.resolveMemo(ctx, id)
	return d, nil, err
}

func (b *answer) openReader() {
	if b.reader == nil {
		b.reader = b.src.Snapshot.NewReader()
	}
}

// resolveCode makes the item of the first of an id's chunks that may be shown. The item has that
// id, even if the file has changed since.
func (b *picks) resolveCode(id string, chunks []int) (d *item.Item, why *item.Omission) {
	for _, n := range chunks {
		b.openReader()
		chunk, text, gate := b.reader.Chunk(n)
		reason := item.DropReason(gate)
		if gate == "" && b.req.Keep != nil && !b.req.Keep(chunk.Path, chunk.Language) {
			reason = item.Excluded
		}
		if reason != "" {
			dropped := b.droppedChunk(chunk, reason, 0)
			why = &dropped
			continue
		}
		p := newPlace(&item.Item{Chunk: n, Score: 1, Reasons: []string{"requested by its id"}}, chunk, string(text))
		p.ID, p.Value, p.Forms = id, 1, []item.Form{b.wholeForm(p)}
		b.resolved[id] = p
		return &p.Item, nil
	}
	return nil, why
}

// takenLayers are the layers of the kinds other than lessons, references and turns.
var takenLayers = map[item.Kind]item.Layer{item.Rule: item.L1Preferences, item.Topic: item.L2Topic, item.Entity: item.L3Entity}

// resolveMemo makes the item of a memory in all its forms; nil when no memory has the id.
func (b *picks) resolveMemo(ctx context.Context, id string) (d *item.Item, err error) {
	if b.src.Item == nil {
		return nil, nil
	}
	forms, err := b.src.Item(ctx, id)
	for _, m := range forms {
		m.ID = id // a reminder is expanded as the turn that it refers to
		layer, ok := takenLayers[m.Kind]
		if !ok {
			layer = item.L5JIT
		}
		one := b.remembered(layer, m, false)
		if d == nil {
			d = one
			d.Says = nil
			continue
		}
		d.Forms = append(d.Forms, one.Forms...)
	}
	return d, err
}

// shrinkTo keeps the best form of an item that fits in room tokens; it reports false when none
// does.
func shrinkTo(d *item.Item, room int) bool {
	i := slices.IndexFunc(d.Forms, func(f item.Form) bool { return f.Tokens <= room })
	if i >= 0 {
		d.Forms = d.Forms[i : i+1]
	}
	return i >= 0
}

// isTaken reports whether an included item shows a part of the place that an id names.
func (b *picks) isTaken(id string) bool {
	f, ok := b.resolved[id]
	return ok && slices.ContainsFunc(b.taken, func(other *item.Item) bool {
		g, ok := b.resolved[other.ID]
		return ok && g.chunk.Path == f.chunk.Path && covered([]*place{g}, f)
	})
}

// definition returns the chunks of the definition that a chunk is a piece of; n is 0 when it is not
// a piece, or when other chunks are between the pieces.
func (b *picks) definition(c indexer.Chunk) (first, n int) {
	name, k, n := piece(c.Title)
	if n < 2 || k < 1 || k > n {
		return 0, 0
	}
	first = c.ID - k + 1
	from, end := b.src.Snapshot.FileChunks(c.File)
	if first < from || first+n > end {
		return 0, 0
	}
	for i := range n {
		if other, at, of := piece(b.src.Snapshot.Chunk(first + i).Title); other != name || at != i+1 || of != n {
			return 0, 0
		}
	}
	return first, n
}

// piece splits the title of a piece, "Name (2/7)"; n is 0 for another title.
func piece(title string) (name string, k, n int) {
	open := strings.LastIndex(title, " (")
	if open < 0 || !strings.HasSuffix(title, ")") {
		return "", 0, 0
	}
	which, of, _ := strings.Cut(title[open+2:len(title)-1], "/")
	k, err := strconv.Atoi(which)
	if err != nil {
		return "", 0, 0
	}
	if n, err = strconv.Atoi(of); err != nil {
		return "", 0, 0
	}
	return title[:open], k, n
}
