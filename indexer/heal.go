package indexer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/indexer/embed"
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
	w := newWriter(x)
	w.db = store.Detached(w.dir, w.log, reason)
	if err := errors.Join(w.sameRedaction(), w.load()); err != nil {
		w.log.Info("the stored index cannot be used", "err", err)
		if err := w.db.Close(); err != nil {
			w.log.Debug("close the index that is not used", "err", err)
		}
		w = newWriter(x)
		w.db = store.Absent(w.dir, w.log, reason)
	}
	w.unsaved(reason)
	return w, nil
}

// unsaved reports in the status why what the index learns is not saved.
func (w *writer) unsaved(err error) {
	advice := "free some space or make it writable, or choose another folder with --state-dir"
	if w.db.Damaged() {
		advice = "the stored index is damaged and is written again"
	}
	said := fmt.Sprintf("the index continues in memory and is not saved in %s: %v; %s", w.dir, err, advice)
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

// unread handles damage found while the store is open: the store is recreated.
func (w *writer) unread(doing string, err error) {
	w.log.Warn(doing, "err", err)
	var corrupt *store.CorruptError
	if errors.As(err, &corrupt) {
		w.db.Condemn(err)
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
		case <-w.db.Failed():
		}
		if err := w.db.Fault(); err != nil {
			w.unsaved(err)
		}
		for delay, healed := healFirst, false; !healed; delay = min(2*delay, healLast) {
			pause.Reset(delay)
			select {
			case <-ctx.Done():
				return
			case <-pause.C:
			}
			again := true
			w.hand(ctx, func() { healed, again = w.heal() })
			if !again {
				return
			}
		}
	}
}

// wear counts what the store went through.
type wear struct {
	written int // bytes committed since the store was compacted
	heals   int // how often it was recreated
	damages int // how many of these after damage
}

// heal recreates the store and writes all data of the index to it. again reports whether another
// attempt may be made.
func (w *writer) heal() (healed, again bool) {
	fault, damaged := w.db.Fault(), w.db.Damaged()
	switch {
	case fault == nil:
		return true, true
	case w.wear.heals >= maxHeals || damaged && w.wear.damages >= maxDamages:
		w.unsaved(fmt.Errorf("it was rewritten %d times and failed again, and is not used until the next start; check the disk: %w", w.wear.heals, fault))
		return false, false
	}
	if err := w.db.Renew(w.bytes()); err != nil {
		w.unsaved(err)
		return false, true
	}
	w.wear.heals++
	if damaged {
		w.wear.damages++
	}
	if err := w.saveAll(); err != nil {
		w.unsaved(err)
		return false, true
	}
	if damaged {
		w.note(fmt.Sprintf("the index on disk was damaged (%v) and has been written again", fault))
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
	if w.db.Damaged() {
		w.heal()
	}
	return errors.Join(w.putVersion(), w.db.Close())
}

// bytes returns approximately the size of what saveAll writes.
func (w *writer) bytes() (n int64) {
	for _, p := range w.parts {
		n += int64(p.seg.bytes())
		if p.vec != nil {
			n += int64(len(p.vec.rows))
		}
	}
	return n
}

// saveAll replaces the content of the store with the whole state: in one batch, so that the store
// has the old state or the new one.
func (w *writer) saveAll() error {
	batch := w.db.NewBatch()
	if err := w.putAll(batch); err != nil {
		return errors.Join(err, batch.Drop())
	}
	if err := batch.Commit(); err != nil {
		return err
	}
	return w.db.Flush()
}

func (w *writer) putAll(batch *store.Batch) error {
	if anyDamaged(w.parts) {
		return errCut
	}
	if err := w.clear(batch); err != nil {
		return err
	}
	for i, p := range w.parts {
		q := *p
		var err error
		if q.seg, err = w.putSegment(batch, p.seg); err != nil {
			return err
		}
		if q.vec, err = w.putVectors(batch, q.seg, p.vec); err != nil {
			return err
		}
		if q.seg != p.seg { // it is in a new file
			q.named, q.searched = nil, nil
			q.name()
			w.parts[i] = &q
		}
	}
	for path, f := range w.known.files {
		if err := batch.Set(fileKey(path), f.marshal()); err != nil {
			return err
		}
	}
	if err := batch.Set(keyTable, []byte(embed.Shipped().Digest())); err != nil {
		return err
	}
	if err := w.suspects.put(batch); err != nil {
		return err
	}
	return w.putState(batch)
}
