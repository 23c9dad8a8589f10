package source

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
)

// Walk reloads the rules and calls file for every regular file that is admitted by the rules and
// its name, and skip for everything else: once for a pruned folder, and not for anything below it.
// Both are called in the byte order of paths ("a-b" before "a/b"), on the caller's goroutine.
// Reasons that depend on a file's text (binary, generated, minified) are reported by Read.
//
// Walk returns the first error of file or of ctx, or the root's own if the root cannot be read;
// anything else unreadable is skipped.
func (t *Tree) Walk(ctx context.Context, file func(Entry) error, skip func(path string, dir bool, r Reason)) error {
	t.Reload()
	w := &walk{t: t, r: t.rules.Load(), ctx: ctx, file: file, skip: skip}
	return w.root()
}

// Folders calls folder for every folder that is not pruned, the root ("") first: the folders that
// need a watch. It uses the current rules.
func (t *Tree) Folders(ctx context.Context, folder func(path string) error) error {
	w := &walk{t: t, r: t.rules.Load(), ctx: ctx, folder: folder, skip: func(string, bool, Reason) {}}
	return w.root()
}

// walk is one pass over the root. It opens folders relative to their parents, so that nothing can
// be replaced by a link during the walk and paths may be longer than the system allows.
type walk struct {
	t      *Tree
	r      *rules
	ctx    context.Context
	file   func(Entry) error  // nil: folders only
	folder func(string) error // may be nil
	skip   func(string, bool, Reason)
	linked map[string]bool // folders that were entered through a link, by their own path
	held   []*place        // the places with an open descriptor, from the outermost
	// after and stopped belong to LeftOut: the path up to which entries are skipped, and whether
	// the visitor has stopped the walk.
	after   string
	stopped bool
}

// maxOpen bounds the descriptors that a walk holds. Beyond it, the outermost folder's descriptor is
// closed, and reopened later through the folder below it.
const maxOpen = 128

// A place is a folder being walked. Below a link its path in the walk and its real path differ.
type place struct {
	rel, real string
	dir       folderHandle // noFolder if it has no descriptor
	dev, ino  uint64
	f         *folder
	link      bool
	above     *place
}

func (w *walk) root() error {
	dir, _, err := w.t.root.openParent("")
	if err != nil {
		return &SkipError{Path: w.t.root.path, Reason: reasonFor(err), Err: err}
	}
	p := &place{dir: noFolder, f: w.r.folder("")}
	if st, err := statFolder(dir); err == nil {
		p.dev, p.ino = st.dev, st.ino
	}
	w.hold(p, dir)
	defer w.release(p)
	items, err := list(dir)
	if err != nil {
		return &SkipError{Path: w.t.root.path, Reason: Unreadable, Err: err}
	}
	return w.items(p, items)
}

// hold stores the descriptor of a place, and closes the outermost one if there are too many.
func (w *walk) hold(p *place, dir folderHandle) {
	p.dir = dir
	if len(w.held) == maxOpen {
		closeFolder(w.held[0].dir)
		w.held[0].dir = noFolder
		w.held = w.held[1:]
	}
	w.held = append(w.held, p)
}

// release closes the innermost place's descriptor. If the descriptor of the place above was closed,
// it reopens it as "..", if that is still the same folder.
func (w *walk) release(p *place) {
	if p.dir == noFolder {
		return
	}
	w.held = w.held[:len(w.held)-1]
	if up := p.above; up != nil && up.dir == noFolder && !(p.link && !up.link) {
		if dir, err := openAbove(p.dir); err == nil {
			if st, err := statFolder(dir); err == nil && st.dev == up.dev && st.ino == up.ino {
				w.hold(up, dir)
			} else {
				closeFolder(dir)
			}
		}
	}
	closeFolder(p.dir)
	p.dir = noFolder
}

// An item is one entry of a folder's listing.
type item struct {
	name string
	stat stat
	err  error // of reading its status
}

// list reads a folder in the byte order of paths: a folder sorts as if its name ended in a slash.
func list(dir folderHandle) ([]item, error) {
	items, err := itemsAt(dir)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(items, func(a, b item) int {
		if n := min(len(a.name), len(b.name)); a.name[:n] != b.name[:n] {
			return strings.Compare(a.name, b.name)
		}
		return strings.Compare(a.sortKey(), b.sortKey())
	})
	return items, nil
}

