package bundle

import (
	"slices"

	"github.com/contexture-dev/contexture/context/budget"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

// unpin takes off the board the turns that the history shows at least as fully, and reports whether there were any.
func (b *build) unpin(plan budget.Plan) bool {
	shown := map[int]dialogue.Level{} // by turn
	for i, c := range plan.Choices {
		if d := b.drafts[i]; d.layer == budget.L6History && c.Form >= 0 {
			if turn, level, ok := dialogue.ParseTag(d.forms[c.Form].render.Tag); ok {
				shown[turn] = level
			}
		}
	}
	before := b.board.to
	for i := b.board.to - 1; i >= b.board.from; i-- {
		turn, level, ok := dialogue.ParseTag(b.drafts[i].forms[0].render.Tag)
		if at, both := shown[turn]; ok && both && at.Tells(level) {
			id := b.drafts[i].item.ID
			b.drop(id, b.drafts[i].item.Kind, "duplicate")
			b.drafts = slices.Delete(b.drafts, i, i+1)
			b.board.list = slices.DeleteFunc(slices.Clone(b.board.list), func(m Memo) bool { return m.ID == id })
			b.moved(&b.board, -1)
		}
	}
	return b.board.to < before
}
