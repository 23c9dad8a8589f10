package source

import (
	"context"
	"errors"
	"io/fs"
	"strings"
)

// errStopped ends a walk that its visitor has stopped.
var errStopped = errors.New("stopped")

// LeftOut visits the entries after the path after, in the order of Walk, by the current rules. It
// calls left for entries that are left out, once for a pruned folder and not for anything below it,
// and file for the regular files that are admitted by name. after is a path that an earlier call
// visited, which need not exist any more; "" starts at the beginning. Subtrees before it are not
// opened. Either function stops the visit by returning false. Errors: ctx's, and the root's own.
func (t *Tree) LeftOut(ctx context.Context, after string, left func(path string, folder bool, r Reason) bool, file func(Entry) bool) error {
	w := &walk{t: t, r: t.rules.Load(), ctx: ctx, after: after}
	w.skip = func(path string, folder bool, r Reason) {
		w.stopped = w.stopped || !left(path, folder, r)
	}
	w.file = func(e Entry) error {
		w.stopped = w.stopped || !file(e)
		return nil
	}
	if err := w.root(); err != nil && !errors.Is(err, errStopped) {
		return err
	}
	return nil
}

// behind returns the items of a folder that come after the walk's cursor: those after the cursor's
// name in this folder, and the item of that name itself if the cursor is below it.
func (w *walk) behind(rel string, items []item) []item {
	rest := w.after
	if rel != "" {
		below, ok := strings.CutPrefix(rest, rel+"/")
		if !ok {
			return items
		}
		rest = below
	}
	if rest == "" {
		return items
	}
	name, _, inside := strings.Cut(rest, "/")
	for i := range items {
		if items[i].name != name {
			continue
		}
		if !inside {
			i++
		}
		return items[i:]
	}
	gone := item{name: name} // sorted to the position that it would have
	if inside {
		gone.stat.mode = fs.ModeDir
	}
	for i := range items {
		if items[i].sortKey() > gone.sortKey() {
			return items[i:]
		}
	}
	return nil
}

// folderReason returns why an admitted folder cannot be listed, or Directory if it can.
func (t *Tree) folderReason(rel string) Reason {
	parent, name, err := t.root.openParent(rel)
	if err != nil {
		return Directory // it is not the folder that the caller saw
	}
	defer closeFolder(parent)
	folder, err := openDirAt(parent, name)
	if err != nil {
		if reason := reasonFor(err); reason == Unreadable {
			return reason
		}
		return Directory
	}
	defer closeFolder(folder)
	if st, err := statFolder(folder); err == nil && st.dev != t.root.dev && isPseudo(folder) {
		return Special
	}
	return Directory
}
