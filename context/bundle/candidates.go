package bundle

import (
	"cmp"
	"slices"

	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
)

// place is a candidate that shows a part of a file.
type place struct {
	item.Item
	found *foundPlace
	shown []cut.Passage // what each form shows of the file
	known map[int]bool  // lines that were taken out because the conversation shows them
}

// candidates holds the results of the stages of a bundle, one list a stage.
type candidates struct {
	prompt      *item.Item
	personal    []*item.Item // identity and preferences
	notices     []*item.Item // that files do not exist
	rules       []*item.Item
	work, board noteList
	profiles    []*item.Item // of the topics and entities that the prompt names
	memories    []*item.Item // what memory found for the prompt
	places      []*place     // of the workspace
	pointers    []*item.Item // to other places
	talkLayout  layout
}

// layout is the conversation laid out for one room.
type layout struct {
	history, arc []*item.Item
	leftOut      string // the id of the turns that do not fit; "" for none
}

// lists returns the lists of memories in the order in which they are packed and written, those
// before the places and those after them. Of equally good candidates the earlier one wins, and
// candidates of one section of the text keep this order.
func (l *candidates) lists() (before, after []*[]*item.Item) {
	return []*[]*item.Item{&l.personal, &l.notices, &l.rules, &l.work.items, &l.board.items, &l.profiles, &l.memories},
		[]*[]*item.Item{&l.talkLayout.history, &l.talkLayout.arc}
}

// all returns the candidates of all lists, the prompt first.
func (l *candidates) all() []*item.Item {
	out := []*item.Item{l.prompt}
	before, after := l.lists()
	for _, list := range before {
		out = append(out, *list...)
	}
	for _, p := range l.places {
		out = append(out, &p.Item)
	}
	out = append(out, l.pointers...)
	for _, list := range after {
		out = append(out, *list...)
	}
	return out
}

// memory returns what is neither the prompt nor of the workspace, in the order of all.
func (l *candidates) memory() (out []*item.Item) {
	before, after := l.lists()
	for _, list := range slices.Concat(before, after) {
		out = append(out, *list...)
	}
	return out
}

// discard removes the memories for which gone returns true. It calls gone once for each, in the
// order of all.
func (l *candidates) discard(gone func(*item.Item) bool) {
	before, after := l.lists()
	for _, list := range slices.Concat(before, after) {
		*list = slices.DeleteFunc(slices.Clone(*list), gone)
	}
}

// form makes the form that shows an item as it is, in a format.
func (b *build) form(it item.Item, format string, worth float64) item.Form {
	return item.Form{Format: format, Tag: it.Tag, Attrs: it.Attrs, Body: it.Body, Tokens: b.src.Count(render.Block(it)), Worth: worth}
}

// remembered makes the candidate of a memory. All are required: their number is bounded beforehand,
// and a layer that is short of room drops the last ones.
func (b *build) remembered(layer item.Layer, m item.Item, stable bool) *item.Item {
	m.Layer, m.Required, m.Stable, m.Value = layer, true, stable && !m.Volatile, m.Score
	m.Forms = []item.Form{b.form(m, cmp.Or(m.Format, "full"), 1)}
	if short := m; m.Short != "" {
		short.Body = m.Short
		m.Forms = append(m.Forms, b.form(short, "summary", shortWorth))
	}
	return &m
}

// shortWorth is the worth of a summary, relative to the whole text.
const shortWorth = .6

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
