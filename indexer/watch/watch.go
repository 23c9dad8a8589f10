// Package watch reports which paths below a workspace's root may have changed.
//
// It never reports what happened to a path, because the system's events are unreliable: an atomic
// save looks like a creation, a renamed folder becomes silent, a queue overflows. Every event means
// "check this path", and the reader of the batches checks the disk.
//
// To lose no change: [Start] returns when all watches are set; then scan the workspace, then read
// [Watcher.Batches]. A change in between is reported, at worst twice.
//
// One goroutine owns the whole state (loop.go), and only it accesses the tree of folders; others
// communicate with it by channels. Folders beyond the budget of watches are polled (poll.go).
package watch

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

const (
	defaultDebounce  = 60 * time.Millisecond
	defaultMaxWait   = 200 * time.Millisecond
	defaultPollEvery = 2 * time.Second
	defaultReconcile = 10 * time.Minute
	// eventBuffer is the number of events that can wait in memory, beside the kernel's queue, while
	// a new folder is listed.
	eventBuffer = 4096
)

// Options select what to watch. Zero values mean the defaults stated.
type Options struct {
	// Root is the workspace's folder: absolute, links resolved.
	Root string
	// IgnoredDir reports whether a folder below the root (relative, slashes) is ignored, so that
	// neither it nor anything below it gets a watch. It is called by one goroutine at a time, from
	// Start and from the watcher's own goroutine, and must not call the watcher except for Refresh
	// and Inject. Nil ignores .git only.
	IgnoredDir func(rel string) bool
	// Budget is the maximum number of watches. Zero: half of the system's limit, at most 65,536.
	// Negative: none, and no polling; only paths passed to Inject count (mode "client").
	Budget int
	// Debounce is the quiet time before a batch is sent; default 60 ms. A stream of events without
	// a pause yields a batch every 200 ms (or every Debounce, if that is longer).
	Debounce time.Duration
	// PollEvery is the pause between two checks of the folders that have no watch; default 2 s. It
	// grows automatically so that polling takes at most a twentieth of a core.
	PollEvery time.Duration
	// Reconcile is the interval of Rescan batches without a cause, as a safety net; default 10 min,
	// negative: never. While no event comes it doubles, up to 24 times as long.
	Reconcile time.Duration
	// Extra are absolute files or folders outside the walk to watch too, whether they exist yet or
	// not: .git/HEAD, .git/index, .git/info/exclude. Of a folder, its direct entries count.
	Extra []string
	// Cookies is a folder outside Root for the watcher's own files, by which Sync detects how far
	// the events have come. It is created if missing; without it ("") Sync fails.
	Cookies string
	// Logger logs folders that cannot be watched; nil is silent. Only paths are logged.
	Logger *slog.Logger

	// refuse simulates a system that provides no watcher (dir is "") or no watch, in tests.
	refuse func(dir string) error
}

// Batch lists what may have changed since the previous batch. Its slices belong to the reader.
type Batch struct {
	// Paths are files and folders to check, relative to the root with slashes, in the system's own
	// bytes, sorted, without duplicates. For a new folder they include every entry below it, except
	// in ignored folders.
	Paths []string
	// Dirs are the folders among Paths that appeared, vanished or were renamed: the reader must
	// check everything known below them. Sorted, without duplicates.
	Dirs []string
	// Rescan means that changes may have been missed, or that there are too many to list: check
	// everything. Paths may then be incomplete.
	Rescan bool
	// Extra are the entries of Options.Extra, as written there, that may have changed. Sorted.
	Extra []string
}

// Status is the watcher's coverage.
type Status struct {
	// Mode is "inotify" if every folder has a watch, "poll" if some or all are polled, "client" if
	// only the editor reports changes.
	Mode string
	// Watches and Polled count folders.
	Watches, Polled int
	// Err states why folders are polled and what to do about it; "" if none are.
	Err string
}

