package usage

import (
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
)

// Note gives what was last noted under a name, found being false where nothing was.
func Note(r store.Reader, ws store.Workspace, name string) (data []byte, found bool, err error) {
	data, found, err = r.Get(noteKey(ws, name))
	if err != nil {
		return nil, false, fmt.Errorf("read what use taught of %s: %w", name, err)
	}
	return data, found, nil
}

// SetNote notes what use has taught about something other than an item: a small record that belongs to who named it. nil
// takes it out.
func SetNote(b *store.Batch, ws store.Workspace, name string, data []byte) {
	if data == nil {
		b.Delete(noteKey(ws, name))
		return
	}
	b.Set(noteKey(ws, name), data)
}

func noteKey(ws store.Workspace, name string) []byte {
	return store.AppendString(kind(ws, noteKind), name)
}
