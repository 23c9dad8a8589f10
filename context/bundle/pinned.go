package bundle

import (
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/context/budget"
)

// levels are those of a turn's text, the richest first (SPEC §5).
const levels = "RSCT"

// unpin takes off the board the turns that the history shows at least as fully, and reports whether there were any.
func (b *build) unpin(plan budget.Plan) bool {
	shown := map[string]int{} // turn → how rich
	for i, c := range plan.Choices {
		if d := b.drafts[i]; d.layer == budget.L6History && c.Form == 0 {
			if turn, level, ok := taggedTurn(d.forms[0].render.Tag); ok {
				shown[turn] = level
			}
		}
	}
	before := len(b.drafts)
	for i := b.board[1] - 1; i >= b.board[0]; i-- {
		turn, level, ok := taggedTurn(b.drafts[i].forms[0].render.Tag)
		if at, both := shown[turn]; ok && both && at <= level {
			b.drop(b.drafts[i].item.ID, b.drafts[i].item.Kind, "duplicate")
			b.drafts = slices.Delete(b.drafts, i, i+1)
		}
	}
	return len(b.drafts) < before
}

// taggedTurn takes the tag of one turn apart (T-7-S); ok is false for those of several and for other items.
func taggedTurn(tag string) (turn string, level int, ok bool) {
	at := strings.LastIndexByte(tag, '-')
	if at < 0 || strings.Contains(tag, "-through-") {
		return "", 0, false
	}
	level = strings.Index(levels, tag[at+1:])
	return tag[:at], level, level >= 0 && len(tag) == at+2
}
