package bundle

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/indexer"
)

// maxDropped bounds the list of what was left out, not counting items that the caller named by id.
const maxDropped = 200

// full reports whether the list of dropped items, those that the caller named not counted, is full.
func (b *build) full() bool { return len(b.out.Dropped)-len(b.excluded) >= maxDropped }

// drop records an item as left out, unless the caller named it.
func (b *build) drop(d item.Dropped) {
	if !b.named(d.ID) && !b.full() {
		b.out.Dropped = append(b.out.Dropped, d)
	}
}

// named reports whether the caller named an id, so that its outcome is recorded already.
func (b *build) named(id string) bool { return b.included[id] || b.excluded[id] }

// dropItem records a candidate that is left out, with the tokens of its best form; one that points
// at places as each of these.
func (b *build) dropItem(it *item.Item, reason item.DropReason) {
	if len(it.Pointers) == 0 {
		b.drop(b.dropped(it, reason))
	}
	for i := range it.Pointers {
		b.drop(b.dropped(&it.Pointers[i], reason))
	}
}

// dropped returns what is reported of a candidate that is left out. One without a form has the
// tokens of its body.
func (b *build) dropped(it *item.Item, reason item.DropReason) item.Dropped {
	out := item.Dropped{
		ID: it.ID, Kind: it.Kind, Reason: reason, Score: it.Score, Title: cmp.Or(it.Title, it.Name), Tokens: it.Tokens, Path: it.Path, URI: it.URI,
		StartLine: it.StartLine, EndLine: it.EndLine,
	}
	switch {
	case len(it.Forms) > 0:
		out.Tokens = it.Forms[0].Tokens
		if it.Path != "" {
			out.StartLine, out.EndLine = it.Forms[0].StartLine, it.Forms[0].EndLine
		}
	case it.Body != "":
		out.Tokens = b.src.Count(render.Block(*it))
	}
	return out
}

// dropChunk records a place that is left out before it is a candidate. Its tokens are those stored
// in the index.
func (b *build) dropChunk(c indexer.Chunk, reason item.DropReason, score float64) {
	if !b.named(CodeID(c)) && !b.full() {
		b.drop(b.droppedChunk(c, reason, score))
	}
}

func (b *build) droppedChunk(c indexer.Chunk, reason item.DropReason, score float64) item.Dropped {
	title := c.Title
	if title == "" && c.ID < b.src.Snapshot.Chunks() {
		title = b.src.Snapshot.Chunk(c.ID).Title
	}
	if title == "" {
		title = c.Path + ":" + strconv.Itoa(c.StartLine+1)
	}
	return item.Dropped{
		ID: CodeID(c), Kind: kindOf(c), Reason: reason, Score: score, Title: title, Tokens: c.Tokens + wrapping, Path: c.Path, StartLine: c.StartLine, EndLine: c.EndLine,
	}
}

// exclude records an item that the caller left out by its id.
func (b *build) exclude(it *item.Item) { b.noteExcluded(b.dropped(it, item.Excluded)) }

// noteExcluded records once that the caller named an item which it does not get.
func (b *build) noteExcluded(d item.Dropped) {
	if !b.excluded[d.ID] {
		b.excluded[d.ID] = true
		b.out.Dropped = append(b.out.Dropped, d)
	}
}

// settleDropped makes the list of dropped items hold each id once, with its first reason, and none
// that is shown: an item may come in after all in a shorter form, as a part of another, or as the
// notice of what was left out.
func (b *build) settleDropped() {
	seen := map[string]bool{}
	for _, it := range b.out.Items {
		seen[it.ID] = true
	}
	b.out.Dropped = slices.DeleteFunc(b.out.Dropped, func(d item.Dropped) bool {
		again := seen[d.ID]
		seen[d.ID] = true
		return again
	})
}

// wanted returns the memories that the caller neither included nor omitted by id.
func (b *build) wanted(list []item.Item) []item.Item {
	if len(b.included)+len(b.omitted) == 0 {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(m item.Item) bool {
		if b.omitted[m.ID] {
			b.exclude(&m)
		}
		return b.omitted[m.ID] || b.included[m.ID]
	})
}
