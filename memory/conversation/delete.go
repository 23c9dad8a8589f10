package conversation

import (
	"fmt"
	"slices"

	"github.com/contexture-dev/contexture/memory/store"
)

// Delete stages the deletion of a conversation. Forks keep what they share with it; what no
// existing conversation shares is removed and returned, including that of ancestors deleted
// earlier. Error: ErrNotFound.
func Delete(tx store.Tx, id string) (gone []Part, err error) {
	info, err := Find(tx.View, id)
	if err != nil {
		return nil, fmt.Errorf("delete: %w", err)
	}
	tx.Delete(keyID(tx.Workspace, id))
	tx.Delete(keyLatest(tx.Workspace, info.LastAt, info.Number))
	own, err := shrink(tx, info, 0)
	if err != nil {
		return nil, fmt.Errorf("delete conversation %q: %w", id, err)
	}
	gone = append(gone, own...)
	for _, l := range info.past {
		tx.Delete(keySharer(tx.Workspace, l.number, info.Number))
		ancestor, err := ByNumber(tx.View, l.number)
		if err == nil && ancestor.ID == "" {
			var part []Part
			part, err = shrink(tx, ancestor, info.Number)
			gone = append(gone, part...)
		}
		if err != nil {
			return nil, fmt.Errorf("delete conversation %q: %w", id, err)
		}
	}
	return gone, nil
}

// shrink reduces a deleted conversation to what conversations other than without share, and returns
// the removed messages. It keeps one mark more than the remaining turns, so that the last one's end
// is known.
func shrink(tx store.Tx, info Info, without Number) ([]Part, error) {
	list, err := sharers(tx.View, info.Number)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(l link) bool { return l.number == without })
	keep := info.base()
	for _, l := range list {
		keep.turns, keep.messages = max(keep.turns, l.turns), max(keep.messages, l.messages)
	}
	if err := removeArc(tx, info.Number); err != nil {
		return nil, err
	}
	if err := removeWritten(tx, info.Number, keep.turns+1, maxCount-1); err != nil {
		return nil, err
	}
	part := Part{Conversation: info.Number, First: keep.messages}
	err = eachEntry(tx.View, info, keep.messages, info.Messages, func(_ int, e entry) error {
		if len(list) > 0 && !e.made && !e.forgotten {
			tx.Delete(keyGiven(tx.Workspace, info.Number, e.ID))
		}
		part.Messages, part.TurnOf = append(part.Messages, e.Message), append(part.TurnOf, e.turn)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		erase(tx, info.Number)
	} else {
		cut(tx, info, keep)
	}
	if len(part.Messages) == 0 {
		return nil, nil
	}
	return []Part{part}, nil
}

// erase stages the removal of everything under a number.
func erase(tx store.Tx, n Number) {
	for _, kind := range []byte{kindMessage, kindTurn, kindVersions, kindSizes, kindWeights, kindGiven, kindPending} {
		prefix := keyOf(tx.Workspace, kind, n)
		tx.DeleteRange(prefix, store.PrefixEnd(prefix))
	}
	tx.Delete(keyInfo(tx.Workspace, n))
	tx.Delete(keySessions(tx.Workspace, n))
}

// cut stages that a number keeps only the turns and messages up to keep, and no name.
func cut(tx store.Tx, info Info, keep link) {
	n := info.Number
	tx.DeleteRange(keyMessage(tx.Workspace, n, keep.messages), store.PrefixEnd(keyOf(tx.Workspace, kindMessage, n)))
	tx.DeleteRange(keyWeights(tx.Workspace, n, keep.messages), store.PrefixEnd(keyOf(tx.Workspace, kindWeights, n)))
	tx.DeleteRange(keyTurn(tx.Workspace, n, keep.turns+2), store.PrefixEnd(keyOf(tx.Workspace, kindTurn, n)))
	for _, kind := range []byte{kindVersions, kindPending} {
		tx.DeleteRange(keyAt(tx.Workspace, kind, n, keep.turns+1), store.PrefixEnd(keyOf(tx.Workspace, kind, n)))
	}
	info.ID, info.Title, info.titleFrom = "", "", titleNone
	info.Turns, info.Messages = keep.turns, keep.messages
	count, _ := slices.BinarySearch(info.Sessions, keep.messages)
	tx.Set(keyInfo(tx.Workspace, n), encodeInfo(info))
	tx.Set(keySessions(tx.Workspace, n), encodeSessions(info.Sessions[:count]))
}
