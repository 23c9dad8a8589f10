package recall

import (
	"cmp"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// PreparedMessage is a message in its indexed form, independent of its position. It is immutable.
type PreparedMessage struct {
	terms         []weightedTerm // without duplicates, including the terms of the author's name
	length, flags uint8
}

type weightedTerm struct {
	term   string
	weight uint8
}

// PlacedMessage is a message with its position in a conversation.
type PlacedMessage struct {
	Conversation uint32
	Index        int
	PreparedMessage
}

// Prepare splits a message into its terms, which is most of the work of adding it and needs no
// store.
func (ix *Index) Prepare(m dialogue.Message) PreparedMessage { return prepare(m, ix.terms) }

func prepare(m dialogue.Message, terms Terms) PreparedMessage {
	d := read(m, terms)
	p := PreparedMessage{terms: make([]weightedTerm, 0, len(d.weights)+len(d.authors)), length: lengthByte(d.length), flags: d.flags}
	for term, weight := range d.weights {
		p.terms = append(p.terms, weightedTerm{term, weightByte(weight)})
	}
	for _, term := range slices.Compact(slices.Sorted(slices.Values(d.authors))) {
		p.terms = append(p.terms, weightedTerm{authorMark + term, weightSteps})
	}
	return p
}

// each calls f for every posting of a message, with its slot.
func (p PlacedMessage) each(f func(slot, posting)) {
	group, block := p.Conversation>>groupBits, uint32(p.Index>>blockBits)
	f(slot{tableTerm, group, block}, newPosting(p.Conversation, p.Index, p.flags, p.length))
	for _, t := range p.terms {
		f(slot{t.term, group, block}, newPosting(p.Conversation, p.Index, t.weight, p.length))
	}
}

// Add stages the postings of messages that were added to conversations; those of one
// conversation must be in order. They must not be in the index yet. Add reads nothing.
// Adding many messages at once is cheaper than adding each alone: values they share are
// written once, and in key order, which the store ingests faster.
func (ix *Index) Add(tx store.Tx, list []PlacedMessage) {
	values := map[slot][]byte{}
	for _, p := range list {
		p.each(func(at slot, one posting) {
			values[at] = appendPosting(values[at], one)
		})
	}
	slots := make([]slot, 0, len(values))
	for at := range values {
		slots = append(slots, at)
	}
	slices.SortFunc(slots, func(a, b slot) int {
		return cmp.Or(strings.Compare(a.term, b.term), cmp.Compare(a.group, b.group), cmp.Compare(a.block, b.block))
	})
	for _, at := range slots {
		tx.Append(postingKey(tx.Workspace, at.term, at.group, at.block), values[at])
		ix.renew(tx, at)
	}
}
