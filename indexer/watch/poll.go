package watch

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"time"
)

const (
	// pollSlice is the maximum time for which polling keeps the loop from receiving events.
	pollSlice = 5 * time.Millisecond
	// pollShare is the minimum ratio of the pause after a round of polling to the round itself.
	pollShare = 19
)

// armPoll sets the poll timer if there is something to poll, and stops it otherwise.
func (w *Watcher) armPoll() {
	need := len(w.polled) > 0 || w.rootGone || w.extras.polled() > 0
	if !need || w.pollArmed || len(w.pollQueue) > 0 {
		return
	}
	w.pollArmed = true
	w.pollTimer.Reset(max(w.opts.PollEvery, pollShare*w.pollSpent))
}

// startPoll begins a round; pollStep performs it in slices.
func (w *Watcher) startPoll() {
	w.pollSpent = 0
	if w.rootGone {
		w.checkRoot()
	}
	w.extras.poll()
	w.pollQueue = slices.Sorted(maps.Keys(w.polled))
}

// pollStep checks some folders of the round.
func (w *Watcher) pollStep() {
	begin := time.Now()
	for len(w.pollQueue) > 0 && time.Since(begin) < pollSlice {
		w.pollFolder(w.pollQueue[0])
		w.pollQueue = w.pollQueue[1:]
	}
	w.pollSpent += time.Since(begin)
}

// pollFolder compares one folder with its state at the last check. If a watch is available by now,
// it sets the watch first, and this check is the last.
func (w *Watcher) pollFolder(rel string) {
	f := w.folders[rel]
	if f == nil || f.watched {
		return
	}
	w.promote(rel, f)
	entries, id, err := list(w.root.abs(rel))
	if id != f.id || errors.Is(err, fs.ErrNotExist) {
		w.pend.path(rel)
		w.structural(rel, true)
		return
	}
	if err != nil && !errors.Is(err, fs.ErrPermission) { // transient: it is compared when it can be read
		w.demote(rel, f)
		return
	}
	before, now := f.seen, stampsOf(entries)
	if f.watched {
		f.seen = nil
	} else {
		f.seen = now
	}
	for name, p := range now {
		if old, ok := before[name]; !ok || old != p {
			w.pend.path(path.Join(rel, name))
			w.structural(path.Join(rel, name), false)
		}
	}
	for name := range before {
		if _, ok := now[name]; !ok {
			w.pend.path(path.Join(rel, name))
			w.structural(path.Join(rel, name), true)
		}
	}
}

// demote releases a folder's watch, so that the folder is polled again.
func (w *Watcher) demote(rel string, f *folder) {
	if !f.watched {
		return
	}
	w.system.release(w.root.abs(rel))
	f.watched = false
	w.polled[rel] = struct{}{}
}

// promote sets a watch on a polled folder if the budget allows.
func (w *Watcher) promote(rel string, f *folder) {
	if w.system.fs == nil || w.claim(f.id, rel) || !w.system.add(w.root.abs(rel)) {
		return
	}
	f.watched = true
	delete(w.polled, rel)
	if f.id != (fileID{}) {
		w.ids[f.id] = rel
	}
}
