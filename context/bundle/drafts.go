package bundle

import (
	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/render"
)

// draft is one item on its way into the bundle. Lists and plans refer to drafts by pointer.
type draft struct {
	layer    item.Layer
	item     item.Item
	group    string
	score    float64
	required bool
	forms    []form
	pointers []item.Item  // of a draft that points at places: what it points at, instead of item
	place    *foundPlace  // nil unless it is a place in the workspace
	known    map[int]bool // the lines of its place that were taken out because the conversation shows them
	says     []string     // Memo.Says
	ignored  bool         // Memo.ignored
}

// form is one way to show a draft.
type form struct {
	render  render.Item
	format  string
	worth   float64
	tokens  int
	passage cut.Passage // of a place: what this form shows of its file
}

// usual returns the form in which a draft is usually shown. That of what is not bounded beforehand,
// as a person's own rules, is the short one.
func (d *draft) usual() form {
	if d.layer == item.L0Identity || d.layer == item.L1Preferences {
		return d.forms[len(d.forms)-1]
	}
	return d.forms[0]
}

// isMemory reports whether a draft is neither a place nor points at places.
func (d *draft) isMemory() bool { return d.place == nil && len(d.pointers) == 0 }

// drafts holds the results of the stages of a bundle, one list a stage.
type drafts struct {
	prompt      *draft
	personal    []*draft // identity and preferences
	notices     []*draft // that files do not exist
	rules       []*draft
	work, board noteList
	profiles    []*draft // of the topics and entities that the prompt names
	memories    []*draft // what memory found for the prompt
	places      []*draft // of the workspace
	pointers    []*draft // to other places
	talkLayout  layout
}

// layout is the conversation laid out for one room.
type layout struct {
	history, arc []*draft
	leftOut      string // the id of the turns that do not fit; "" for none
}

// lists returns the lists in the order in which their drafts are packed and written. Of equally
// good drafts the earlier one wins, and drafts of one section of the text keep this order.
func (l *drafts) lists() []*[]*draft {
	return []*[]*draft{
		&l.personal, &l.notices, &l.rules, &l.work.drafts, &l.board.drafts, &l.profiles, &l.memories, &l.places, &l.pointers,
		&l.talkLayout.history, &l.talkLayout.arc,
	}
}

// all returns the drafts of all lists, the prompt first.
func (l *drafts) all() []*draft {
	out := []*draft{l.prompt}
	for _, list := range l.lists() {
		out = append(out, *list...)
	}
	return out
}

// discard removes the drafts for which gone returns true. It calls gone once for each, in the order
// of all, but never removes the prompt.
func (l *drafts) discard(gone func(*draft) bool) {
	for _, list := range l.lists() {
		var kept []*draft
		for _, d := range *list {
			if !gone(d) {
				kept = append(kept, d)
			}
		}
		*list = kept
	}
}

// choice is a draft that is in, in one of its forms.
type choice struct {
	*draft
	form form
}

// items returns the items that a choice shows.
func (c choice) items() []item.Item {
	if len(c.pointers) > 0 {
		return c.pointers
	}
	it := c.item
	it.Layer, it.Tokens, it.Format = c.layer, c.form.tokens, c.form.format
	if shown := c.form.passage.Shown; len(shown) > 0 {
		it.StartLine, it.EndLine, it.LastLine = shown[0].First, shown[len(shown)-1].Last, lastLine(c.form.render.Body)
		for _, r := range shown {
			if c.form.format == "lines" {
				it.Passages = append(it.Passages, passageItem(r, c.form.passage.Matched))
			}
		}
	}
	return []item.Item{it}
}
