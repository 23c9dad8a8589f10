package source

import "strings"

// linkItem follows a link if links are followed, its target is inside the root and admitted by its
// own path, and, for a folder, the target is neither being walked nor was reached through another
// link.
func (w *walk) linkItem(p *place, rel string) error {
	if v := w.r.judge(p.f, rel, false); v.reason != Indexed {
		w.skip(rel, false, v.reason)
		return nil
	}
	real, _, reason, _ := w.t.resolve(join(p.real, baseName(rel)))
	if reason != Indexed {
		w.skip(rel, false, Link)
		return nil
	}
	st, err := w.t.root.lstat(real)
	if err == nil && st.isDir() {
		return w.linkedFolder(p, rel, real, &st)
	}
	if v := w.r.judge(w.r.folder(parentOf(real)), real, false); v.reason != Indexed {
		w.skip(rel, false, v.reason)
		return nil
	}
	return w.found(rel, &st, err, true)
}

func (w *walk) linkedFolder(p *place, rel, real string, st *stat) error {
	if v := w.r.judge(p.f, rel, true); v.reason != Indexed {
		w.skip(rel, true, v.reason)
		return nil
	}
	if f := w.r.folder(real); f.pruned != Indexed {
		w.skip(rel, true, f.pruned)
		return nil
	}
	if w.linked[real] || p.isBelow(real) {
		w.skip(rel, true, Link)
		return nil
	}
	if w.linked == nil {
		w.linked = map[string]bool{}
	}
	w.linked[real] = true
	parent, name, err := w.t.root.openParent(real)
	if err == nil {
		defer closeFolder(parent)
		var dir folderHandle
		if dir, err = openDirAt(parent, name); err == nil {
			c := &place{rel: rel, real: real, dir: noFolder, dev: st.dev, ino: st.ino, link: true, above: p}
			w.hold(c, dir)
			defer w.release(c)
			return w.enter(c)
		}
	}
	w.skip(rel, true, reasonFor(err))
	return nil
}

// isBelow reports whether p is the folder real or below it, by its path in the walk or its real
// path.
func (p *place) isBelow(real string) bool {
	for ; p != nil; p = p.above {
		if p.real == real || real == "" || strings.HasPrefix(p.real, real+"/") {
			return true
		}
	}
	return false
}
