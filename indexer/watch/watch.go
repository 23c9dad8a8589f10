// Package watch tells which paths below a workspace's root may have changed.
//
// It never says what happened to a path, because what the system reports is not to be trusted: an
// atomic save looks like a creation, a renamed folder goes silent, a queue overflows. Every event
// means "check this path", and whoever reads the batches looks at the disk.
//
// The order that loses nothing: [Start] returns when all watches are set; scan the workspace after
// that, then follow [Watcher.Batches]. A change that falls between is reported, at worst twice.
//
// One goroutine owns the whole state (loop.go) and is the only one to touch the tree of folders;
// others reach it by channels. Folders beyond the budget of watches are polled (poll.go).
package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	defaultDebounce  = 60 * time.Millisecond
	defaultMaxWait   = 200 * time.Millisecond
	defaultPollEvery = 2 * time.Second
	defaultReconcile = 10 * time.Minute
	// eventBuffer is how many events wait in our memory, beside the kernel's queue, while a new
	// folder is listed.
	eventBuffer = 4096
)

// Options says what to watch. Zero values are the defaults named.
type Options struct {
	// Root is the workspace's folder: absolute, links resolved.
	Root string
	// IgnoredDir says of a folder below the root (relative, slashes) that nothing in it matters, so
	// that neither it nor what is below it gets a watch. It is called by one goroutine at a time,
	// from Start and from the watcher's own goroutine, and must not call back into the watcher but
	// for Refresh and Inject. Nil leaves out .git only.
	IgnoredDir func(rel string) bool
	// Budget is how many watches may be used. Zero: half of the system's limit, at most 65,536.
	// Negative: none, and no polling; only what Inject is told counts (mode "client").
	Budget int
	// Debounce is how long it must be quiet before a batch goes out; default 60 ms. A stream that
	// never pauses gives a batch every 200 ms (or every Debounce, when that is longer).
	Debounce time.Duration
	// PollEvery is the pause between two looks at the folders that have no watch; default 2 s. It
	// grows by itself so that polling takes at most a twentieth of a core.
	PollEvery time.Duration
	// Reconcile is the time between two Rescan batches that come without a cause, as a safety net;
	// default 10 min, negative: never. While no event comes it doubles, up to 24 times as long.
	Reconcile time.Duration
	// Extra are absolute files or folders outside the walk to watch too, whether they exist yet or
	// not: .git/HEAD, .git/index, .git/info/exclude. Of a folder, its direct entries count.
	Extra []string
	// Cookies is a folder outside Root for the watcher's own files, by which Sync tells how far the
	// events have come. It is made where it is missing; "" does without, and Sync fails.
	Cookies string
	// Logger logs folders that cannot be watched; nil is silent. Only paths are logged.
	Logger *slog.Logger

	// refuse stands in for a system that gives no watcher (dir is "") or no watch, in tests.
	refuse func(dir string) error
}

// Batch is what may have changed since the batch before. Its slices belong to the reader.
type Batch struct {
	// Paths are files and folders to check, relative to the root with slashes, in the system's own
	// bytes, sorted, without duplicates. Below a new folder every entry is named, but for what
	// ignored folders hold.
	Paths []string
	// Dirs are the folders among Paths that appeared, vanished or were renamed: all that is known
	// below them is to be looked at. Sorted, without duplicates.
	Dirs []string
	// Rescan says that changes may have been missed, or that there are too many to name: look at
	// everything. Paths may then be incomplete.
	Rescan bool
	// Extra are those of Options.Extra, as given there, that may have changed. Sorted.
	Extra []string
}

// Status is how well the watcher sees.
type Status struct {
	// Mode is "inotify" when every folder has a watch, "poll" when some or all are polled, "client"
	// when only the editor tells.
	Mode string
	// Watches and Polled count folders.
	Watches, Polled int
	// Err says why folders are polled and what to do about it; "" when none are.
	Err string
}

