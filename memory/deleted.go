package memory

import (
	"bytes"
	"crypto/sha256"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/store"
)

// Deleting removes something from memory at once, but its text remains in the store's files until
// they are rewritten, and in its checkpoints. So that it can still be forgotten, a hash of its id
// is stored until it is forgotten or the workspace is.
//
// The kinds of deleted things. They are part of the format on disk.
const (
	deletedConversation = 'c' // → the spans of its past; if several conversations had the id, consecutively
	deletedKnowledge    = 'k' // → an empty span for each item that had the id
)

func deletedKey(ws store.Workspace, kind byte, id string) []byte {
	sum := sha256.Sum256([]byte(id))
	return append(append(store.Prefix(store.Deleted, ws), kind), sum[:16]...)
}

// rememberDeleted stages a record that something with an id was deleted. The value grows each time.
func rememberDeleted(tx store.Tx, kind byte, id string, spans []conversation.Span) {
	if len(spans) == 0 {
		spans = []conversation.Span{{}}
	}
	var value []byte
	for _, s := range spans {
		value = store.AppendUint32(store.AppendUint32(value, uint32(s.Conversation)), uint32(s.To))
	}
	tx.Append(deletedKey(tx.Workspace, kind, id), value)
}

// wasDeleted reports whether something with an id was deleted, and returns the spans of a
// conversation's past. Their beginnings are unknown.
func wasDeleted(view store.View, kind byte, id string) (spans []conversation.Span, found bool, err error) {
	value, found, err := view.Get(deletedKey(view.Workspace, kind, id))
	if err != nil || !found {
		return nil, false, err
	}
	for {
		number, rest, ok := store.TakeUint32(value)
		to, rest, ok2 := store.TakeUint32(rest)
		if !ok || !ok2 {
			return spans, true, nil
		}
		spans = append(spans, conversation.Span{Conversation: conversation.Number(number), To: int(to)})
		value = rest
	}
}

// deletedBy returns the record under a key, nil for none.
func (m *Memory) deletedBy(key []byte) (value []byte, err error) {
	if key != nil {
		value, _, err = m.store.Get(key)
	}
	return value, err
}

// forgetDeleted removes a key if its value is the one that was wiped from the files; if more was
// deleted under it since, it stays.
func (w *Workspace) forgetDeleted(key, wiped []byte) error {
	if key == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now, err := w.memory.deletedBy(key)
	if err != nil || !bytes.Equal(now, wiped) {
		return err
	}
	b := w.memory.store.NewBatch()
	b.Delete(key)
	return w.memory.store.ApplyLater(b) // after a crash it is forgotten again, which is harmless
}
