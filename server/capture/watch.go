package capture

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// passPause is the time between two passes over the changed logs: a host that writes constantly
	// is read twenty times a second, not at every line.
	passPause = 50 * time.Millisecond
	// pollInterval is how often logs are checked if the system does not report changes.
	pollInterval = 2 * time.Second
)

// Run follows the logs of the sources that are on, until ctx ends. Changes from before its start
// are read first. Only one Run may be active.
func (f *Follower) Run(ctx context.Context) {
	w := &watching{f: f, dirs: map[string]bool{}}
	var err error
	if w.system, err = fsnotify.NewWatcher(); err != nil {
		f.log.Warn("the system does not report changed logs; they are checked at intervals", "err", err)
		w.polls = true
	}
	f.mu.Lock()
	f.rescan = true
	f.mu.Unlock()
	var loops sync.WaitGroup
	if w.system != nil {
		loops.Go(func() { w.listen(ctx) })
	}
	w.work(ctx)
	if w.system != nil {
		_ = w.system.Close() // ends listen
	}
	loops.Wait()
	f.mu.Lock()
	f.running = ""
	f.mu.Unlock()
}

// watching is the state of a Run.
type watching struct {
	f      *Follower
	system *fsnotify.Watcher // nil if there is none
	dirs   map[string]bool   // watched by system; owned by work's goroutine
	polls  bool              // owned by work's goroutine

	mu     sync.Mutex // guards all fields below
	active []activePlace
	decide string // the folder in which decisions about sources appear
}

// activePlace is a place of a source that is on.
type activePlace struct {
	source *source
	place
}

// listen turns the system's events into pending work. It relies on the paths of events, not on
// their kinds.
func (w *watching) listen(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case ev, open := <-w.system.Events:
			if !open {
				return
			}
			w.event(ev)
		case err, open := <-w.system.Errors:
			if !open {
				return
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				w.f.log.Warn("watch logs", "err", err)
			}
			w.f.Rescan()
		}
	}
}

func (w *watching) event(ev fsnotify.Event) {
	if ev.Op == fsnotify.Chmod {
		return
	}
	w.mu.Lock()
	active, decide := w.active, w.decide
	w.mu.Unlock()
	if filepath.Dir(ev.Name) == decide {
		if base := filepath.Base(ev.Name); base == folder || base == consentFolder || IsSource(base) {
			w.f.Rescan()
		}
	}
	for _, a := range active {
		path := ev.Name
		if a.source.database != nil && a.as == nil {
			path = strings.TrimSuffix(path, "-wal")
		}
		switch {
		case a.holds(path):
			w.f.changed(a.source, path)
		case ev.Op&fsnotify.Write == 0 && (related(a.dir, ev.Name) || related(ev.Name, a.dir)) && w.isFolder(ev):
			w.f.Rescan()
		}
	}
}

// related reports whether a path is a folder or lies in it.
func related(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// isFolder reports whether an event is about a folder, or about what may have been one.
func (w *watching) isFolder(ev fsnotify.Event) bool {
	if ev.Op&(fsnotify.Remove|fsnotify.Rename) != 0 {
		return filepath.Ext(ev.Name) == ""
	}
	info, err := os.Stat(ev.Name)
	return err == nil && info.IsDir()
}

// work reads the changed logs, pass by pass, until ctx ends.
func (w *watching) work(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if ctx.Err() != nil {
			return
		}
		w.pass(ctx)
		if wait := w.next(); wait > 0 {
			timer.Reset(wait)
		} else {
			timer.Stop()
		}
		select {
		case <-ctx.Done():
			return
		case <-w.f.wake:
			pause := time.NewTimer(passPause)
			select {
			case <-ctx.Done():
				pause.Stop()
				return
			case <-pause.C:
			}
		case <-timer.C:
			if w.polls {
				w.f.Rescan()
			}
		}
	}
}

// next returns the time until something is due without an event; 0 for never.
func (w *watching) next() time.Duration {
	f := w.f
	var first time.Time
	f.mu.Lock()
	logs := make([]*logFile, 0, len(f.logs))
	for _, g := range f.logs {
		logs = append(logs, g)
	}
	f.mu.Unlock()
	for _, g := range logs {
		g.mu.Lock()
		if at := g.settles; !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
		g.mu.Unlock()
	}
	var wait time.Duration
	if !first.IsZero() {
		wait = max(first.Sub(f.now()), passPause)
	}
	if w.polls && (wait == 0 || wait > pollInterval) {
		wait = pollInterval
	}
	return wait
}

