// Package board holds the announcement board of each conversation: items that every bundle shows
// for a number of user messages. Lifetimes count turns, not time.
//
// A turn is identified by the number of user messages so far: an item put at turn n for t turns is
// visible up to turn n+t-1, and expires when the t-th user message after it opens turn n+t. Expired
// items are never listed, and Expire removes them from the store.
//
// A change reads the committed state and stages into a batch that cannot be read back, so a batch
// may hold only one put or pin of a conversation. Nothing here commits. A board does not require a
// conversation: the caller must check that it exists. A fork starts with an empty board.
package board

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/memory/store"
)

// ErrNotFound means that an item is not on the board, or has expired.
var ErrNotFound = errors.New("no such item on the board")

// Lifetimes in turns.
const (
	DefaultTTL = 5
	MaxTTL     = 100
)

// TurnType is the type of the items that Pin puts.
const TurnType = "turn"

// Item is one item of a board. Its JSON is the stored form.
type Item struct {
	ID               string `json:"id"`
	Type             string `json:"type"`
	Title            string `json:"title"`
	Content          string `json:"content"`
	ExpiresAfterTurn int    `json:"expiresAfterTurn"`
	// Pinned identifies the item that a renewal replaces; it is empty for items put by hand.
	Pinned string `json:"pinned,omitempty"`
}

// New is the input for a new item.
type New struct {
	Type, Title, Content string
	TTL                  int // turns, 1 to MaxTTL; 0 means DefaultTTL
}

// Put puts an item on a conversation's board at a turn. Ids are never reused as long as the
// conversation exists.
func Put(tx store.Tx, conversation string, n New, turn int) (Item, error) {
	item, err := put(tx, conversation, n, "", turn)
	if err != nil {
		return Item{}, fmt.Errorf("put on board: %w", err)
	}
	return item, nil
}

// Pin shows a turn of the conversation's history for DefaultTTL turns. The tag names the turn and
// the level, such as T-7-S; pinning the same tag again renews the item in place.
func Pin(tx store.Tx, conversation, tag, title, content string, turn int) (Item, error) {
	item, number, found, err := pinned(tx.View, conversation, tag)
	if err == nil && (!found || item.ExpiresAfterTurn < turn) {
		item, err = put(tx, conversation, New{Type: TurnType, Title: title, Content: content}, tag, turn)
	} else if err == nil {
		tx.Delete(expiryKey(tx.Workspace, conversation, item.ExpiresAfterTurn, number))
		item.Title, item.Content = title, content
		item.ExpiresAfterTurn = max(item.ExpiresAfterTurn, lastTurn(turn, DefaultTTL))
		err = set(tx, conversation, number, item)
	}
	if err != nil {
		return Item{}, fmt.Errorf("pin %s on board: %w", tag, err)
	}
	return item, nil
}

// lastTurn returns the last turn at which an item is visible: the ttl-th user message from now
// opens the turn after it.
func lastTurn(turn, ttl int) int { return turn + ttl - 1 }

func put(tx store.Tx, conversation string, n New, tag string, turn int) (Item, error) {
	if n.TTL == 0 {
		n.TTL = DefaultTTL
	}
	if n.TTL < 1 || n.TTL > MaxTTL || turn < 0 {
		return Item{}, fmt.Errorf("lifetime of %d turns from turn %d", n.TTL, turn)
	}
	last, err := lastNumber(tx.View, conversation)
	if err != nil {
		return Item{}, err
	}
	number := last + 1
	tx.Set(counterKey(tx.Workspace, conversation), store.AppendUint64(nil, number))
	item := Item{
		ID: itemID(number), Type: n.Type, Title: n.Title, Content: n.Content,
		ExpiresAfterTurn: lastTurn(turn, n.TTL), Pinned: tag,
	}
	return item, set(tx, conversation, number, item)
}

// List returns the items visible at a turn, in the order they were put.
func List(view store.View, conversation string, turn int) ([]Item, error) {
	var out []Item
	prefix := key(view.Workspace, itemKind, conversation)
	err := view.Scan(prefix, store.PrefixEnd(prefix), func(_, value []byte) (bool, error) {
		item, err := decode(value)
		if err == nil && turn <= item.ExpiresAfterTurn {
			out = append(out, item)
		}
		return true, err
	})
	if err != nil {
		return nil, fmt.Errorf("list board: %w", err)
	}
	return out, nil
}

// Remove stages the removal of an item. It returns ErrNotFound if the item is not visible at this
// turn.
func Remove(tx store.Tx, conversation, id string, turn int) error {
	number, ok := parseID(id)
	if !ok {
		return fmt.Errorf("remove %q from board: %w", id, ErrNotFound)
	}
	item, found, err := get(tx.View, conversation, number)
	if err == nil && (!found || item.ExpiresAfterTurn < turn) {
		err = ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("remove %q from board: %w", id, err)
	}
	remove(tx, conversation, number, item.ExpiresAfterTurn)
	if item.Pinned != "" {
		tx.Delete(pinKey(tx.Workspace, conversation, item.Pinned))
	}
	return nil
}

// Expire stages the removal of items that are no longer visible at a turn. It may be part of the
// batch of the append that opened the turn, because it stages nothing for visible items.
func Expire(tx store.Tx, conversation string, turn int) error {
	prefix := key(tx.Workspace, expiryKind, conversation)
	err := tx.Scan(prefix, store.AppendUint32(prefix[:len(prefix):len(prefix)], uint32(max(turn, 0))), func(k, tag []byte) (bool, error) {
		last, rest, ok := store.TakeUint32(k[len(prefix):])
		number, _, ok2 := store.TakeUint64(rest)
		if !ok || !ok2 {
			return false, errors.New("bad key")
		}
		remove(tx, conversation, number, int(last))
		if len(tag) == 0 {
			return true, nil
		}
		// The tag may have been pinned again since: then it belongs to another item.
		_, holder, found, err := pinned(tx.View, conversation, string(tag))
		if err == nil && found && holder == number {
			tx.Delete(pinKey(tx.Workspace, conversation, string(tag)))
		}
		return true, err
	})
	if err != nil {
		return fmt.Errorf("expire board: %w", err)
	}
	return nil
}

// DeleteConversation stages the removal of a board with all its items.
func DeleteConversation(tx store.Tx, conversation string) error {
	for _, k := range []byte{itemKind, expiryKind, pinKind, counterKind} {
		prefix := key(tx.Workspace, k, conversation)
		tx.DeleteRange(prefix, store.PrefixEnd(prefix))
	}
	return nil
}

func itemID(number uint64) string { return "B-" + strconv.FormatUint(number, 10) }

func parseID(id string) (number uint64, ok bool) {
	digits, ok := strings.CutPrefix(id, "B-")
	number, err := strconv.ParseUint(digits, 10, 64)
	return number, ok && err == nil && itemID(number) == id
}

func decode(value []byte) (Item, error) {
	var item Item
	if err := json.Unmarshal(value, &item); err != nil {
		return Item{}, fmt.Errorf("read item: %w", err)
	}
	return item, nil
}
