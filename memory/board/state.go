package board

import (
	"errors"
	"math"

	"github.com/contexture-dev/contexture/memory/store"
)

// Keys, each after the workspace's prefix:
//
//	'i' conversation number        Item
//	'e' conversation turn number   the item's pinned tag: which items expire when, without reading them
//	'p' conversation tag           number of the item that was pinned last under the tag
//	'n' conversation               the last number given
const (
	itemKind    = 'i'
	expiryKind  = 'e'
	pinKind     = 'p'
	counterKind = 'n'
)

func key(ws store.Workspace, kind byte, conversation string) []byte {
	return store.AppendString(append(store.Prefix(store.Board, ws), kind), conversation)
}

func itemKey(ws store.Workspace, conversation string, number uint64) []byte {
	return store.AppendUint64(key(ws, itemKind, conversation), number)
}

func expiryKey(ws store.Workspace, conversation string, lastTurn int, number uint64) []byte {
	return store.AppendUint64(store.AppendUint32(key(ws, expiryKind, conversation), uint32(lastTurn)), number)
}

func pinKey(ws store.Workspace, conversation, tag string) []byte {
	return store.AppendString(key(ws, pinKind, conversation), tag)
}

func counterKey(ws store.Workspace, conversation string) []byte {
	return key(ws, counterKind, conversation)
}

func lastNumber(view store.View, conversation string) (uint64, error) {
	v, found, err := view.Get(counterKey(view.Workspace, conversation))
	if err != nil || !found {
		return 0, err
	}
	n, _, ok := store.TakeUint64(v)
	if !ok {
		return 0, errors.New("bad counter")
	}
	return n, nil
}

func get(view store.View, conversation string, number uint64) (item Item, found bool, err error) {
	v, found, err := view.Get(itemKey(view.Workspace, conversation, number))
	if err != nil || !found {
		return Item{}, false, err
	}
	item, err = decode(v)
	return item, err == nil, err
}

// pinned returns the item last pinned under a tag, if it is still in the store.
func pinned(view store.View, conversation, tag string) (item Item, number uint64, found bool, err error) {
	v, found, err := view.Get(pinKey(view.Workspace, conversation, tag))
	if err != nil || !found {
		return Item{}, 0, false, err
	}
	number, _, ok := store.TakeUint64(v)
	if !ok {
		return Item{}, 0, false, errors.New("bad pin")
	}
	item, found, err = get(view, conversation, number)
	return item, number, found, err
}

// set stages an item with its index entries.
func set(tx store.Tx, conversation string, number uint64, item Item) error {
	if item.ExpiresAfterTurn < 0 || item.ExpiresAfterTurn > math.MaxUint32 {
		return errors.New("turn out of range")
	}
	if err := tx.SetJSON(itemKey(tx.Workspace, conversation, number), item); err != nil {
		return err
	}
	tx.Set(expiryKey(tx.Workspace, conversation, item.ExpiresAfterTurn, number), []byte(item.Pinned))
	if item.Pinned != "" {
		tx.Set(pinKey(tx.Workspace, conversation, item.Pinned), store.AppendUint64(nil, number))
	}
	return nil
}

func remove(tx store.Tx, conversation string, number uint64, lastTurn int) {
	tx.Delete(itemKey(tx.Workspace, conversation, number))
	tx.Delete(expiryKey(tx.Workspace, conversation, lastTurn, number))
}
