package bundle

import (
	"slices"

	"github.com/contexture-dev/contexture/context/budget"
)

// noteList is memories that stand in every bundle with room for them: tasks and blockers, and the
// conversation's board. They keep to a share of the budget as long as others need the rest.
type noteList struct {
	list     []Memo
	left     []Memo // of list: found no room
	from, to int    // their drafts
}

// addNotes makes the drafts of notes within a share of the budget.
func (b *build) addNotes(share float64, list []Memo) noteList {
	n := noteList{list: list, from: len(b.drafts)}
	var drafts []draft
	drafts, n.left = b.fitting(budget.L4Conversation, b.shareOf(share), false, list)
	b.drafts = append(b.drafts, drafts...)
	n.to = len(b.drafts)
	return n
}

// widen offers to the notes what the plan leaves of the budget, to the board first, and reports
// whether there are now more of them, or longer ones.
func (b *build) widen(plan budget.Plan) bool {
	free := b.req.Budget - plan.Tokens
	used := func(n *noteList) (sum int) {
		for i := n.from; i < n.to; i++ {
			if form := plan.Choices[i].Form; form >= 0 {
				sum += b.drafts[i].forms[form].tokens
			}
		}
		return sum
	}
	work, board := used(&b.work), used(&b.board)
	before := free
	free -= b.widenBy(&b.board, board, free)
	free -= b.widenBy(&b.work, work, free)
	return free < before
}

// widenBy lays notes that use some tokens out anew with more of them, and returns how many more
// they take.
func (b *build) widenBy(n *noteList, used, free int) int {
	if free <= 0 || len(n.list) == 0 {
		return 0
	}
	drafts, left := b.fitting(budget.L4Conversation, used+free, false, n.list)
	more := offered(drafts) - used
	if more <= 0 || more > free || offered(drafts) <= offered(b.drafts[n.from:n.to]) {
		return 0
	}
	b.drafts = slices.Replace(b.drafts, n.from, n.to, drafts...)
	n.left = left
	b.moved(n, len(drafts)-(n.to-n.from))
	return more
}

// offered is what drafts take in their best forms.
func offered(drafts []draft) (tokens int) {
	for _, d := range drafts {
		tokens += d.forms[0].tokens
	}
	return tokens
}

// moved notes that n has more drafts than before, or fewer.
func (b *build) moved(n *noteList, by int) {
	n.to += by
	if n == &b.work {
		b.board.from, b.board.to = b.board.from+by, b.board.to+by
	}
	b.beforeTalk += by
}

// dropNotes says which notes found no room.
func (b *build) dropNotes() {
	for _, n := range []noteList{b.work, b.board} {
		for _, m := range n.left {
			b.drop(m.ID, m.Kind, budget.ReasonBudget)
		}
	}
}
