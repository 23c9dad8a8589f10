package recall

import (
	"fmt"
	"maps"
	"slices"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// slot names a value of the index: a term in one block of a conversation.
type slot struct {
	term  string
	block uint32
}

// Add stages the postings of messages that a conversation got; first is the index of the first of them. They must not
// be in the index yet. It reads nothing.
func Add(b *store.Batch, ws store.Workspace, conv uint32, first int, msgs []dialogue.Message, terms Terms) {
	values := map[slot][]byte{}
	put := func(term string, message int, weight, length uint8) {
		at := slot{term, uint32(message >> blockBits)}
		values[at] = appendPosting(values[at], posting{message & (blockSize - 1), weight, length})
	}
	for i, m := range msgs {
		d := read(m, terms)
		length := lengthByte(d.length)
		put(tableTerm, first+i, d.flags, length)
		for term, weight := range d.weights {
			put(term, first+i, weightByte(weight), length)
		}
		for _, term := range slices.Compact(slices.Sorted(slices.Values(d.authors))) {
			put(authorMark+term, first+i, weightSteps, length)
		}
	}
	for at, value := range values {
		b.Append(postingKey(ws, at.term, conv, at.block), value)
	}
}

// Remove stages the inverse of Add, with the same arguments: nothing of the messages is left, no term that only they
// held. It reads what r shows, so what it removes was applied before.
func Remove(
	r store.Reader, b *store.Batch, ws store.Workspace, conv uint32, first int, msgs []dialogue.Message, terms Terms,
) error {
	slots := map[slot]bool{}
	gone := func(message int) bool { return message >= first && message < first+len(msgs) }
	for i, m := range msgs {
		block := uint32((first + i) >> blockBits)
		d := read(m, terms)
		slots[slot{tableTerm, block}] = true
		for term := range d.weights {
			slots[slot{term, block}] = true
		}
		for _, term := range d.authors {
			slots[slot{authorMark + term, block}] = true
		}
	}
	for at := range maps.Keys(slots) {
		key := postingKey(ws, at.term, conv, at.block)
		value, found, err := r.Get(key)
		if err != nil {
			return fmt.Errorf("remove from recall: %w", err)
		}
		if !found {
			continue
		}
		var left []byte
		for p, rest, ok := next(value); ok; p, rest, ok = next(rest) {
			if !gone(int(at.block)<<blockBits + p.message) {
				left = appendPosting(left, p)
			}
		}
		if len(left) == 0 {
			b.Delete(key)
		} else if len(left) < len(value) {
			b.Set(key, left)
		}
	}
	return nil
}
