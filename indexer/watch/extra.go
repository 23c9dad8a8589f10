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

// extras watches the extras of one watcher, which is its only user.
type extras struct {
	system *system
	// report is called with an extra that may have changed. For the guard it returns whether the
	// root is still missing, for others true.
	report func(e *extra) bool
	list   []*extra
	points map[string][]*extra // watched folder → extras that depend on it
}

// set replaces all extras by the guard of root and the given paths. The guard is watched if the
// root is gone.
func (x *extras) set(root string, given []string, gone bool) {
	x.list, x.points = nil, map[string][]*extra{}
	if parent := filepath.Dir(root); parent != root {
		x.list = append(x.list, &extra{given: root, guard: true})
	}
	for _, path := range given {
		if filepath.IsAbs(path) {
			x.list = append(x.list, &extra{given: path})
		}
	}
	for _, e := range x.list {
		if !e.guard || gone {
			x.anchor(e)
		}
	}
}

// guard starts or stops watching for the return of the root.
func (x *extras) guard(want bool) {
	for _, e := range x.list {
		switch {
		case !e.guard:
		case want:
			x.anchor(e)
		default:
			x.unanchor(e)
		}
	}
}

// anchor sets the watches of an extra. Its points may change meanwhile, so it computes them again
// until they are stable.
func (x *extras) anchor(e *extra) {
	for range 3 {
		points := pointsOf(e.given, e.guard)
		if e.points != nil && slices.Equal(points, e.points) {
			break
		}
		x.unanchor(e)
		e.points, e.polled = points, false
		for _, p := range points {
			if !x.system.add(p.dir) {
				// Without its guard the root is still checked before every batch.
				e.polled = !e.guard
				continue
			}
			x.points[p.dir] = append(x.points[p.dir], e)
		}
	}
	if e.polled {
		e.seen = extraStamps(e.given)
	}
}

// unanchor releases the watches of an extra.
func (x *extras) unanchor(e *extra) {
	for _, p := range e.points {
		if i := slices.Index(x.points[p.dir], e); i >= 0 {
			x.points[p.dir] = slices.Delete(x.points[p.dir], i, i+1)
			x.system.release(p.dir)
		}
		if len(x.points[p.dir]) == 0 {
			delete(x.points, p.dir)
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

// event notifies the extras that are affected by an event.
func (x *extras) event(name string, structural, gone bool) {
	dir, base := filepath.Split(name)
	dir = filepath.Clean(dir)
	for _, e := range slices.Clone(x.points[dir]) {
		if slices.ContainsFunc(e.points, func(p point) bool { return p.dir == dir && (p.name == "" || p.name == base) }) {
			x.changed(e, structural)
		}
	}
	if !gone {
		return
	}
	below := name + string(filepath.Separator)
	for at := range x.points {
		if at == name || strings.HasPrefix(at, below) {
			for _, e := range slices.Clone(x.points[at]) {
				x.unanchor(e)
				x.changed(e, true)
			}
		}
	}
}

// changed reports an extra and, if files came or went, computes its points again.
func (x *extras) changed(e *extra, structural bool) {
	if x.report(e) && structural {
		x.anchor(e)
	}
}

// poll checks the extras that have no watch.
func (x *extras) poll() {
	for _, e := range x.list {
		if !e.polled {
			continue
		}
		if now := extraStamps(e.given); !sameStamps(now, e.seen) {
			e.seen = now
			x.changed(e, true)
		}
	}
}

// polled returns the number of extras that have no watch.
func (x *extras) polled() int {
	n := 0
	for _, e := range x.list {
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
