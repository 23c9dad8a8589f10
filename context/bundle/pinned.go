package bundle

import (
	"slices"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// unpin removes from the board the turns that the history shows at least as fully, and reports
// whether there were any.
func (b *build) unpin(plan filledPlan) bool {
	told := map[int]dialogue.Level{} // by turn
	for _, d := range b.talkLayout.history {
		if form, in := plan.shows(d); in {
			if turn, level, ok := dialogue.ParseTag(d.forms[form].render.Tag); ok {
				told[turn] = level
			}
		}
	}
	gone := map[string]bool{} // by id
	for _, d := range slices.Backward(b.board.drafts) {
		turn, level, ok := dialogue.ParseTag(d.forms[0].render.Tag)
		if at, both := told[turn]; ok && both && at.Tells(level) {
			gone[d.item.ID] = true
			b.dropDraft(d, item.Duplicate)
			b.board.drafts = slices.DeleteFunc(slices.Clone(b.board.drafts), func(other *draft) bool { return other == d })
		}
	}
	b.board.list = slices.DeleteFunc(slices.Clone(b.board.list), func(m Memo) bool { return gone[m.ID] })
	return len(gone) > 0
}
