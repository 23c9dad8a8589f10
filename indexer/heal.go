package indexer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/indexer/store"
)

// What is searched is in memory; the store only keeps it for the next start. So a store that cannot
// be opened or written (a full disk, no permission, damage found while it is open) does not affect
// the search. The status names the problem, and the index retries, with backoff, to recreate the
// store and write everything there.

const (
	healFirst = 2 * time.Second // after the fault
	healLast  = time.Minute
	// maxHeals bounds how often a store is recreated while an index is open, and maxDamages how
	// often after damage: a disk that loses data is not used further.
	maxHeals   = 10
	maxDamages = 3
)

// openDetached returns a writer over a store that cannot be written, because of reason: with what
// can still be read of it, or empty. A folder that another process holds is an error.
func openDetached(x *Index, reason error) (*writer, error) {
	var locked *store.LockedError
	if errors.As(reason, &locked) {
		return nil, reason
	}
	w := newWriter(x, store.Detached(x.opts.Dir, x.opts.Logger, reason))
	if err := errors.Join(w.disk.sameRedaction(), w.manifest.load()); err != nil {
		w.log.Info("the stored index cannot be used", "err", err)
		if err := w.disk.db.Close(); err != nil {
			w.log.Debug("close the index that is not used", "err", err)
		}
		w = newWriter(x, store.Absent(x.opts.Dir, x.opts.Logger, reason))
	}
	w.unsaved(reason)
	return w, nil
}

// unsaved reports in the status why what the index learns is not saved.
func (w *writer) unsaved(err error) {
	advice := "free some space or make it writable, or choose another folder with --state-dir"
	if w.disk.db.Damaged() {
		advice = "the stored index is damaged and is written again"
	}
	said := fmt.Sprintf("the index continues in memory and is not saved in %s: %v; %s", w.disk.dir, err, advice)
	news := false
	w.status.update(func() {
		news = w.status.trouble != said
		w.status.trouble = said
	})
	if news {
		w.log.Warn("the index is not saved", "err", err)
		w.x.changes.signal()
	}
}

// healLoop waits for the store to fail and has it healed, on the writer's goroutine.
func (w *writer) healLoop(ctx context.Context) {
	pause := time.NewTimer(time.Hour)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.disk.db.Failed():
		}
		if err := w.disk.db.Fault(); err != nil {
			w.unsaved(err)
		}
		for delay, healed := healFirst, false; !healed; delay = min(2*delay, healLast) {
			pause.Reset(delay)
			select {
			case <-ctx.Done():
				return
			case <-pause.C:
			}
			var again bool
			if ran := w.mail.hand(ctx, func() { healed, again = w.heal() }); !ran || !again {
				return
			}
		}
	}
}

// heal recreates the store and writes all data of the index to it. again reports whether another
// attempt may be made.
func (w *writer) heal() (healed, again bool) {
	fault, damaged := w.disk.db.Fault(), w.disk.db.Damaged()
	switch {
	case fault == nil:
		return true, true
	case w.disk.wear.heals >= maxHeals || damaged && w.disk.wear.damages >= maxDamages:
		w.unsaved(fmt.Errorf("it was rewritten %d times and failed again, and is not used until the next start; check the disk: %w", w.disk.wear.heals, fault))
		return false, false
	}
	if err := w.disk.db.Renew(w.manifest.bytes()); err != nil {
		w.unsaved(err)
		return false, true
	}
	w.disk.wear.heals++
	if damaged {
		w.disk.wear.damages++
	}
	if err := w.manifest.saveAll(w.suspects); err != nil {
		w.unsaved(err)
		return false, true
	}
	if damaged {
		w.status.fault(fmt.Sprintf("the index on disk was damaged (%v) and has been written again", fault))
	}
	w.publish() // the files are new ones
	w.log.Info("the index is saved again")
	disk := w.diskBytes()
	w.status.update(func() { w.status.trouble, w.status.disk = "", disk })
	w.x.changes.signal()
	return true, true
}

// close closes the store of a writer that has ended, and removes a store with known damage before
// the next start.
func (w *writer) close() error {
	if w.disk.db.Damaged() {
		w.heal()
	}
	return errors.Join(w.manifest.putVersion(), w.disk.db.Close())
}
