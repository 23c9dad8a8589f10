package watch

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/fsnotify/fsnotify"
)

// event processes one event of the system. Its kind is used only to decide whether the tree of
// folders may have changed too.
func (w *Watcher) event(ev fsnotify.Event) {
	if w.cookies.came(ev) {
		w.schedule.hurry() // changes before it need not wait any longer
		return
	}
	structural := ev.Op&^fsnotify.Write != 0
	gone := ev.Op&(fsnotify.Remove|fsnotify.Rename) != 0
	w.extras.event(ev.Name, structural, gone)
	rel, ok := w.root.rel(ev.Name)
	if !ok {
		return
	}
	if rel == "" {
		if gone {
			w.checkRoot()
		}
		return
	}
	// Watches of Extra report events of files that are not in the walk.
	if dir, _ := split(rel); w.folders[dir] == nil {
		return
	}
	w.pend.path(rel)
	if structural {
		w.structural(rel, gone)
	}
}

// extraChanged adds an extra to the next batch, or checks the root if the extra is its guard; see
// extras.report.
func (w *Watcher) extraChanged(e *extra) bool {
	if e.guard {
		w.checkRoot()
		return w.rootGone
	}
	w.pend.extraPath(e.given)
	return true
}

// structural updates the tree to what exists at rel now. gone means that the tree's data there is
// out of date even if it looks the same: a folder that was deleted and created again may have its
// predecessor's identity, but not its watch.
func (w *Watcher) structural(rel string, gone bool) {
	if rel == "" {
		w.checkRoot()
		return
	}
	info, err := os.Lstat(w.root.abs(rel))
	isDir := err == nil && info.IsDir()
	if f := w.folders[rel]; f != nil {
		if isDir && !gone && !f.blocked && mayEnter(w.root.abs(rel)) && f.id == idOf(info) && f.id != (fileID{}) {
			return
		}
		w.dropTree(rel)
		w.pend.dir(rel)
	}
	if dir, _ := split(rel); isDir && w.folders[dir] != nil && !w.opts.IgnoredDir(rel) {
		w.addTree(rel, all)
	}
}

// checkRoot checks whether the root is still the folder that is watched, and updates the watches if
// it vanished, came back or was replaced.
func (w *Watcher) checkRoot() {
	if w.opts.Budget < 0 {
		return
	}
	info, err := os.Stat(string(w.root))
	if err != nil || !info.IsDir() {
		if !w.rootGone {
			w.rootGone = true
			w.dropTree("")
			w.extras.guard(true)
			w.pend.all()
		}
		return
	}
	if f := w.folders[""]; !w.rootGone && f != nil && f.id == idOf(info) && w.rootID == f.id {
		return
	}
	w.rootGone, w.rootID = false, idOf(info)
	w.extras.guard(false)
	w.dropTree("")
	w.addTree("", silent)
	w.pend.all()
}

// takeInjected processes the injected paths. The reader must search a folder among them: the caller
// of Inject need not have listed its content.
func (w *Watcher) takeInjected() {
	paths, beyond := w.injected.fetch()
	if beyond {
		w.rescan()
	}
	for _, p := range paths {
		rel := filepath.ToSlash(filepath.Clean(p))
		if filepath.IsAbs(p) {
			if slices.Contains(w.opts.Extra, p) {
				w.pend.extraPath(p)
			}
			var ok bool
			if rel, ok = w.root.rel(filepath.Clean(p)); !ok {
				continue
			}
		}
		if rel == "" || rel == "." {
			w.rescan()
			continue
		}
		if !filepath.IsLocal(filepath.FromSlash(rel)) {
			continue
		}
		w.pend.path(rel)
		if info, err := os.Lstat(w.root.abs(rel)); err == nil && info.IsDir() {
			w.pend.dir(rel)
		}
		w.structural(rel, false)
	}
}
