package bundle

import (
	"slices"

	"github.com/contexture-dev/contexture/context/budget"
	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/memory/dialogue"
)

const (
	// historySteps bounds how often the history is laid out again for the room that it really got.
	historySteps = 3
	// arcMessages is the largest number of messages without an arc: up to it the history tells
	// everything.
	arcMessages = 6
	// chunkTokens is roughly the size of a piece of code; a workspace with fewer pieces than the
	// budget holds is too small to fill it.
	chunkTokens = 300
)

// converse lays the conversation out: the history in its room, the arc in at most arc tokens and in
// what tasks and board leave of its layer.
func (b *build) converse(room Room, arc int) (t layout) {
	if b.conversation.Messages == 0 {
		return t
	}
	told := b.recalled(b.src.Past.History(room))
	if len(told) > 0 && told[0].LeftOut {
		t.leftOut = told[0].ID
		if told[0].Untold {
			told = told[1:]
		}
	}
	t.history = b.memos(item.L6History, 1, true, told)
	if b.conversation.Messages > arcMessages && arc > 0 {
		t.arc = b.memos(item.L4Conversation, 1, false, b.recalled(b.src.Past.Arc(arc)))
	}
	return t
}

// conversationRoom returns the room that history and arc are laid out for: the layers' ideals, and
// the history's maximum when there is too little code to fill the rest. The history's room changes
// only with the size of the conversation, not from prompt to prompt, so that its text stays the
// same.
func (b *build) conversationRoom() (history, arc int) {
	in := b.input()
	if b.conversation.Settled > shortConversation {
		in.ConversationTokens = b.conversation.Settled
	}
	params := budget.Formulas(in)
	h, a := params[item.L6History], params[item.L4Conversation]
	history = budget.HistoryRoom(in) // it changes at the same sizes as the borders of the levels
	switch {
	case b.req.PrioritizeHistory || b.littleCode():
		history = h.Max
	case b.conversation.Tokens <= history:
		history = min(b.conversation.Tokens+b.conversation.Tokens/encodingSlack+h.Min, h.Max)
	}
	if o, ok := b.req.Overrides[item.L6History]; ok {
		history = override(history, o)
	}
	arc, most := a.Ideal, a.Max
	if o, ok := b.req.Overrides[item.L4Conversation]; ok {
		arc, most = override(arc, o), override(most, o)
	}
	for _, d := range b.all() {
		if d.Layer == item.L4Conversation {
			most -= d.Forms[0].Tokens
		}
	}
	return history, min(arc, most)
}

// littleCode reports whether the workspace is too small to fill the budget.
func (b *build) littleCode() bool {
	return b.src.Snapshot == nil || b.src.Snapshot.Chunks()*chunkTokens < b.req.Budget
}

// shortConversation is the size in tokens up to which a conversation's history may have all it
// needs.
const shortConversation = 3000

// encodingSlack: a conversation that fits as a whole gets an eighth more than its tokens, because
// they were counted in one encoding and the bundle's may need more.
const encodingSlack = 8

// override applies the caller's own figures to a room.
func override(room int, o budget.Override) int {
	if o.Ideal != nil {
		room = *o.Ideal
	}
	if o.Max != nil {
		room = min(room, *o.Max)
	}
	if o.Min != nil {
		room = max(room, *o.Min)
	}
	return room
}

// layOut lays out the conversation in the room that the layers agree on, and tasks and board in
// what they leave. The history gets in steps what nothing else can use.
func (b *build) layOut() error {
	steady, arc := b.conversationRoom()
	var rows allocations
	for range historySteps {
		b.talk = b.converse(Room{Steady: steady, Now: steady}, arc)
		var err error
		if rows, err = budget.Negotiate(b.input(), b.all(), packing); err != nil {
			return err
		}
		if offered(b.talk.history) <= rows[item.L6History].Allocated {
			break
		}
		steady = rows[item.L6History].Allocated
	}
	b.unpin()
	if b.widen(b.unused(rows)) {
		var err error
		if rows, err = budget.Negotiate(b.input(), b.all(), packing); err != nil {
			return err
		}
	}
	return b.deepen(rows, steady, arc)
}

// allocations are what the layers are allocated.
type allocations = [item.NumLayers]budget.Allocation

// unused returns the tokens of the budget that no layer is allocated.
func (b *build) unused(rows allocations) int {
	left := b.req.Budget
	for _, r := range rows {
		left -= r.Allocated
	}
	return left
}

// Unused room goes to the history in steps of a share of the budget, so that it does not change
// with each prompt: the stable part ends where the level of summary changes. In a workspace
// with little code it changes little. When a prompt finds more than one such step of code, the rest
// changes nothing that is stable, because it varies with what is found.
const (
	spareSteps      = 4
	spareStepsAlone = 8
)

// deepen lays out more of the conversation with what the layers leave of the budget, as far as that
// takes nothing from others.
func (b *build) deepen(rows allocations, steady, arc int) error {
	step := b.req.Budget / spareSteps
	if b.littleCode() {
		step = b.req.Budget / spareStepsAlone
	}
	spare := b.unused(rows) / max(step, 1) * step
	if o := b.req.Overrides[item.L6History]; o.Max != nil || spare == 0 || b.conversation.Messages == 0 || b.talk.isWhole() {
		return nil
	}
	firm := min(b.codeTokens(), rows[item.L5JIT].Allocated) > b.req.Budget/spareStepsAlone
	told, dropped := b.talk, b.list
	for ; spare > 0; spare = spare / 2 / max(step, 1) * step { // what does not fit in whole may fit in half
		b.spare = spare
		b.talk = b.converse(Room{Steady: steady, Now: steady + spare, Firm: firm}, arc)
		deep, err := budget.Negotiate(b.input(), b.all(), packing)
		if err != nil {
			return err
		}
		worse := offered(b.talk.history) > deep[item.L6History].Allocated
		for l := range deep {
			worse = worse || l != int(item.L6History) && deep[l].Allocated < rows[l].Allocated
		}
		if !worse {
			return nil
		}
		b.talk, b.spare, b.list = told, 0, dropped
	}
	return nil
}

// codeTokens returns the tokens of the places in their best forms.
func (b *build) codeTokens() (tokens int) {
	for _, p := range b.places {
		tokens += p.Forms[0].Tokens
	}
	return tokens
}

// isWhole reports whether a layout shows the whole conversation verbatim.
func (t *layout) isWhole() bool {
	return t.leftOut == "" && !slices.ContainsFunc(t.history, func(d *item.Item) bool {
		_, level, one := dialogue.ParseTag(d.Forms[0].Tag)
		return !one || level != dialogue.Raw
	})
}
