package board

import (
	"errors"
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

// Type is the type of this package's lines in an export.
const Type = "board"

// record is a line of an export.
type record struct {
	Type         string `json:"type"`
	Conversation string `json:"conversationId"`
	Item         Item   `json:"item"`
}

// Export emits every item in the store, by conversation, in the order they were put. The caller
// writes what is emitted as JSON.
func Export(view store.View, emit func(any) error) error {
	prefix := append(store.Prefix(store.Board, view.Workspace), itemKind)
	return view.Scan(prefix, store.PrefixEnd(prefix), func(k, value []byte) (bool, error) {
		conversation, _, ok := store.TakeString(k[len(prefix):])
		if !ok {
			return false, errors.New("export board: bad key")
		}
		item, err := decode(value)
		if err != nil {
			return false, fmt.Errorf("export board: %w", err)
		}
		return true, emit(record{Type, conversation, item})
	})
}

// Import registers the handler that stages this package's lines. An item whose id is already on the
// conversation's board is left unchanged, so that staging the same lines again changes nothing.
func Import(im *store.Importer, tx store.Tx) {
	p := &importer{tx: tx, last: map[string]uint64{}, seen: map[string]bool{}}
	store.ImportLines(im, Type, p.add)
}

type importer struct {
	tx   store.Tx
	last map[string]uint64 // conversation: the last number given
	seen map[string]bool   // keys of staged items
}

func (im *importer) add(rec record) error {
	number, ok := parseID(rec.Item.ID)
	if rec.Conversation == "" || !ok {
		return fmt.Errorf("type %s, conversationId and an item with an id such as B-1 are required", Type)
	}
	last, known := im.last[rec.Conversation]
	if !known {
		var err error
		if last, err = lastNumber(im.tx.View, rec.Conversation); err != nil {
			return err
		}
	}
	id := string(itemKey(im.tx.Workspace, rec.Conversation, number))
	if _, found, err := get(im.tx.View, rec.Conversation, number); err != nil || found || im.seen[id] {
		return err
	}
	im.seen[id] = true
	im.last[rec.Conversation] = max(last, number)
	im.tx.Set(counterKey(im.tx.Workspace, rec.Conversation), store.AppendUint64(nil, max(last, number)))
	return set(im.tx, rec.Conversation, number, rec.Item)
}
