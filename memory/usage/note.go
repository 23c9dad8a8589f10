package usage

import (
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

// Note returns the note under a name; found is false when there is none.
func Note(view store.View, name string) (data []byte, found bool, err error) {
	data, found, err = view.Get(noteKey(view.Workspace, name))
	if err != nil {
		return nil, false, fmt.Errorf("read the usage of %s: %w", name, err)
	}
	return data, found, nil
}

// SetNote stores what was learned from use about something other than an item: a small record in
// the caller's format. nil removes it.
func SetNote(tx store.Tx, name string, data []byte) {
	if data == nil {
		tx.Delete(noteKey(tx.Workspace, name))
		return
	}
	tx.Set(noteKey(tx.Workspace, name), data)
}

func noteKey(ws store.Workspace, name string) []byte {
	return store.AppendString(kind(ws, noteKind), name)
}
