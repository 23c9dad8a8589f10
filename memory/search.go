package memory

import (
	"context"
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/recall"
)

// Search ranks messages by a text: those of one conversation with its whole past, or with nil all of the workspace.
// recency is how much newness counts, 0 to 1.
func (v *View) Search(ctx context.Context, scope *conversation.Info, text string, recency float64, limit int) ([]recall.Hit, error) {
	q := recall.Query{Text: text, Recency: recency, Limit: limit, Sessions: v.sessions}
	if scope != nil {
		q.Spans = []recall.Span{}
		for _, s := range scope.Spans() {
			q.Spans = append(q.Spans, recall.Span{Conversation: uint32(s.Conversation), From: s.From, To: s.To})
		}
		q.Sessions = func(uint32) []int { return scope.Sessions }
	}
	hits, err := recall.Search(ctx, v.r, v.w.number, q, v.w.memory.opts.Terms)
	if err != nil {
		return nil, fmt.Errorf("search memory: %w", err)
	}
	return hits, nil
}

// sessions gives the sessions of a conversation by its number; a damaged one has none, and is met when it is read.
func (v *View) sessions(number uint32) []int {
	info, err := conversation.ByNumber(v.r, v.w.number, conversation.Number(number))
	if err != nil {
		return nil
	}
	return info.Sessions
}

// Place is a message where it stands.
type Place struct {
	Index, Turn, Session int // the session's number, from 0
	Message              dialogue.Message
}

// Places gives the messages stored under a number, from one index up to another, which is not included, and a living
// conversation that has them. Error: conversation.ErrNotFound.
func (v *View) Places(number uint32, from, to int) (conversation.Info, []Place, error) {
	info, err := conversation.Living(v.r, v.w.number, conversation.Number(number), from)
	if err != nil {
		return info, nil, err
	}
	to = min(to, info.Messages)
	if from >= to {
		return info, nil, nil
	}
	msgs, err := conversation.Messages(v.r, v.w.number, info, from, to)
	if err != nil {
		return info, nil, err
	}
	indexes := make([]int, len(msgs))
	for i := range indexes {
		indexes[i] = from + i
	}
	turns, err := conversation.TurnsOf(v.r, v.w.number, info, indexes)
	if err != nil {
		return info, nil, err
	}
	out := make([]Place, len(msgs))
	for i, m := range msgs {
		session, found := slices.BinarySearch(info.Sessions, from+i)
		if !found {
			session--
		}
		out[i] = Place{Index: from + i, Turn: turns[i], Session: max(session, 0), Message: m}
	}
	return info, out, nil
}