// pass reads everything that is pending.
func (w *watching) pass(ctx context.Context) {
	f := w.f
	paths, rescan := f.taken()
	if rescan {
		for path, s := range w.look() {
			paths[path] = s
		}
	}
	consent, _ := Consent(f.opts.StateDir) // unreadable means off; Status reports the error
	for _, g := range f.settled() {
		paths[g.path] = g.source
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) { // a session before those that were forked from it, where names have times
		s := paths[path]
		if ctx.Err() != nil {
			return
		}
		if !consent[s.name] {
			f.file(s, path).rest()
			continue
		}
		if _, err := f.read(ctx, f.file(s, path)); err != nil && ctx.Err() == nil {
			f.log.Warn("capture", "source", s.name, "err", err)
		}
	}
}

// rest prevents a log from being read without an event.
func (g *logFile) rest() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.settles = time.Time{}
}

// settled lists the logs whose waiting content now counts as complete.
func (f *Follower) settled() []*logFile {
	now := f.now()
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []*logFile
	for _, g := range f.logs {
		if !g.mu.TryLock() {
			continue // it is being read, which sets a new time
		}
		if !g.settles.IsZero() && !now.Before(g.settles) {
			out = append(out, g)
		}
		g.mu.Unlock()
	}
	return out
}

// look finds the logs that have something new, and watches the folders of the sources that are on.
func (w *watching) look() map[string]*source {
	f := w.f
	decide := w.watchDecisions()
	consent, err := Consent(f.opts.StateDir) // after the watch, so that one of the two sees a decision in between
	if err != nil {
		f.log.Warn("capture", "err", err)
	}
	want := map[string]bool{decide: true}
	var active []activePlace
	for _, s := range sources {
		if !consent[s.name] {
			continue
		}
		for _, p := range s.places(f.opts.Environment) {
			active = append(active, activePlace{s, p})
		}
	}
	// Watches are set before the listing, so that one of the two sees what is written in between.
	w.mu.Lock()
	w.active = active
	w.mu.Unlock()
	for _, a := range active {
		want[w.addNearest(a.dir, func(string) {})] = true
	}
	paths := map[string]*source{}
	for _, s := range sources {
		if !consent[s.name] {
			continue
		}
		since := consentedAt(f.opts.StateDir, s.name)
		for _, path := range f.scan(s, since, func(dir string) { want[dir] = true; w.add(dir) }) {
			paths[path] = s
		}
	}
	for dir := range w.dirs {
		if !want[dir] {
			_ = w.system.Remove(dir) // a removed folder no longer has a watch
			delete(w.dirs, dir)
		}
	}
	f.mu.Lock()
	f.running = "inotify"
	if w.polls {
		f.running = "poll"
	}
	f.mu.Unlock()
	return paths
}

// watchDecisions watches the folder in which decisions about sources appear, and returns it: the
// folder of the decisions, or its nearest existing parent.
func (w *watching) watchDecisions() string {
	return w.addNearest(filepath.Join(w.f.opts.StateDir, folder, consentFolder), func(dir string) {
		w.mu.Lock()
		w.decide = dir
		w.mu.Unlock()
	})
}

// addNearest watches a folder, or the nearest of its parents that exists, and returns that. It
// calls next before each watch: a folder that is created before the watch of its parent needs
// another.
func (w *watching) addNearest(dir string, next func(dir string)) string {
	for {
		near := nearest(dir)
		next(near)
		w.add(near)
		if nearest(dir) == near {
			return near
		}
	}
}

// add watches a folder.
func (w *watching) add(dir string) {
	if w.system == nil || w.polls && w.dirs[dir] {
		return
	}
	// Adding a watch again has no effect; a folder that was removed and recreated needs it.
	if err := w.system.Add(dir); err != nil {
		if !errors.Is(err, os.ErrNotExist) && !w.polls {
			w.polls = true
			w.f.log.Warn("a folder of logs cannot be watched; logs are checked at intervals", "dir", dir, "err", err)
		}
		return
	}
	w.dirs[dir] = true
}

// nearest returns a folder, or the nearest of its parents that exists.
func nearest(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// consentedAt returns when a source was switched on.
func consentedAt(stateDir, source string) time.Time {
	info, err := os.Stat(consentPath(stateDir, source))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
