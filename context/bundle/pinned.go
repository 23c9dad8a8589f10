package bundle

import (
	"slices"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// unpin removes from the board the turns that the history shows at least as fully.
func (b *build) unpin() {
	told := map[int]dialogue.Level{} // by turn
	for _, d := range b.talkLayout.history {
		if turn, level, ok := dialogue.ParseTag(d.forms[0].render.Tag); ok {
			told[turn] = level
		}
	}
	gone := map[string]bool{} // by id
	b.board.drafts = slices.DeleteFunc(slices.Clone(b.board.drafts), func(d *draft) bool {
		turn, level, ok := dialogue.ParseTag(d.forms[0].render.Tag)
		if at, both := told[turn]; ok && both && at.Tells(level) {
			gone[d.item.ID] = true
			b.dropDraft(d, item.Duplicate)
		}
		return gone[d.item.ID]
	})
	b.board.list = slices.DeleteFunc(slices.Clone(b.board.list), func(m Memo) bool { return gone[m.ID] })
}
