package bundle

import (
	"slices"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// unpin removes from the board the turns that the history shows at least as fully.
func (b *build) unpin() {
	told := map[int]dialogue.Level{} // by turn
	for _, d := range b.talk.history {
		if turn, level, ok := dialogue.ParseTag(d.Forms[0].Tag); ok {
			told[turn] = level
		}
	}
	gone := map[string]bool{} // by id
	b.board.items = slices.DeleteFunc(slices.Clone(b.board.items), func(d *item.Item) bool {
		turn, level, ok := dialogue.ParseTag(d.Forms[0].Tag)
		if at, both := told[turn]; ok && both && at.Tells(level) {
			gone[d.ID] = true
			b.dropItem(d, item.Duplicate)
		}
		return gone[d.ID]
	})
	b.board.list = slices.DeleteFunc(slices.Clone(b.board.list), func(m item.Item) bool { return gone[m.ID] })
}
