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
	// pollSlice is how long polling may keep the loop from taking events.
	pollSlice = 5 * time.Millisecond
	// pollShare is how many times longer than a round of polling the pause after it is at least.
	pollShare = 19
)

// armPoll sets the poll timer while there is something to poll, and only then.
func (w *Watcher) armPoll() {
	need := len(w.polled) > 0 || w.rootGone || w.polledExtras() > 0
	if !need || w.pollArmed || len(w.pollQueue) > 0 {
		return
	}
	w.pollArmed = true
	w.pollTimer.Reset(max(w.opts.PollEvery, pollShare*w.pollSpent))
}

// startPoll begins a round; pollStep does it in slices.
func (w *Watcher) startPoll() {
	w.pollSpent = 0
	if w.rootGone {
		w.checkRoot()
	}
	w.pollExtras()
	w.pollQueue = slices.Sorted(maps.Keys(w.polled))
}

// pollStep looks at a few of the folders of the round.
func (w *Watcher) pollStep() {
	begin := time.Now()
	for len(w.pollQueue) > 0 && time.Since(begin) < pollSlice {
		w.pollFolder(w.pollQueue[0])
		w.pollQueue = w.pollQueue[1:]
	}
	w.pollSpent += time.Since(begin)
}

// pollFolder compares one folder with what it was at the last look. A folder for which there is a
// watch now gets it first, and this look is its last.
func (w *Watcher) pollFolder(rel string) {
	f := w.folders[rel]
	if f == nil || f.watched {
		return
	}
	w.promote(rel, f)
	entries, id, err := list(w.abs(rel))
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

// demote takes a folder's watch back, so that it is looked at again.
func (w *Watcher) demote(rel string, f *folder) {
	if !f.watched {
		return
	}
	w.releaseWatch(w.abs(rel))
	f.watched = false
	w.polled[rel] = struct{}{}
}

// promote gives a polled folder a watch when there is room.
func (w *Watcher) promote(rel string, f *folder) {
	if w.fs == nil || w.claim(f.id, rel) || !w.addWatch(w.abs(rel)) {
		return
	}
	f.watched = true
	delete(w.polled, rel)
	if f.id != (fileID{}) {
		w.ids[f.id] = rel
	}
}
