package recall

import (
	"cmp"
	"context"
	"slices"

	"github.com/contexture-dev/contexture/memory/store"
)

// Location is a message in a stored conversation.
type Location struct {
	Conversation uint32
	Message      int // its index in the conversation
}

// Holding returns the messages that contain every term of a text, the newest conversation and in it
// the latest message first: at most most, and whether there are more. A text without terms is in no
// message. Like Search it reads no messages, only the postings of the terms, up to the same bounds.
func (ix *Index) Holding(ctx context.Context, view store.View, text string, most int) (list []Location, more bool, err error) {
	s := &source{ctx: ctx, view: view, bounds: defaultBounds, kept: ix.kept, copies: &arena{}}
	words, err := s.words(text, ix.terms)
	if err != nil || len(words) == 0 {
		return nil, false, err
	}
	slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(a.list.count, b.list.count) })
	held := map[Location]int{} // how many of the words so far a message contains
	for n, w := range words {
		more = more || w.list.cut
		for _, p := range w.list.pieces {
			for v := p.value; len(v) >= postingSize; v = v[postingSize:] {
				q := at(v)
				l := Location{p.group<<groupBits | q.member(), int(p.block)<<blockBits + int(q.message())}
				if held[l] == n {
					held[l] = n + 1
				}
			}
		}
	}
	for l, n := range held {
		if n == len(words) {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(a, b Location) int {
		return cmp.Or(cmp.Compare(b.Conversation, a.Conversation), cmp.Compare(b.Message, a.Message))
	})
	if len(list) > most {
		list, more = list[:most], true
	}
	return list, more, nil
}
