package watch

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// fileID is a file's identity while it exists; numbers are used again after that. Zero is unknown.
type fileID struct{ dev, ino uint64 }

// folder is one folder of the tree: not ignored, and seen when it was last looked at.
type folder struct {
	id       fileID
	watched  bool
	blocked  bool                // it cannot be read; when it can, its parent tells
	children map[string]struct{} // names of the folders below that are in the tree
	seen     map[string]stamp    // a polled folder's entries at the last look
}

// reporting is what addTree says about what it finds.
type reporting int

const (
	silent   reporting = iota // nothing: the reader will scan anyway
	dirsOnly                  // the top folder
	all                       // the top folder and every entry below
)

// abs turns a relative slash path into one of the system.
func (w *Watcher) abs(rel string) string {
	if rel == "" {
		return w.root
	}
	return filepath.Join(w.root, filepath.FromSlash(rel))
}

// addTree brings the folder rel, which is not in the tree, and all that is below it in, watch first
// and list after, so that what appears meanwhile is in the list or gives an event. It goes breadth
// first: when the budget ends, the deepest folders are those that are polled.
func (w *Watcher) addTree(rel string, say reporting) {
	if say != silent && rel != "" {
		w.pend.dir(rel)
	}
	for queue := []string{rel}; len(queue) > 0 && w.ctx.Err() == nil; queue = queue[1:] {
		next := queue[0]
		for _, e := range w.addFolder(next) {
			child := path.Join(next, e.Name())
			if say == all {
				w.pend.path(child)
			}
			if e.IsDir() && w.folders[child] == nil && !w.opts.IgnoredDir(child) {
				queue = append(queue, child)
			}
		}
	}
}

// addFolder brings one folder in and returns its entries, none when it is gone, replaced or
// unreadable.
func (w *Watcher) addFolder(rel string) []fs.DirEntry {
	abs := w.abs(rel)
	// The folder may be replaced between two steps; each round that sees that starts over.
	for range 3 {
		info, err := os.Lstat(abs)
		if err != nil || !info.IsDir() {
			return nil
		}
		f := &folder{id: idOf(info)}
		alias := w.claim(f.id, rel)
		f.watched = !alias && w.addWatch(abs)
		entries, id, err := list(abs)
		if errors.Is(err, fs.ErrNotExist) || id != f.id {
			if f.watched {
				w.releaseWatch(abs)
			}
			continue
		}
		if err != nil {
			f.blocked = errors.Is(err, fs.ErrPermission) && rel != ""
			w.log.Debug("a folder cannot be read", "folder", rel, "err", err)
			if !f.blocked && f.watched {
				w.releaseWatch(abs) // polled, until it can be listed: a watch would not tell what is in it already
				f.watched = false
			}
		}
		w.enter(rel, f, entries)
		return entries
	}
	return nil
}

// claim takes a folder's identity for rel. One that is known under another name was moved: a second
// watch on it would go on reporting the old name, so that one is dropped first. One that still is
// there under the other name too (a bind mount) is an alias, which cannot have a watch of its own.
func (w *Watcher) claim(id fileID, rel string) (alias bool) {
	old, known := w.ids[id]
	if !known || old == rel || id == (fileID{}) {
		return false
	}
	if info, err := os.Lstat(w.abs(old)); err == nil && idOf(info) == id {
		return true
	}
	w.dropTree(old)
	w.pend.dir(old)
	return false
}

// enter puts a folder into the tree.
func (w *Watcher) enter(rel string, f *folder, entries []fs.DirEntry) {
	w.folders[rel] = f
	if rel != "" {
		dir, name := split(rel)
		if parent := w.folders[dir]; parent != nil {
			add(&parent.children, name)
		}
	}
	if f.watched {
		if f.id != (fileID{}) {
			w.ids[f.id] = rel
		}
		return
	}
	if !f.blocked {
		f.seen = stampsOf(entries)
		w.polled[rel] = struct{}{}
	}
}

// dropTree takes rel and all below it out of the tree and gives their watches back.
func (w *Watcher) dropTree(rel string) {
	f := w.folders[rel]
	if f == nil {
		return
	}
	for name := range f.children {
		w.dropTree(path.Join(rel, name))
	}
	delete(w.folders, rel)
	delete(w.polled, rel)
	if w.ids[f.id] == rel {
		delete(w.ids, f.id)
	}
	if f.watched {
		w.releaseWatch(w.abs(rel))
	}
	if rel != "" {
		dir, name := split(rel)
		if parent := w.folders[dir]; parent != nil {
			delete(parent.children, name)
		}
	}
}

// walkAgain compares the tree with the disk and the ignore rules, from the top. With again, every
// watch is set once more (events were lost, so the system may have dropped any); that costs one
// system call a folder.
func (w *Watcher) walkAgain(again bool) {
	if w.opts.Budget < 0 || w.rootGone {
		return
	}
	if again && w.fs == nil {
		w.reopen()
	}
	if w.folders[""] == nil {
		w.addTree("", silent)
		return
	}
	for queue := []string{""}; len(queue) > 0 && w.ctx.Err() == nil; queue = queue[1:] {
		rel := queue[0]
		f := w.folders[rel]
		if f == nil {
			continue
		}
		abs := w.abs(rel)
		if again && f.watched && w.fs.Add(abs) != nil {
			w.structural(rel, true)
			continue
		}
		entries, id, err := list(abs)
		if id != f.id || err != nil && !f.blocked || err == nil && f.blocked {
			w.structural(rel, true)
			continue
		}
		queue = append(queue, w.compare(rel, f, entries)...)
	}
}

// compare brings the folders directly below rel in line with its entries and the ignore rules, and
// returns those that were known before.
func (w *Watcher) compare(rel string, f *folder, entries []fs.DirEntry) (known []string) {
	there := map[string]struct{}{}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		child := path.Join(rel, e.Name())
		switch ignored := w.opts.IgnoredDir(child); {
		case ignored:
			continue
		case w.folders[child] == nil:
			w.addTree(child, dirsOnly)
		default:
			known = append(known, child)
		}
		there[e.Name()] = struct{}{}
	}
	for name := range f.children {
		if _, ok := there[name]; !ok {
			w.dropTree(path.Join(rel, name))
			w.pend.dir(path.Join(rel, name))
		}
	}
	return known
}

// list reads a folder and says which one it read.
func list(abs string) ([]fs.DirEntry, fileID, error) {
	d, err := openFolder(abs)
	if err != nil {
		if info, statErr := os.Lstat(abs); statErr == nil {
			return nil, idOf(info), err
		}
		return nil, fileID{}, err
	}
	defer d.Close()
	info, err := d.Stat()
	if err != nil {
		return nil, fileID{}, err
	}
	entries, err := d.ReadDir(-1)
	return entries, idOf(info), err
}

// split divides a relative path into its folder, "" at the top, and its last name.
func split(rel string) (dir, name string) {
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		return rel[:i], rel[i+1:]
	}
	return "", rel
}
