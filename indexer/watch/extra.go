package watch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// extra is one of Options.Extra, or the root itself as seen from its parent (guard). It is watched
// through its parent folders, because replacing a file atomically removes the file's own watch. The
// guard is watched only while the root is missing: the parent of the root may be busy for other
// reasons, and each of its events would wake the watcher.
type extra struct {
	given  string
	guard  bool
	points []point
	polled bool // some point has no watch
	seen   map[string]stamp
}

// point is a name to watch for in a folder; an empty name means every name.
type point struct{ dir, name string }

// setExtras sets up all extras again.
func (w *Watcher) setExtras() {
	w.extras, w.points = nil, map[string][]*extra{}
	if parent := filepath.Dir(w.root); parent != w.root {
		w.extras = append(w.extras, &extra{given: w.root, guard: true})
	}
	for _, given := range w.opts.Extra {
		if filepath.IsAbs(given) {
			w.extras = append(w.extras, &extra{given: given})
		}
	}
	for _, e := range w.extras {
		if !e.guard || w.rootGone {
			w.anchor(e)
		}
	}
}

// guardRoot starts or stops watching for the return of the root.
func (w *Watcher) guardRoot(want bool) {
	for _, e := range w.extras {
		switch {
		case !e.guard:
		case want:
			w.anchor(e)
		default:
			w.unanchor(e)
		}
	}
}

// anchor sets the watches of an extra. Its points may change meanwhile, so it computes them again
// until they are stable.
func (w *Watcher) anchor(e *extra) {
	for range 3 {
		points := pointsOf(e.given, e.guard)
		if e.points != nil && slices.Equal(points, e.points) {
			break
		}
		w.unanchor(e)
		e.points, e.polled = points, false
		for _, p := range points {
			if !w.addWatch(p.dir) {
				// Without its guard the root is still checked before every batch.
				e.polled = !e.guard
				continue
			}
			w.points[p.dir] = append(w.points[p.dir], e)
		}
	}
	if e.polled {
		e.seen = extraStamps(e.given)
	}
}

// unanchor releases the watches of an extra.
func (w *Watcher) unanchor(e *extra) {
	for _, p := range e.points {
		if i := slices.Index(w.points[p.dir], e); i >= 0 {
			w.points[p.dir] = slices.Delete(w.points[p.dir], i, i+1)
			w.releaseWatch(p.dir)
		}
		if len(w.points[p.dir]) == 0 {
			delete(w.points, p.dir)
		}
	}
	e.points = nil
}

// pointsOf returns the points where a change of path is visible: the folder itself, the parent of
// the file and, for a link, the parent of its target; or the nearest existing folder.
func pointsOf(path string, guard bool) []point {
	path = filepath.Clean(path)
	if target, err := filepath.EvalSymlinks(path); err == nil && !guard {
		if info, err := os.Stat(target); err == nil && info.IsDir() {
			return []point{{dir: target}}
		}
		if holder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			points := []point{{holder, filepath.Base(path)}}
			if p := (point{filepath.Dir(target), filepath.Base(target)}); p != points[0] {
				points = append(points, p)
			}
			return points
		}
	}
	for {
		dir := filepath.Dir(path)
		if target, err := filepath.EvalSymlinks(dir); err == nil || dir == path {
			return []point{{target, filepath.Base(path)}}
		}
		path = dir
	}
}

// extraEvent notifies the extras that are affected by an event.
func (w *Watcher) extraEvent(name string, structural, gone bool) {
	dir, base := filepath.Split(name)
	dir = filepath.Clean(dir)
	for _, e := range slices.Clone(w.points[dir]) {
		if slices.ContainsFunc(e.points, func(p point) bool { return p.dir == dir && (p.name == "" || p.name == base) }) {
			w.extraChanged(e, structural)
		}
	}
	if !gone {
		return
	}
	below := name + string(filepath.Separator)
	for at := range w.points {
		if at == name || strings.HasPrefix(at, below) {
			for _, e := range slices.Clone(w.points[at]) {
				w.unanchor(e)
				w.extraChanged(e, true)
			}
		}
	}
}

// extraChanged reports an extra and, if files came or went, computes its points again.
func (w *Watcher) extraChanged(e *extra, structural bool) {
	if e.guard {
		if w.checkRoot(); !w.rootGone {
			return
		}
	} else {
		w.pend.extraPath(e.given)
	}
	if structural {
		w.anchor(e)
	}
}

// pollExtras checks the extras that have no watch.
func (w *Watcher) pollExtras() {
	for _, e := range w.extras {
		if !e.polled {
			continue
		}
		if now := extraStamps(e.given); !sameStamps(now, e.seen) {
			e.seen = now
			w.extraChanged(e, true)
		}
	}
}

// polledExtras returns the number of extras that have no watch.
func (w *Watcher) polledExtras() int {
	n := 0
	for _, e := range w.extras {
		if e.polled {
			n++
		}
	}
	return n
}

// extraStamps returns the stamps of a file, or of a folder and its entries.
func extraStamps(path string) map[string]stamp {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if info.IsDir() {
		entries, _, err := list(path)
		if err == nil {
			return stampsOf(entries)
		}
	}
	return map[string]stamp{"": stampOf(info)}
}

func sameStamps(a, b map[string]stamp) bool {
	if len(a) != len(b) {
		return false
	}
	for name, p := range a {
		if q, ok := b[name]; !ok || p != q {
			return false
		}
	}
	return true
}
