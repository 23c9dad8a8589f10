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

// ledger records what is left out of a bundle, and why.
type ledger struct {
	list     []item.Omission
	snapshot *indexer.Snapshot // nil without a workspace
	count    func(string) int
	// included and omitted are the ids that the caller named; excluded holds those that were found
	// and left out.
	included, omitted, excluded map[string]bool
}

// full reports whether the list of dropped items, those that the caller named not counted, is full.
func (l *ledger) full() bool { return len(l.list)-len(l.excluded) >= maxDropped }

// drop records an item as left out, unless the caller named it.
func (l *ledger) drop(d item.Omission) {
	if !l.named(d.ID) && !l.full() {
		l.list = append(l.list, d)
	}
}

// named reports whether the caller named an id, so that its outcome is recorded already.
func (l *ledger) named(id string) bool { return l.included[id] || l.excluded[id] }

// dropItem records a candidate that is left out, with the tokens of its best form; one that points
// at places as each of these.
func (l *ledger) dropItem(it *item.Item, reason item.DropReason) {
	if len(it.Pointers) == 0 {
		l.drop(l.dropped(it, reason))
	}
	for i := range it.Pointers {
		l.drop(l.dropped(&it.Pointers[i], reason))
	}
}

// dropped returns what is reported of a candidate that is left out. One without a form has the
// tokens of its body.
func (l *ledger) dropped(it *item.Item, reason item.DropReason) item.Omission {
	out := item.Omission{
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
		out.Tokens = l.count(render.Block(*it))
	}
	return out
}

// dropChunk records a place that is left out before it is a candidate. Its tokens are those stored
// in the index.
func (l *ledger) dropChunk(c indexer.Chunk, reason item.DropReason, score float64) {
	if !l.named(CodeID(c)) && !l.full() {
		l.drop(l.droppedChunk(c, reason, score))
	}
}

// dropWeak records a place that is not probable enough, with the probability that it would have
// needed.
func (l *ledger) dropWeak(c indexer.Chunk, score, needed float64) {
	if !l.named(CodeID(c)) && !l.full() {
		d := l.droppedChunk(c, item.BelowThreshold, score)
		d.Needed = needed
		l.drop(d)
	}
}

func (l *ledger) droppedChunk(c indexer.Chunk, reason item.DropReason, score float64) item.Omission {
	title := c.Title
	if title == "" && c.ID < l.snapshot.Chunks() {
		title = l.snapshot.Chunk(c.ID).Title
	}
	if title == "" {
		title = c.Path + ":" + strconv.Itoa(c.StartLine+1)
	}
	return item.Omission{
		ID: CodeID(c), Kind: kindOf(c), Reason: reason, Score: score, Title: title, Tokens: c.Tokens + wrapping, Path: c.Path, StartLine: c.StartLine, EndLine: c.EndLine,
	}
}

// exclude records an item that the caller left out by its id.
func (l *ledger) exclude(it *item.Item) { l.noteExcluded(l.dropped(it, item.Excluded)) }

// noteExcluded records once that the caller named an item which it does not get.
func (l *ledger) noteExcluded(d item.Omission) {
	if !l.excluded[d.ID] {
		l.excluded[d.ID] = true
		l.list = append(l.list, d)
	}
}

// settleDropped makes the list of dropped items hold each id once, with its first reason, and none
// that is shown: an item may come in after all in a shorter form, as a part of another, or as the
// notice of what was left out.
func (l *ledger) settleDropped(shown []item.Item) {
	seen := map[string]bool{}
	for _, it := range shown {
		seen[it.ID] = true
	}
	l.list = slices.DeleteFunc(l.list, func(d item.Omission) bool {
		again := seen[d.ID]
		seen[d.ID] = true
		return again
	})
}

// wanted returns the memories that the caller neither included nor omitted by id.
func (l *ledger) wanted(list []item.Item) []item.Item {
	if len(l.included)+len(l.omitted) == 0 {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(m item.Item) bool {
		if l.omitted[m.ID] {
			l.exclude(&m)
		}
		return l.omitted[m.ID] || l.included[m.ID]
	})
}
