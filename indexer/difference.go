package indexer

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer/source"
)

// syncPaths brings in the given paths and folders; each may exist or not, be a file or a folder.
func (w *writer) syncPaths(ctx context.Context, paths, dirs []string) {
	d := difference{w: w, changed: map[string]source.Entry{}, gone: map[string]bool{}}
	below := map[string]bool{} // folders that were added, removed or changed
	for _, p := range paths {
		d.check(p)
		if _, known := w.manifest.known.files[p]; !known {
			below[p] = true // perhaps a folder
		}
	}
	for _, dir := range dirs {
		below[strings.TrimSuffix(dir, "/")] = true
	}
	d.checkIndexed(below)
	if len(dirs) > 0 {
		if err := d.walk(ctx, below); err != nil && ctx.Err() == nil {
			w.unavailable(err)
		}
	}
	if len(d.changed) == 0 && len(d.gone) == 0 {
		return
	}
	changed, gone := slices.Collect(maps.Values(d.changed)), slices.Collect(maps.Keys(d.gone))
	if done, whole := w.bring(ctx, changed, gone); done && !whole {
		w.retry.later()
	}
}

// difference collects the files for which the index is out of date.
type difference struct {
	w       *writer
	changed map[string]source.Entry // by path
	gone    map[string]bool         // paths of indexed files
}

// check compares the file at a path with the index.
func (d *difference) check(p string) {
	e, err := d.w.tree.Stat(p)
	if err != nil || !d.w.tree.Admit(p) {
		if _, ok := d.w.manifest.known.files[p]; ok {
			d.gone[p] = true
		}
		return
	}
	d.compare(e)
}

// compare records a file of the workspace that is not in the index in its present state.
func (d *difference) compare(e source.Entry) {
	if d.w.manifest.known.differs(e) {
		d.changed[e.Path] = e
	}
}

// checkIndexed checks the indexed files in the folders.
func (d *difference) checkIndexed(folders map[string]bool) {
	if len(folders) == 0 {
		return
	}
	for p := range d.w.manifest.known.files {
		if under(p, folders) {
			d.check(p)
		}
	}
}

// walk compares the workspace's files in the folders.
func (d *difference) walk(ctx context.Context, folders map[string]bool) error {
	return d.w.tree.Walk(ctx, func(e source.Entry) error {
		if under(e.Path, folders) {
			d.compare(e)
		}
		return nil
	}, func(string, bool, source.Reason) {})
}

// under reports whether one of the folders contains the path.
func under(path string, folders map[string]bool) bool {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' && folders[path[:i]] {
			return true
		}
	}
	return false
}
