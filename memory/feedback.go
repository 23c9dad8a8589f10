package memory

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/usage"
)

// pendingBundle is a bundle whose items are not yet recorded.
type pendingBundle struct {
	id    string
	items []usage.ShownItem
}

// maxShown bounds the pending bundles; beyond it the oldest are discarded, and with them the
// feedback on them. A pending bundle keeps its text in memory, 50 KB for 12,000 tokens.
const maxShown = 200

// pendingBundles are the pending bundles of a workspace, the oldest first.
type pendingBundles struct {
	mu   sync.Mutex // acquired after that of the workspace
	list []pendingBundle
}

func (p *pendingBundles) add(b pendingBundle) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, b)
	p.list = p.list[max(0, len(p.list)-maxShown):]
}

func (p *pendingBundles) all() []pendingBundle {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.list)
}

// clear removes all.
func (p *pendingBundles) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = nil
}

// remove removes a bundle and reports whether it was there.
func (p *pendingBundles) remove(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.list)
	p.list = slices.DeleteFunc(p.list, func(b pendingBundle) bool { return b.id == id })
	return len(p.list) < n
}

// RememberBundle stores what feedback on a bundle needs. It returns at once: the work is done in
// the background when no bundles are being built, when feedback comes first, or in Close.
func (w *Workspace) RememberBundle(id string, items []usage.ShownItem) {
	w.shown.add(pendingBundle{w.name(id), items})
	w.memory.shows.begun.Add(1)
	w.memory.reader.poke(w)
}

// storePendingOf is storePending as run by the background worker.
func (m *Memory) storePendingOf(w *Workspace) {
	if err := w.storePending(); err != nil {
		m.log.Error("bundles not remembered: feedback on them will not be known", "err", err)
	}
}

// storePending stores the pending bundles. It does not wait for the disk, since bundles can be
// asked for again. The texts are read before the workspace is locked, so that no append waits for
// that; of two concurrent calls both read, and one writes.
func (w *Workspace) storePending() error {
	for _, b := range w.shown.all() {
		if err := w.writeShown(b); err != nil {
			return err
		}
	}
	return nil
}

func (w *Workspace) writeShown(b pendingBundle) error {
	items := usage.Digest(w.cleanShown(b.items), w.memory.opts.Terms)
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.shown.remove(b.id) { // written by another call, or forgotten meanwhile
		return nil
	}
	tx := w.begin()
	tx.Aside() // only feedback reads it, no bundle
	if err := usage.Remember(tx, b.id, items); err != nil {
		return err
	}
	if err := w.memory.store.ApplyLater(tx.Batch); err != nil {
		return fmt.Errorf("remember bundle %q: %w", b.id, err)
	}
	return nil
}

// Feedback records what a bundle led to: the model's response and the person's later messages.
// Error: usage.ErrNotFound.
func (w *Workspace) Feedback(bundle, response string, followups []string) (out []usage.ItemUse, err error) {
	for _, b := range w.shown.all() {
		if b.id != w.name(bundle) {
			continue // a caller waits: the other bundles are left to the background
		}
		if err := w.writeShown(b); err != nil {
			return nil, err
		}
	}
	bundle, response, followups = w.name(bundle), w.clean(response), each(followups, w.clean)
	err = w.change(func(tx store.Tx) (err error) {
		out, err = usage.Record(tx, bundle, response, followups, w.memory.opts.Terms)
		return err
	})
	return out, err
}

// BoostStep is the interval at which the effect of use on an item fades a little: within it, the
// same request returns the same bundle.
const BoostStep = time.Hour

// Boosts returns the factors by which items' scores are multiplied.
func (v *View) Boosts(ids []string) (map[string]float64, error) {
	return usage.Boosts(v.state, ids, v.w.memory.now().Truncate(BoostStep))
}
