package conversation

import (
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/memory/store"
)

// Delete stages that a conversation is gone. Forks keep what they share with it; what no living conversation shares
// leaves the store and is returned, also of ancestors that were deleted before. Error: ErrNotFound.
func Delete(r store.Reader, b *store.Batch, ws store.Workspace, id string) (gone []Part, err error) {
	info, err := Find(r, ws, id)
	if err != nil {
		return nil, fmt.Errorf("delete: %w", err)
	}
	b.Delete(keyID(ws, id))
	b.Delete(keyLatest(ws, info.LastAt, info.Number))
	own, err := shrink(r, b, ws, info, 0)
	if err != nil {
		return nil, fmt.Errorf("delete conversation %q: %w", id, err)
	}
	gone = append(gone, own...)
	for _, l := range info.past {
		b.Delete(keySharer(ws, l.number, info.Number))
		ancestor, err := ByNumber(r, ws, l.number)
		if err == nil && ancestor.ID == "" {
			var part []Part
			part, err = shrink(r, b, ws, ancestor, info.Number)
			gone = append(gone, part...)
		}
		if err != nil {
			return nil, fmt.Errorf("delete conversation %q: %w", id, err)
		}
	}
	return gone, nil
}

// shrink leaves of a deleted conversation what others than the number without share, and gives the messages that go.
// Of the turns that stay one mark more is kept, so that the last one's end is known.
func shrink(r store.Reader, b *store.Batch, ws store.Workspace, info Info, without Number) ([]Part, error) {
	list, err := sharers(r, ws, info.Number)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(l link) bool { return l.number == without })
	keep := info.base()
	for _, l := range list {
		keep.turns, keep.messages = max(keep.turns, l.turns), max(keep.messages, l.messages)
	}
	if err := removeStory(r, b, ws, info.Number); err != nil {
		return nil, err
	}
	if err := removeWritten(r, b, ws, info.Number, keep.turns+1, maxCount-1); err != nil {
		return nil, err
	}
	part := Part{Conversation: info.Number, First: keep.messages}
	err = eachEntry(r, ws, info, keep.messages, info.Messages, func(_ int, e entry) error {
		if len(list) > 0 && !e.made && !e.forgotten {
			b.Delete(keyGiven(ws, info.Number, e.ID))
		}
		part.Messages, part.TurnOf = append(part.Messages, e.Message), append(part.TurnOf, e.turn)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		erase(b, ws, info.Number)
	} else {
		cut(b, ws, info, keep)
	}
	if len(part.Messages) == 0 {
		return nil, nil
	}
	return []Part{part}, nil
}

// erase stages that nothing is left under a number.
func erase(b *store.Batch, ws store.Workspace, n Number) {
	for _, kind := range []byte{kindMessage, kindTurn, kindVersions, kindSizes, kindWeights, kindGiven, kindPending} {
		prefix := keyOf(ws, kind, n)
		b.DeleteRange(prefix, store.PrefixEnd(prefix))
	}
	b.Delete(keyInfo(ws, n))
	b.Delete(keySessions(ws, n))
}

// cut stages that a number keeps only the turns and messages up to keep, and no name.
func cut(b *store.Batch, ws store.Workspace, info Info, keep link) {
	n := info.Number
	b.DeleteRange(keyMessage(ws, n, keep.messages), store.PrefixEnd(keyOf(ws, kindMessage, n)))
	b.DeleteRange(keyWeights(ws, n, keep.messages), store.PrefixEnd(keyOf(ws, kindWeights, n)))
	b.DeleteRange(keyTurn(ws, n, keep.turns+2), store.PrefixEnd(keyOf(ws, kindTurn, n)))
	for _, kind := range []byte{kindVersions, kindPending} {
		b.DeleteRange(keyAt(ws, kind, n, keep.turns+1), store.PrefixEnd(keyOf(ws, kind, n)))
	}
	info.ID, info.Title, info.titleFrom = "", "", titleNone
	info.Turns, info.Messages = keep.turns, keep.messages
	count, _ := slices.BinarySearch(info.Sessions, keep.messages)
	b.Set(keyInfo(ws, n), encodeInfo(info))
	b.Set(keySessions(ws, n), encodeSessions(info.Sessions[:count]))
}
