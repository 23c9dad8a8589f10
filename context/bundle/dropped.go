package bundle

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/indexer"
)

// maxDropped bounds the list of what was left out. What the caller named by its id is listed beyond
// it.
const maxDropped = 200

// full reports whether no more of what nobody named is listed.
func (b *build) full() bool { return len(b.out.Dropped)-len(b.excluded) >= maxDropped }

// drop notes what was left out. What the caller took in is not.
func (b *build) drop(d item.Dropped) {
	if !b.named(d.ID) && !b.full() {
		b.out.Dropped = append(b.out.Dropped, d)
	}
}

// named reports whether the caller named an id, and it is said already what became of that.
func (b *build) named(id string) bool { return b.included[id] || b.excluded[id] }

// dropDraft notes a draft that is left out, with the tokens of its best form.
func (b *build) dropDraft(d *draft, reason item.DropReason) { b.drop(droppedDraft(d, reason)) }

func droppedDraft(d *draft, reason item.DropReason) item.Dropped {
	f := d.forms[0]
	out := item.Dropped{
		ID: d.item.ID, Kind: d.item.Kind, Reason: reason, Score: d.item.Score, Title: d.item.Title, Tokens: f.tokens, Path: d.item.Path, URI: d.item.URI,
		StartLine: d.item.StartLine, EndLine: d.item.EndLine,
	}
	if f.end > 0 || f.start > 0 {
		out.StartLine, out.EndLine = f.start, f.end
	}
	return out
}

// dropMemo notes a memory that is left out before there is a draft of it.
func (b *build) dropMemo(m *Memo, reason item.DropReason) {
	if !b.named(m.ID) && !b.full() {
		b.drop(b.droppedMemo(m, reason))
	}
}

func (b *build) droppedMemo(m *Memo, reason item.DropReason) item.Dropped {
	out := item.Dropped{ID: m.ID, Kind: m.Kind, Reason: reason, Score: m.Score, Title: cmp.Or(m.Title, m.Name), URI: m.URI}
	if m.Body != "" {
		r := render.Item{Kind: m.Kind, Tag: m.Tag, Layer: item.L5JIT, Title: m.Title, Attrs: m.Attrs, Body: m.Body}
		if m.Tag != "" {
			r.Title = ""
		}
		out.Tokens = b.src.Count(render.Block(r))
	}
	return out
}

// dropChunk notes a place that is left out before there is a draft of it. Its tokens are those that
// the index has of it.
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

// exclude notes a draft that the caller left out by its id.
func (b *build) exclude(d *draft) { b.noteExcluded(droppedDraft(d, item.Excluded)) }

// noteExcluded notes once what the caller named and does not get.
func (b *build) noteExcluded(d item.Dropped) {
	if !b.excluded[d.ID] {
		b.excluded[d.ID] = true
		b.out.Dropped = append(b.out.Dropped, d)
	}
}

// forgiveShown takes out of what was left out what came in without being taken: in a shorter form,
// as a rule.
func (b *build) forgiveShown() {
	for _, it := range b.out.Items {
		if b.excluded[it.ID] {
			b.out.Dropped = slices.DeleteFunc(b.out.Dropped, func(d item.Dropped) bool { return d.ID == it.ID })
		}
	}
}

// wanted returns the memories that the caller neither took in nor left out by their ids.
func (b *build) wanted(list []Memo) []Memo {
	if len(b.included)+len(b.omitted) == 0 {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), func(m Memo) bool {
		if b.omitted[m.ID] {
			b.noteExcluded(b.droppedMemo(&m, item.Excluded))
		}
		return b.omitted[m.ID] || b.included[m.ID]
	})
}
