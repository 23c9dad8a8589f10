package bundle

import (
	"github.com/contexture-dev/contexture/context/budget"
	"github.com/contexture-dev/contexture/context/item"
)

const (
	// arcMessages is the largest number of messages without an arc: up to it the history tells
	// everything.
	arcMessages = 6
	// chunkTokens is roughly the size of a piece of code; a workspace with fewer pieces than the
	// budget holds is too small to fill it.
	chunkTokens = 300
)

// converse lays the history out in its room.
func (b *build) converse(room Room) {
	b.talk.history, b.talk.leftOut = nil, ""
	if b.conversation.Messages == 0 {
		return
	}
	told := b.recalled(b.src.Past.History(room))
	if len(told) > 0 && told[0].LeftOut {
		b.talk.leftOut = told[0].ID
		if told[0].Untold {
			told = told[1:]
		}
	}
	b.talk.history = b.memos(item.L6History, 1, true, told)
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

// layOut lays out the conversation in the room that the layers agree on if it takes all that it
// may, and tasks and board in what they leave. The rest, which nothing else can use, is the
// history's in steps.
func (b *build) layOut() error {
	steady, arc := b.conversationRoom()
	if b.conversation.Messages > arcMessages && arc > 0 {
		b.talk.arc = b.memos(item.L4Conversation, 1, false, b.recalled(b.src.Past.Arc(arc)))
	}
	rows, err := b.negotiateFor(steady)
	if err == nil && b.widen(b.unused(rows)) {
		rows, err = b.negotiateFor(steady)
	}
	if err != nil {
		return err
	}
	steady = min(steady, rows[item.L6History].Allocated)
	room, dropped := b.deepRoom(rows, steady), b.list
	if b.converse(room); room.Now > steady && offered(b.talk.history) > room.Now {
		room, b.list = Room{Steady: steady, Now: steady}, dropped
		b.converse(room)
	}
	b.spare = room.Now - room.Steady
	b.unpin()
	return nil
}

// negotiateFor returns what the layers are allocated if the history takes all of its room.
func (b *build) negotiateFor(history int) (allocations, error) {
	in := b.input()
	if b.conversation.Messages > 0 {
		in.Supply[item.L6History] = min(history, b.wholeTokens())
	}
	return budget.Negotiate(in, b.all())
}

// wholeTokens returns what the whole conversation takes at most. Its tokens were counted in one
// encoding and without delimiters, and the bundle's may need more.
func (b *build) wholeTokens() int {
	return b.conversation.Tokens + b.conversation.Tokens/encodingSlack + b.conversation.Messages*wrapping
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

// deepRoom returns the history's room with what the layers leave of the budget, in steps.
func (b *build) deepRoom(rows allocations, steady int) Room {
	room := Room{Steady: steady, Now: steady}
	if b.req.Overrides[item.L6History].Max != nil || b.conversation.Messages == 0 || b.wholeTokens() <= steady {
		return room
	}
	step := b.req.Budget / spareSteps
	if b.littleCode() {
		step = b.req.Budget / spareStepsAlone
	}
	free := rows[item.L6History].Allocated + b.unused(rows)
	if now := free / max(step, 1) * step; now > steady {
		room.Now = now
		room.Firm = min(b.codeTokens(), rows[item.L5JIT].Allocated) > b.req.Budget/spareStepsAlone
	}
	return room
}

// codeTokens returns the tokens of the places in their best forms.
func (b *build) codeTokens() (tokens int) {
	for _, p := range b.places {
		tokens += p.Forms[0].Tokens
	}
	return tokens
}