func (it *item) sortKey() string {
	if it.stat.isDir() {
		return it.name + "/"
	}
	return it.name
}

// items walks the items of a folder.
func (w *walk) items(p *place, items []item) error {
	if w.folder != nil {
		if err := w.folder(p.rel); err != nil {
			return err
		}
	}
	if w.after != "" {
		items = w.behind(p.rel, items)
	}
	for i := range items {
		if i&63 == 0 {
			if err := w.ctx.Err(); err != nil {
				return err
			}
		}
		if err := w.item(p, &items[i]); err != nil {
			return err
		}
		if w.stopped {
			return errStopped
		}
	}
	return nil
}

func (w *walk) item(p *place, it *item) error {
	rel := join(p.rel, it.name)
	switch {
	case it.err == nil && it.stat.isDir():
		return w.child(p, rel, it)
	case it.err == nil && it.stat.isLink():
		return w.linkItem(p, rel)
	}
	if v := w.judge(p, rel, it.name, false); v.reason != Indexed {
		w.skip(rel, false, v.reason)
		return nil
	}
	return w.found(rel, &it.stat, it.err, p.link)
}

// found passes a file that the rules admit to the visitor.
func (w *walk) found(rel string, st *stat, err error, link bool) error {
	switch err := kindError(st, err); {
	case errors.Is(err, fs.ErrNotExist): // gone since it was listed
		return nil
	case err != nil:
		w.skip(rel, false, reasonFor(err))
		return nil
	case st.size > w.t.maxBytes(rel):
		w.skip(rel, false, TooLarge)
		return nil
	}
	if w.file == nil {
		return nil
	}
	e := st.entry(rel)
	e.Link = link
	return w.file(e)
}

// judge applies the rules to a name and, below a link, to the real path too.
func (w *walk) judge(p *place, rel, name string, isDir bool) verdict {
	v := w.r.judge(p.f, rel, isDir)
	if v.reason == Indexed && p.link {
		real := join(p.real, name)
		return w.r.judge(w.r.folder(p.real), real, isDir)
	}
	return v
}

// child walks a folder in p.
func (w *walk) child(p *place, rel string, it *item) error {
	c := &place{rel: rel, real: join(p.real, it.name), dir: noFolder, dev: it.stat.dev, ino: it.stat.ino, link: p.link, above: p}
	// The name alone usually decides that a folder is pruned: do not open it then.
	if v := w.judge(p, rel, it.name, true); v.reason != Indexed && !w.r.mayHold(&folder{vcs: vcsOf(p.f, it.name), own: v.own}, rel) {
		w.skip(rel, true, v.reason)
		return nil
	}
	dir, err := w.openChild(p, it.name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			w.skip(rel, true, reasonFor(err))
		}
		return nil
	}
	if c.dev != p.dev && isPseudo(dir) {
		closeFolder(dir)
		w.skip(rel, true, Special)
		return nil
	}
	w.hold(c, dir)
	defer w.release(c)
	return w.enter(c)
}

func vcsOf(parent *folder, name string) string {
	if parent.vcs == "" && vcsFolders[name] {
		return name
	}
	return parent.vcs
}

// enter lists an opened folder, completes its rules and walks it.
func (w *walk) enter(c *place) error {
	items, err := list(c.dir)
	if err != nil {
		w.skip(c.rel, true, Unreadable)
		return nil
	}
	f := w.r.enter(w.r.folder(parentOf(c.rel)), c.rel, func() []string {
		if c.link {
			return nil // the real folder's names are used below
		}
		names := make([]string, len(items))
		for i := range items {
			names[i] = items[i].name
		}
		return names
	})
	c.f = w.r.keep(c.rel, f)
	if c.link && c.f.pruned == Indexed {
		if real := w.r.folder(c.real); real.pruned != Indexed {
			c.f = real
		}
	}
	if c.f.pruned != Indexed && !w.r.mayHold(c.f, c.rel) {
		w.skip(c.rel, true, c.f.pruned)
		return nil
	}
	return w.items(c, items)
}

// openChild opens a folder in p, starting at the root if p has no descriptor.
func (w *walk) openChild(p *place, name string) (folderHandle, error) {
	dir := p.dir
	if dir == noFolder {
		parent, _, err := w.t.root.openParent(join(p.real, name))
		if err != nil {
			return noFolder, err
		}
		defer closeFolder(parent)
		dir = parent
	}
	return openDirAt(dir, name)
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
