package memory

import (
	"fmt"

	"github.com/contexture-dev/contexture/memory/usage"
)

// Generation grows with every change of the memory, of any workspace, that an answer may show: what was made of a
// [View] that was opened after it was read can be given again as long as it is the same.
func (m *Memory) Generation() uint64 { return m.store.Generation() }

// Generation is that of the memory.
func (w *Workspace) Generation() uint64 { return w.memory.Generation() }

// Note gives what use has taught under a name; nil where it has taught nothing yet.
func (v *View) Note(name string) ([]byte, error) {
	data, _, err := usage.Note(v.r, v.w.number, name)
	return data, err
}

// NoteLater notes what use has taught under a name, without waiting for the disk: it is of a kind that use teaches again.
// It must hold no text of anybody's, for it is not looked through when something is forgotten, and no bundle may depend on
// it.
func (w *Workspace) NoteLater(name string, data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.memory.store.NewBatch()
	b.Aside()
	usage.SetNote(b, w.number, name, data)
	if err := w.memory.store.ApplyLater(b); err != nil {
		return fmt.Errorf("note what use taught of %s: %w", name, err)
	}
	return nil
}
