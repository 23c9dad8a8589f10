package usage

import (
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

// Note returns what was last noted under a name, found being false where nothing was.
func Note(view store.View, name string) (data []byte, found bool, err error) {
	data, found, err = view.Get(noteKey(view.Workspace, name))
	if err != nil {
		return nil, false, fmt.Errorf("read what use taught of %s: %w", name, err)
	}
	return data, found, nil
}

// SetNote notes what use has taught about something other than an item: a small record that belongs
// to who named it. nil takes it out.
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
