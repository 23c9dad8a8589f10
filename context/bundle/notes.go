package bundle

import (
	"github.com/contexture-dev/contexture/context/item"
)

// noteList holds memories that go into every bundle with room for them: tasks and blockers, and the
// conversation's board. They stay within a share of the budget as long as others need the rest.
type noteList struct {
	list  []item.Item
	left  []item.Item // the part of list that found no room
	items []*item.Item
}

// notes makes the items of notes within a share of the budget.
func (b *memory) notes(share float64, list []item.Item) noteList {
	n := noteList{list: list}
	n.items, n.left = b.fitting(item.L4Conversation, b.shareOf(share), false, list)
	return n
}

// widen offers the notes free tokens, the board first, and reports whether there are now more
// notes, or longer ones.
func (b *memory) widen(free int) bool {
	board := b.widenBy(&b.board, free)
	return b.widenBy(&b.work, free-board)+board > 0
}

// widenBy lays out notes again with up to free more tokens, and returns how many more they take.
func (b *memory) widenBy(n *noteList, free int) int {
	if free <= 0 || len(n.list) == 0 {
		return 0
	}
	used := offered(n.items)
	items, left := b.fitting(item.L4Conversation, used+free, false, n.list)
	more := offered(items) - used
	if more <= 0 || more > free {
		return 0
	}
	n.items, n.left = items, left
	return more
}

// dropNotes records which notes found no room.
func (b *memory) dropNotes() {
	for _, n := range []noteList{b.work, b.board} {
		for _, m := range n.left {
			b.dropItem(&m, item.OverBudget)
		}
	}
}
