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
	board := b.board[1]
	for i := b.board[1] - 1; i >= b.board[0]; i-- {
		turn, level, ok := dialogue.ParseTag(b.drafts[i].forms[0].render.Tag)
		if at, both := shown[turn]; ok && both && at.Tells(level) {
			b.drop(b.drafts[i].item.ID, b.drafts[i].item.Kind, "duplicate")
			b.drafts = slices.Delete(b.drafts, i, i+1)
			b.board[1]--
			b.beforeTalk--
		}
	}
	return b.board[1] < board
}