// Watcher watches one root. Its methods may be called from any goroutine.
type Watcher struct {
	opts Options
	root rootPath
	log  *slog.Logger

	out      chan Batch
	refresh  chan struct{} // capacity 1: a request is pending or not
	injected injectBox
	status   atomic.Pointer[Status]

	cookies cookies

	cancel context.CancelFunc
	done   chan struct{} // closed when the goroutine has ended

	// The fields below belong to the goroutine of run (before it starts, to Start).

	ctx       context.Context
	system    *system
	folders   map[string]*folder
	ids       map[fileID]string // identity → folder of the tree, for those that are watched
	polled    map[string]struct{}
	pollQueue []string
	pollSpent time.Duration
	extras    extras
	rootID    fileID
	rootGone  bool
	pend      pending
	rewalk    bool      // look for lost folders before the next batch
	schedule  *schedule // of pend
	sending   *Batch
	pollTimer *time.Timer
	pollArmed bool
}

// Start sets all watches and returns; it fails if the root is not a folder or ctx ends meanwhile.
// If the system provides no or too few watches, it does not fail but polls: see Status. The watcher
// runs until Close or until ctx ends; Close must be called in both cases.
func Start(ctx context.Context, opts Options) (*Watcher, error) {
	if !filepath.IsAbs(opts.Root) {
		return nil, fmt.Errorf("watch %q: the path is not absolute", opts.Root)
	}
	root, err := filepath.EvalSymlinks(opts.Root)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	info, err := os.Stat(root)
	if err != nil {
		return nil, fmt.Errorf("watch: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("watch %s: not a folder", opts.Root)
	}
	w := newWatcher(opts)
	w.root = rootPath(root)
	w.ctx, w.cancel = context.WithCancel(ctx)
	w.rootID = idOf(info)
	if w.opts.Budget > 0 {
		w.openSystem()
		w.extras.set(string(w.root), w.opts.Extra, w.rootGone)
		w.addTree("", silent)
	}
	w.publish()
	if err := w.ctx.Err(); err != nil {
		w.cancel()
		w.closeSystem()
		return nil, fmt.Errorf("watch %s: %w", opts.Root, err)
	}
	go w.run()
	return w, nil
}

// newWatcher returns a watcher with the defaults filled in.
func newWatcher(opts Options) *Watcher {
	if opts.IgnoredDir == nil {
		opts.IgnoredDir = func(rel string) bool { return rel == ".git" }
	}
	if opts.Budget == 0 {
		opts.Budget = defaultBudget()
	}
	if opts.Debounce <= 0 {
		opts.Debounce = defaultDebounce
	}
	if opts.PollEvery <= 0 {
		opts.PollEvery = defaultPollEvery
	}
	if opts.Reconcile == 0 {
		opts.Reconcile = defaultReconcile
	}
	if opts.refuse == nil {
		opts.refuse = func(string) error { return nil }
	}
	log := opts.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	w := &Watcher{
		opts: opts, log: log, system: newSystem(opts, log), schedule: newSchedule(opts.Debounce),
		out: make(chan Batch), refresh: make(chan struct{}, 1),
		injected: injectBox{wake: make(chan struct{}, 1)},
		done:     make(chan struct{}),
		folders:  map[string]*folder{}, ids: map[fileID]string{},
		polled: map[string]struct{}{}, pollTimer: stoppedTimer(),
	}
	w.extras = extras{system: w.system, report: w.extraChanged}
	return w
}

// Batches returns the channel of changes. If the reader is slow, batches are merged, never lost; a
// batch that grows too large becomes a Rescan. The channel is closed when the watcher has ended.
func (w *Watcher) Batches() <-chan Batch { return w.out }

// Inject adds changes from another source, such as the editor's didChangeWatchedFiles: paths
// relative to the root with slashes, or absolute ones below it or among Options.Extra. Others are
// ignored. It never blocks.
func (w *Watcher) Inject(paths []string) { w.injected.put(paths) }

// Refresh requests that watches are added and dropped by IgnoredDir, after the ignore rules
// changed. It does not wait; newly watched folders are reported in a batch, in Dirs.
func (w *Watcher) Refresh() { poke(w.refresh) }

// Status returns the watcher's current coverage.
func (w *Watcher) Status() Status { return *w.status.Load() }

// Close ends the watcher and waits for its goroutines. Unread batches are dropped.
func (w *Watcher) Close() error {
	w.cancel()
	<-w.done
	return nil
}

// openSystem creates the system's watcher, if the system provides one.
func (w *Watcher) openSystem() {
	if w.system.open() {
		w.watchCookies()
	}
}

// closeSystem closes the system's watcher and waits for its goroutines.
func (w *Watcher) closeSystem() {
	w.cookies.disable()
	w.system.close()
}
