package remember

import (
	"context"
	"errors"

	"github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/arc"
	"github.com/contexture-dev/contexture/memory/conversation"
	found "github.com/contexture-dev/contexture/memory/recall"
)

// Found implements recall.Sources on a view: the messages and knowledge of one conversation, or of
// all.
type Found struct {
	View  *memory.View
	Scope *conversation.Info // nil: the whole workspace
	// Skip reports whether to leave out a message of a conversation's number because it is in view;
	// nil leaves out none.
	Skip    func(number uint32, at memory.Place) bool
	Counter func(string) int
	Words   func(text string, yield func(term string))
}

var _ recall.Sources = (*Found)(nil)

// Search implements recall.Sources.
func (f *Found) Search(ctx context.Context, text string, recency float64, limit int) ([]found.Hit, error) {
	return f.View.Messages.Search(ctx, f.Scope, text, recency, limit)
}

// Messages implements recall.Sources. It leaves out what was forgotten or deleted meanwhile.
func (f *Found) Messages(_ context.Context, conv uint32, from, to int) ([]recall.LocatedMessage, error) {
	_, places, err := f.View.Messages.Places(conv, from, to)
	if errors.Is(err, conversation.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []recall.LocatedMessage
	for _, p := range places {
		if f.Skip == nil || !f.Skip(conv, p) {
			out = append(out, recall.LocatedMessage{Index: p.Index, Turn: p.Turn, Session: p.Session, Message: p.Message})
		}
	}
	return out, nil
}

// Latest implements recall.Sources.
func (f *Found) Latest(_ context.Context, most int) (messages []recall.LocatedMessage, own bool, err error) {
	info := f.Scope
	if info == nil {
		page, _, err := f.View.Conversations.List(1, "")
		if err != nil || len(page) == 0 {
			return nil, false, err
		}
		info = &page[0]
	}
	list, err := f.View.Messages.Latest(*info, most)
	if err != nil {
		return nil, false, err
	}
	out := make([]recall.LocatedMessage, 0, len(list))
	for _, p := range list {
		out = append(out, recall.LocatedMessage{Conversation: p.Conversation, Index: p.Index, Turn: p.Turn, Session: p.Session, Message: p.Message})
	}
	return out, f.Scope != nil, nil
}

// Opening implements recall.Sources. A turn that is gone has no prompt.
func (f *Found) Opening(_ context.Context, conv uint32, turn int) (recall.LocatedMessage, int, error) {
	first, end, err := f.View.Messages.Opening(conv, turn)
	if errors.Is(err, conversation.ErrNotFound) {
		return recall.LocatedMessage{}, 0, nil
	}
	return recall.LocatedMessage{Conversation: conv, Index: first.Index, Turn: first.Turn, Session: first.Session, Message: first.Message}, end, err
}

// Conversation implements recall.Sources.
func (f *Found) Conversation(_ context.Context, conv uint32) (string, error) {
	if f.Scope != nil {
		return f.Scope.ID, nil
	}
	info, _, err := f.View.Messages.Places(conv, 0, 0)
	return info.ID, err
}

// Decisions implements recall.Sources.
func (f *Found) Decisions(_ context.Context, conv uint32) (map[int][]string, error) {
	info, _, err := f.View.Messages.Places(conv, 0, 0)
	if errors.Is(err, conversation.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	told, err := f.View.Arcs.Of(info, arc.Light, 0)
	if err != nil {
		return nil, err
	}
	out := map[int][]string{}
	for _, d := range told.Decisions {
		out[d.Turn] = append(out[d.Turn], d.Text)
	}
	return out, nil
}

// Frequency implements recall.Sources.
func (f *Found) Frequency(ctx context.Context, terms []string) (messages float64, counts []float64, err error) {
	return f.View.Messages.Count(ctx, terms)
}

// Terms implements recall.Sources.
func (f *Found) Terms(text string, yield func(term string)) { f.Words(text, yield) }

// Count implements recall.Sources.
func (f *Found) Count(text string) int { return f.Counter(text) }