// Watcher follows one root. Its methods may be called from any goroutine.
type Watcher struct {
	opts    Options
	root    string
	log     *slog.Logger
	maxWait time.Duration

	out      chan Batch
	refresh  chan struct{} // capacity 1: a request is pending or not
	overflow chan struct{} // capacity 1: events were lost
	injected injectBox
	status   atomic.Pointer[Status]

	cookies cookies

	cancel context.CancelFunc
	done   chan struct{} // closed when the goroutine has ended

	// All below belongs to the goroutine of run (before it starts, to Start).

	ctx        context.Context
	fs         *fsnotify.Watcher // nil when the system gives none
	fsErrors   sync.WaitGroup    // the reader of fs.Errors
	folders    map[string]*folder
	ids        map[fileID]string // identity → folder of the tree, for those that are watched
	held       map[string]int    // absolute path → how many want its watch
	limit      int               // of watches; below the budget after the system refused one
	limitErr   string            // why the system gives fewer watches than the budget; "" when it does not
	beyondErr  string            // what to say when the budget itself is used up
	polled     map[string]struct{}
	pollQueue  []string
	pollSpent  time.Duration
	extras     []*extra
	points     map[string][]*extra // watched folder → extras that hang on it
	rootID     fileID
	rootGone   bool
	pend       pending
	rewalk     bool // look for lost folders before the next batch
	ready      bool // pend is due
	sending    *Batch
	first      time.Time // when the oldest of pend came; zero: pend is empty
	last       time.Time
	flushTimer *time.Timer
	pollTimer  *time.Timer
	pollArmed  bool
}

// Start sets all watches and returns; it fails when the root is no folder or ctx ends meanwhile.
// Where the system gives no or not enough watches it does not fail but polls: see Status. The
// watcher runs until Close or until ctx ends; Close must be called in both cases.
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
	w.root = root
	w.ctx, w.cancel = context.WithCancel(ctx)
	w.rootID = idOf(info)
	if w.opts.Budget > 0 {
		w.openSystem()
		w.setExtras()
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

// newWatcher fills in the defaults.
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
	return &Watcher{
		opts: opts, log: log,
		beyondErr: fmt.Sprintf("the budget of %d watches is used up: the other folders are polled; "+
			"ignore folders that do not matter, or raise fs.inotify.max_user_watches", opts.Budget),
		maxWait: max(defaultMaxWait, opts.Debounce),
		out:     make(chan Batch), refresh: make(chan struct{}, 1), overflow: make(chan struct{}, 1),
		injected: injectBox{wake: make(chan struct{}, 1)},
		done:     make(chan struct{}),
		folders:  map[string]*folder{}, ids: map[fileID]string{}, held: map[string]int{},
		polled: map[string]struct{}{}, points: map[string][]*extra{}, limit: max(opts.Budget, 0),
		flushTimer: stoppedTimer(), pollTimer: stoppedTimer(),
	}
}

// Batches returns what changed. A reader that is slow finds batches merged, never lost; what waits
// is bounded, beyond that it becomes a Rescan. The channel is closed when the watcher has ended.
func (w *Watcher) Batches() <-chan Batch { return w.out }

// Inject adds what somebody else saw, such as the editor's didChangeWatchedFiles: paths relative to
// the root with slashes, or absolute ones below it or among Options.Extra. Others are left out. It
// never blocks.
func (w *Watcher) Inject(paths []string) { w.injected.put(paths) }

// Refresh asks for watches to be added and dropped by IgnoredDir, after the ignore rules changed.
// It does not wait; a folder that is watched from now on comes in a batch, in Dirs.
func (w *Watcher) Refresh() {
	select {
	case w.refresh <- struct{}{}:
	default:
	}
}

// Status returns how well the watcher sees now.
func (w *Watcher) Status() Status { return *w.status.Load() }

// Close ends the watcher and waits for its goroutines. What was not read is dropped.
func (w *Watcher) Close() error {
	w.cancel()
	<-w.done
	return nil
}

// openSystem asks the system for a watcher. Its errors are read by a goroutine of their own:
// fsnotify sends some while holding the lock that Add needs, so one goroutine doing both would
// block forever.
func (w *Watcher) openSystem() {
	fs, err := fsnotify.NewBufferedWatcher(eventBuffer)
	if err == nil {
		if err = w.opts.refuse(""); err != nil {
			_ = fs.Close()
		}
	}
	if err != nil {
		w.limitErr = "the system gives no more watchers (fs.inotify.max_user_instances): folders are polled; " +
			"raise the limit with sysctl"
		if !exhausted(err) {
			w.limitErr = "the system gives no watcher, folders are polled: " + err.Error()
		}
		w.log.Warn("watching by polling", "err", err)
		return
	}
	w.fs, w.limitErr = fs, ""
	w.watchCookies()
	w.fsErrors.Go(func() {
		for err := range fs.Errors {
			if errors.Is(err, fsnotify.ErrEventOverflow) || !harmless(err) {
				select {
				case w.overflow <- struct{}{}:
				default:
				}
			}
		}
	})
}

// closeSystem gives the system's watcher back and waits for its goroutines.
func (w *Watcher) closeSystem() {
	if w.fs != nil {
		if err := w.fs.Close(); err != nil {
			w.log.Warn("closing the system's watcher", "err", err)
		}
		w.cookies.disable()
		w.fsErrors.Wait()
		w.fs = nil
	}
}
