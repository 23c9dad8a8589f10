package recall

import (
	"fmt"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// Part is a run of messages of one conversation; First is the index of the first one.
type Part struct {
	Conversation uint32
	First        int
	Messages     []dialogue.Message
}

// slot identifies a value of the index: a term in one block of a group of conversations.
type slot struct {
	term         string
	group, block uint32
}

// each calls f for every posting of a part, with its slot; no message has two postings in one slot.
func (p Part) each(terms Terms, f func(slot, posting)) {
	for i, m := range p.Messages {
		PlacedMessage{p.Conversation, p.First + i, prepare(m, terms)}.each(f)
	}
}

// renew stages a new version of a block if the slot belongs to the table.
func (ix *Index) renew(tx store.Tx, at slot) {
	if at.term == tableTerm {
		tx.Set(postingKey(tx.Workspace, versionTerm, at.group, at.block), ix.version())
	}
}

// Remove stages the inverse of Add for all the parts: nothing of the messages remains, and no term
// that only they contain. It reads the committed state, so the messages must have been committed
// before. Because several parts may share one value, all removals of one batch must be made in one
// call.
func (ix *Index) Remove(tx store.Tx, parts []Part) error {
	gone := map[slot]map[posting]bool{}
	for _, part := range parts {
		part.each(ix.terms, func(at slot, p posting) {
			if gone[at] == nil {
				gone[at] = map[posting]bool{}
			}
			gone[at][p&^gainBits] = true // in any position, with any weight
		})
	}
	for at, postings := range gone {
		key := postingKey(tx.Workspace, at.term, at.group, at.block)
		value, found, err := tx.Get(key)
		if err != nil {
			return fmt.Errorf("remove from recall: %w", err)
		}
		if !found {
			continue
		}
		switch left := without(value, postings); {
		case len(left) == 0:
			tx.Delete(key)
			if at.term == tableTerm {
				tx.Delete(postingKey(tx.Workspace, versionTerm, at.group, at.block))
			}
		case len(left) < len(value):
			tx.Set(key, left)
			ix.renew(tx, at)
		}
	}
	return nil
}

// without returns the postings of a value except those of removed messages.
func without(value []byte, gone map[posting]bool) []byte {
	var left []byte
	for v := value; len(v) >= postingSize; v = v[postingSize:] {
		if p := at(v); !gone[p&^gainBits] {
			left = appendPosting(left, p)
		}
	}
	return left
}
