package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/knowledge"
	"github.com/contexture-dev/contexture/memory/recall"
	"github.com/contexture-dev/contexture/memory/store"
)

// Messages are the messages of a [View], found by their text or by the number of the conversation
// under which they are stored.
type Messages struct {
	// Terms splits a text into search terms.
	Terms func(text string, yield func(term string))

	state store.View
	index *recall.Index
	last  map[conversation.Number]living // of stored: a search reads a conversation run by run
}

// Search ranks messages by a text: those of one conversation with its whole past, or with nil all
// of the workspace. recency is how much newness counts, 0 to 1.
func (v *Messages) Search(ctx context.Context, scope *conversation.Info, text string, recency float64, limit int) ([]recall.Hit, error) {
	q := recall.Query{Text: text, Recency: recency, Limit: limit, Sessions: v.sessions}
	if scope != nil {
		q.Spans = []recall.Span{}
		for _, s := range scope.Spans() {
			q.Spans = append(q.Spans, recall.Span{Conversation: uint32(s.Conversation), From: s.From, To: s.To})
		}
		q.Sessions = func(uint32) []int { return scope.Sessions }
	}
	hits, err := v.index.Search(ctx, v.state, q)
	if err != nil {
		return nil, fmt.Errorf("search memory: %w", err)
	}
	return hits, nil
}

// sessions returns the sessions of a conversation by its number; nil for a damaged one, whose error
// appears when it is read.
func (v *Messages) sessions(number uint32) []int {
	n := conversation.Number(number)
	if known, ok := v.last[n]; ok && known.info.Number == n {
		return known.info.Sessions
	}
	info, err := conversation.ByNumber(v.state, n)
	if err != nil {
		return nil
	}
	if info.ID != "" {
		v.last[n] = living{info, info.Messages}
	}
	return info.Sessions
}

// Place is a message with its position.
type Place struct {
	Index, Turn, Session int // the session's number, from 0
	Message              dialogue.Message
}

// livingOf returns an existing conversation that contains all that remains under a number, and how
// many messages from the beginning that is: the conversation itself or, if it was deleted, the fork
// that shares most. Error: conversation.ErrNotFound.
func livingOf(view store.View, number conversation.Number) (conversation.Info, int, error) {
	info, err := conversation.ByNumber(view, number)
	if err != nil || info.ID != "" {
		return info, info.Messages, err
	}
	has := func(message int) (bool, error) {
		found, err := conversation.Living(view, number, message)
		if errors.Is(err, conversation.ErrNotFound) {
			return false, nil
		}
		if err == nil {
			info = found // called for ever later messages: the last result is the widest
		}
		return err == nil, err
	}
	low, high := 0, 1 // in the end message low-1 exists and message high-1 does not
	for {
		ok, err := has(high - 1)
		if err != nil {
			return conversation.Info{}, 0, err
		}
		if !ok {
			break
		}
		low, high = high, 2*high
	}
	for low+1 < high {
		middle := (low + high) / 2
		ok, err := has(middle - 1)
		if err != nil {
			return conversation.Info{}, 0, err
		}
		if ok {
			low = middle
		} else {
			high = middle
		}
	}
	if low == 0 {
		return conversation.Info{}, 0, fmt.Errorf("conversation %d: %w", number, conversation.ErrNotFound)
	}
	return info, low, nil
}

// living is the result of livingOf for a number.
type living struct {
	info     conversation.Info
	messages int
}

// stored is livingOf, called once for each number.
func (v *Messages) stored(number conversation.Number) (living, error) {
	if known, ok := v.last[number]; ok {
		return known, nil
	}
	info, messages, err := livingOf(v.state, number)
	found := living{info, messages}
	if err == nil {
		v.last[number] = found
	}
	return found, err
}

// Latest returns the last messages of a conversation, at most so many, the newest first, each with
// the number under which it is stored. It leaves out forgotten ones.
func (v *Messages) Latest(info conversation.Info, most int) ([]StoredMessage, error) {
	from := max(0, info.Messages-most)
	msgs, turns, err := conversation.MessagesWithTurns(v.state, info, from, info.Messages)
	if err != nil {
		return nil, fmt.Errorf("read the latest messages: %w", err)
	}
	spans := info.Spans()
	out := make([]StoredMessage, 0, len(msgs))
	for i := len(msgs) - 1; i >= 0; i-- {
		at := from + i
		for len(spans) > 1 && at < spans[len(spans)-1].From {
			spans = spans[:len(spans)-1]
		}
		out = append(out, StoredMessage{
			Conversation: uint32(spans[len(spans)-1].Conversation),
			Place:        Place{Index: at, Turn: turns[i], Session: sessionOf(info, at), Message: msgs[i]},
		})
	}
	return out, nil
}

// StoredMessage is a message and the number under which it is stored.
type StoredMessage struct {
	Conversation uint32
	Place
}

// sessionOf returns the number of a message's session.
func sessionOf(info conversation.Info, message int) int {
	session, found := slices.BinarySearch(info.Sessions, message)
	if !found {
		session--
	}
	return max(session, 0)
}

// Places returns the messages stored under a number, from index from up to, but not including, to,
// and an existing conversation that contains them. Error: conversation.ErrNotFound.
func (v *Messages) Places(number uint32, from, to int) (conversation.Info, []Place, error) {
	found, err := v.stored(conversation.Number(number))
	info := found.info
	if err != nil {
		return info, nil, err
	}
	to = min(to, found.messages)
	if from >= to {
		return info, nil, nil
	}
	msgs, turns, err := conversation.MessagesWithTurns(v.state, info, from, to)
	if err != nil {
		return info, nil, err
	}
	out := make([]Place, len(msgs))
	for i, m := range msgs {
		out[i] = Place{Index: from + i, Turn: turns[i], Session: sessionOf(info, from+i), Message: m}
	}
	return info, out, nil
}

// Holding returns the messages that contain every search term of a text; see
// [recall.Index.Holding].
func (v *Messages) Holding(ctx context.Context, text string, most int) (list []recall.Location, more bool, err error) {
	return v.index.Holding(ctx, v.state, text, most)
}

// Failing returns the messages in which a command failed in that way, see [knowledge.Failure.In].
func (v *Messages) Failing(f knowledge.Failure, most int) ([]knowledge.Failing, error) {
	return f.In(v.state, most)
}
