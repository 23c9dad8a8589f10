package bundle

import (
	"cmp"
	"slices"

	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/indexer"
)

// place is a candidate that shows a part of a file. Its body is the text of its chunk.
type place struct {
	item.Item
	chunk  indexer.Chunk
	shown  []view   // what each form shows of the file
	others []*place // of the same file, that it may be shown with, the best first
}

// view is what a form of a place shows: a part of its file, with the first of its others.
type view struct {
	cut.Passage
	others int
}

// memory holds the candidates that are neither the prompt nor of the workspace, one list a stage.
type memory struct {
	*answer
	personal    []*item.Item // identity and preferences
	notices     []*item.Item // that files do not exist
	rules       []*item.Item
	work, board noteList
	profiles    []*item.Item // of the topics and entities that the prompt names
	memories    []*item.Item // what memory found for the prompt
	talk        layout
	// known and reminders are what memory found for the prompt, before the judge chose among it.
	known, reminders []item.Item
	conversation     Conversation
}

// layout is the conversation laid out for one room.
type layout struct {
	history, arc []*item.Item
	leftOut      string // the id of the turns that do not fit; "" for none
}

// lists returns the lists in the order in which they are packed and written, those before the
// places and those after them. Of equally good candidates the earlier one wins, and candidates of
// one section of the text keep this order.
func (b *memory) lists() (before, after []*[]*item.Item) {
	return []*[]*item.Item{&b.personal, &b.notices, &b.rules, &b.work.items, &b.board.items, &b.profiles, &b.memories},
		[]*[]*item.Item{&b.talk.history, &b.talk.arc}
}

// all returns the candidates of all lists.
func (b *memory) all() []*item.Item {
	before, after := b.lists()
	return joinLists(slices.Concat(before, after))
}

func joinLists(lists []*[]*item.Item) (out []*item.Item) {
	for _, list := range lists {
		out = append(out, *list...)
	}
	return out
}

// discard removes the candidates for which gone returns true. It calls gone once for each, in the
// order of all.
func (b *memory) discard(gone func(*item.Item) bool) {
	before, after := b.lists()
	for _, list := range slices.Concat(before, after) {
		*list = slices.DeleteFunc(slices.Clone(*list), gone)
	}
}

// all returns all candidates, the prompt first.
func (b *build) all() []*item.Item {
	before, after := b.lists()
	out := append([]*item.Item{b.prompt}, joinLists(before)...)
	for _, p := range b.places {
		out = append(out, &p.Item)
	}
	return slices.Concat(out, b.pointers, joinLists(after))
}

// form makes the form that shows an item as it is, in a format.
func (b *answer) form(it item.Item, format string, worth float64) item.Form {
	return item.Form{Format: format, Tag: it.Tag, Attrs: it.Attrs, Body: it.Body, Tokens: b.src.Count(render.Block(it)), Worth: worth}
}

// remembered makes the candidate of a memory. All are required: their number is bounded beforehand,
// and a layer that is short of room drops the last ones.
func (b *answer) remembered(layer item.Layer, m item.Item, stable bool) *item.Item {
	m.Layer, m.Required, m.Stable, m.Value = layer, true, stable && !m.Volatile, m.Score
	m.Forms = []item.Form{b.form(m, cmp.Or(m.Format, "full"), 1)}
	if short := m; m.Short != "" {
		short.Body = m.Short
		m.Forms = append(m.Forms, b.form(short, "summary", shortWorth))
	}
	return &m
}

// offered returns the tokens of candidates in their best forms.
func offered(list []*item.Item) (tokens int) {
	for _, it := range list {
		tokens += it.Forms[0].Tokens
	}
	return tokens
}

// usual returns the form in which a candidate is usually shown. That of what is not bounded
// beforehand, as a person's own rules, is the short one.
func usual(it *item.Item) item.Form {
	if it.Layer == item.L0Identity || it.Layer == item.L1Preferences {
		return it.Forms[len(it.Forms)-1]
	}
	return it.Forms[0]
}
