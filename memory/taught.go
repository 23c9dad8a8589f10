package memory

import (
	"fmt"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/usage"
)

// Generation grows with every change of the memory, of any workspace, that an answer may show: what
// was made of a [View] that was opened after it was read can be given again as long as it is the
// same.
func (m *Memory) Generation() uint64 { return m.store.Generation() }

// Generation is that of the memory.
func (w *Workspace) Generation() uint64 { return w.memory.Generation() }

// LayerFactors returns what the ideals of layers are to be multiplied by, as the use of what they
// showed has taught, by the layers' names; a layer that is left out stays as it is.
func (v *View) LayerFactors() (map[string]float64, error) {
	l, err := usage.LayersOf(v.state)
	if err != nil {
		return nil, err
	}
	return l.Factors(), nil
}

// ForgetTaught takes out what use has taught of layers, and with others of what is noted under
// these names.
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

// Note returns what use has taught under a name; nil where it has taught nothing yet.
func (v *View) Note(name string) ([]byte, error) {
	data, _, err := usage.Note(v.state, name)
	return data, err
}

// NoteLater notes what use has taught under a name, without waiting for the disk: it is of a kind
// that use teaches again. It must hold no text of anybody's, for it is not looked through when
// something is forgotten, and no bundle may depend on it.
func (w *Workspace) NoteLater(name string, data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	tx := w.begin()
	tx.Aside()
	usage.SetNote(tx, name, data)
	if err := w.memory.store.ApplyLater(tx.Batch); err != nil {
		return fmt.Errorf("note what use taught of %s: %w", name, err)
	}
	return nil
}
