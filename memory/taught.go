package memory

import (
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/usage"
)

// Generation increases with every visible change of the memory, of any workspace: an answer made
// from a [View] that was opened after Generation was read stays valid while Generation is the same.
func (m *Memory) Generation() uint64 { return m.store.Generation() }

// Generation returns that of the memory.
func (w *Workspace) Generation() uint64 { return w.memory.Generation() }

// LayerFactors returns the factors, learned from use, by which the ideals of layers are multiplied,
// by the layers' names; a layer without a factor stays as it is.
func (v *View) LayerFactors() (map[string]float64, error) {
	l, err := usage.LayersOf(v.state)
	if err != nil {
		return nil, err
	}
	return l.Factors(), nil
}

// ForgetTaught removes the layers' factors if layers is set, and the notes under the other names.
func (w *Workspace) ForgetTaught(layers bool, others ...string) error {
	return w.change(func(tx store.Tx) error {
		if layers {
			usage.ForgetLayers(tx)
		}
		for _, name := range others {
			usage.SetNote(tx, name, nil)
		}
		return nil
	})
}

// Note returns what was learned from use under a name; nil when there is nothing yet.
func (v *View) Note(name string) ([]byte, error) {
	data, _, err := usage.Note(v.state, name)
	return data, err
}

// NoteLater stores what was learned from use under a name, without waiting for the disk, since use
// teaches it again. It must not contain anybody's text, because it is not searched when something
// is forgotten, and no bundle may depend on it.
func (w *Workspace) NoteLater(name string, data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	tx := w.begin()
	tx.Aside()
	usage.SetNote(tx, name, data)
	if err := w.memory.store.ApplyLater(tx.Batch); err != nil {
		return fmt.Errorf("store the usage of %s: %w", name, err)
	}
	return nil
}
