package source

import (
	"context"
	"errors"
	"io/fs"
	"strings"
)

// errStopped ends a walk whose visitor wants no more.
var errStopped = errors.New("stopped")

// LeftOut visits the entries behind the path after in the order of Walk, by the rules as they are:
// left for what they leave out, a pruned folder once and nothing below it, and file for the regular
// files that they admit by name. after is a path that an earlier call visited, which need not exist
// any more; "" begins at the beginning. Subtrees before it are not opened. Either function ends the
// visit by returning false. Errors: ctx's, and the root's own.
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

// behind returns the items of a folder that come after the walk's cursor: those behind the cursor's
// name in this folder, and that one itself when the cursor lies below it.
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
	gone := item{name: name} // by the place that it would have
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

// folderReason returns why a folder that the rules admit cannot be looked into; Directory where it
// can.
func (t *Tree) folderReason(rel string) Reason {
	parent, name, err := t.openParent(rel)
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
	if st, err := statFolder(folder); err == nil && st.dev != t.dev && isPseudo(folder) {
		return Special
	}
	return Directory
}
