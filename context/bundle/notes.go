package bundle

import (
	"github.com/contexture-dev/contexture/context/item"
)

// noteList holds memories that go into every bundle with room for them: tasks and blockers, and the
// conversation's board. They stay within a share of the budget as long as others need the rest.
type noteList struct {
	list   []Memo
	left   []Memo // the part of list that found no room
	drafts []*draft
}

// notes makes the drafts of notes within a share of the budget.
func (b *build) notes(share float64, list []Memo) noteList {
	n := noteList{list: list}
	n.drafts, n.left = b.fitting(item.L4Conversation, b.shareOf(share), false, list)
	return n
}

// widen offers the notes free tokens, the board first, and reports whether there are now more
// notes, or longer ones.
func (b *build) widen(free int) bool {
	board := b.widenBy(&b.board, free)
	return b.widenBy(&b.work, free-board)+board > 0
}

// widenBy lays out notes again with up to free more tokens, and returns how many more they take.
func (b *build) widenBy(n *noteList, free int) int {
	if free <= 0 || len(n.list) == 0 {
		return 0
	}
	used := offered(n.drafts)
	drafts, left := b.fitting(item.L4Conversation, used+free, false, n.list)
	more := offered(drafts) - used
	if more <= 0 || more > free {
		return 0
	}
	n.drafts, n.left = drafts, left
	return more
}

// offered returns the tokens of drafts in their best forms.
func offered(list []*draft) (tokens int) {
	for _, d := range list {
		tokens += d.forms[0].tokens
	}
	return tokens
}

// dropNotes records which notes found no room.
func (b *build) dropNotes() {
	for _, n := range []noteList{b.work, b.board} {
		for _, m := range n.left {
			b.dropMemo(&m, item.OverBudget)
		}
	}
}
