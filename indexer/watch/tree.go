package watch

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// fileID is a file's identity while it exists; numbers are reused after that. Zero means unknown.
type fileID struct{ dev, ino uint64 }

// folder is one folder of the tree: not ignored, and present at the last check.
type folder struct {
	id       fileID
	watched  bool
	blocked  bool                // it cannot be read; its parent's events show when it can
	children map[string]struct{} // names of the folders below that are in the tree
	seen     map[string]stamp    // a polled folder's entries at the last check
}

// reporting is the extent to which addTree reports what it finds.
type reporting int

const (
	silent   reporting = iota // nothing: the reader will scan anyway
	dirsOnly                  // the top folder
	all                       // the top folder and every entry below
)

// rootPath is the absolute path of the root.
type rootPath string

// abs converts a relative slash path into an absolute path of the system.
func (r rootPath) abs(rel string) string { return filepath.Join(string(r), filepath.FromSlash(rel)) }

// rel converts an absolute path into one relative to the root; "" is the root itself.
func (r rootPath) rel(abs string) (string, bool) {
	if abs == string(r) {
		return "", true
	}
	prefix := string(r)
	if !strings.HasSuffix(prefix, string(filepath.Separator)) {
		prefix += string(filepath.Separator)
	}
	rest, ok := strings.CutPrefix(abs, prefix)
	return filepath.ToSlash(rest), ok && rest != ""
}

// addTree adds the folder rel, which is not in the tree, and all folders below it. It sets each
// watch before it lists the folder, so that an entry created meanwhile is either listed or
// reported. It proceeds breadth first: if the budget runs out, the deepest folders are polled.
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

// addFolder adds one folder and returns its entries, none if it is gone, replaced or unreadable.
func (w *Watcher) addFolder(rel string) []fs.DirEntry {
	abs := w.root.abs(rel)
	// The folder may be replaced between two steps; each round that detects that starts over.
	for range 3 {
		info, err := os.Lstat(abs)
		if err != nil || !info.IsDir() {
			return nil
		}
		f := &folder{id: idOf(info)}
		alias := w.claim(f.id, rel)
		f.watched = !alias && w.system.add(abs)
		entries, id, err := list(abs)
		if errors.Is(err, fs.ErrNotExist) || id != f.id {
			if f.watched {
				w.system.release(abs)
			}
			continue
		}
		f.blocked = rel != "" && (errors.Is(err, fs.ErrPermission) || !mayEnter(abs))
		if err != nil {
			w.log.Debug("a folder cannot be read", "folder", rel, "err", err)
			if !f.blocked && f.watched {
				w.system.release(abs) // polled until it can be listed: a watch would miss existing entries
				f.watched = false
			}
		}
		w.enter(rel, f, entries)
		return entries
	}
	return nil
}

// claim records a folder's identity for rel. A folder that is known by another name was moved: a
// second watch on it would keep reporting the old name, so the first is dropped. If it still exists
// by the other name too (a bind mount), it is an alias, which cannot have its own watch.
func (w *Watcher) claim(id fileID, rel string) (alias bool) {
	old, known := w.ids[id]
	if !known || old == rel || id == (fileID{}) {
		return false
	}
	if info, err := os.Lstat(w.root.abs(old)); err == nil && idOf(info) == id {
		return true
	}
	w.dropTree(old)
	w.pend.dir(old)
	return false
}

// enter adds a folder to the tree.
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

// dropTree removes rel and everything below it from the tree and releases the watches.
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
		w.system.release(w.root.abs(rel))
	}
	if rel != "" {
		dir, name := split(rel)
		if parent := w.folders[dir]; parent != nil {
			delete(parent.children, name)
		}
	}
}

// walkAgain compares the tree with the disk and the ignore rules, from the top. With again, it sets
// every watch again (events were lost, so the system may have dropped any); that costs one system
// call per folder.
func (w *Watcher) walkAgain(again bool) {
	if w.opts.Budget < 0 || w.rootGone {
		return
	}
	if again && w.system.fs == nil {
		if w.openSystem(); w.system.fs != nil {
			w.extras.set(string(w.root), w.opts.Extra, w.rootGone)
		}
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
		abs := w.root.abs(rel)
		if again && f.watched && w.system.fs.Add(abs) != nil {
			w.structural(rel, true)
			continue
		}
		entries, id, err := list(abs)
		if id != f.id || f.blocked == mayEnter(abs) || err != nil && !f.blocked {
			w.structural(rel, true)
			continue
		}
		queue = append(queue, w.compare(rel, f, entries)...)
	}
}

// compare updates the folders directly below rel by its entries and the ignore rules, and returns
// those that were known before.
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

// list returns the entries of a folder and the identity of the folder that it read.
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

// split splits a relative path into its folder, "" at the top, and its last name.
func split(rel string) (dir, name string) {
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		return rel[:i], rel[i+1:]
	}
	return "", rel
}
