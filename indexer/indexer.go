// Package indexer keeps the index of one workspace: what its files say (chunks, words, symbols,
// vectors) and what its Git history says of them, up to date with the disk and searchable through
// immutable snapshots.
//
// Open starts it; Snapshot gives a consistent state to search; Status tells how far it is.
// Everything it stores is derived from the workspace and may be thrown away.
package indexer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/indexer/store"
	"github.com/contexture-dev/contexture/indexer/watch"
)

// Options say what to index and where to keep it.
type Options struct {
	Root string // absolute
	Dir  string // the index's own folder; created when it is not there
	// Include, Exclude, Own, MaxFileBytes, FollowLinks and GlobalIgnore are those of
	// source.Options. Dir is always the program's own.
	Include, Exclude []string
	Own              []string
	MaxFileBytes     int64
	FollowLinks      bool
	GlobalIgnore     string
	Home             string
	// Count counts the tokens of a text exactly. Required; must be safe for concurrent use.
	Count func([]byte) int
	// Workers bound the files parsed at once; 0 = one per processor.
	Workers int
	// Shelf keeps what a model outside the program embeds, see SetModel; nil keeps it in memory
	// alone. It is the caller's.
	Shelf *encode.Shelf
	// Watch keeps the index up to date after the first pass; without it only Rebuild looks at the
	// disk again.
	Watch bool
	// Paused leaves the index as it is until Resume.
	Paused bool
	// Redact gives what of a text may be indexed, stored and shown; nil = all of it. Every text
	// passes it: files each time they are read, buffers, commit messages, queries to a model. See
	// source.Options.Redact.
	Redact func(path string, text []byte) []byte
	// RedactID names what Redact does: an index made under another one is made anew from the
	// workspace.
	RedactID string
	Now      func() time.Time // nil = time.Now
	mapped   int              // tests: the size from which on a segment lies in a file; 0 = mappedBytes
	Logger   *slog.Logger     // nil = none
}

// Index is the index of one workspace. Safe for concurrent use.
type Index struct {
	opts    Options
	tree    *source.Tree
	w       *writer
	current atomic.Pointer[Snapshot]

	cancel  context.CancelFunc
	owned   sync.WaitGroup // the goroutines that Close waits for
	changes *broadcast
	asked   askedBefore
	renames renames
	resting resting
	scratch lexical.Scratch // of its snapshots

	redactions lastRedactions
}

// Open checks the root, opens the store (rebuilding it when it is damaged) and starts indexing in
// the background. Errors: those of source.Open name the root; *store.LockedError tells which
// process holds the folder.
func Open(ctx context.Context, opts Options) (*Index, error) {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	tree, err := source.Open(source.Options{
		Root: opts.Root, Include: opts.Include, Exclude: opts.Exclude, Own: append([]string{opts.Dir}, opts.Own...), MaxFileBytes: opts.MaxFileBytes,
		FollowLinks: opts.FollowLinks, GlobalIgnore: opts.GlobalIgnore, Home: opts.Home, Redact: newRedact(opts.Redact),
	})
	if err != nil {
		return nil, err
	}
	x := &Index{opts: opts, tree: tree, changes: newBroadcast()}
	w, err := openWriter(x)
	if err != nil {
		return nil, err
	}
	x.w = w
	w.publish()
	ctx, x.cancel = context.WithCancel(context.WithoutCancel(ctx)) // the index outlives the request that opened it
	x.owned.Go(func() { w.run(ctx) })
	return x, nil
}

// openWriter opens the store and loads the state. A store that is damaged, or that was redacted in
// another way, is removed and begun anew; the damage is said once in the log and in the status.
func openWriter(x *Index) (*writer, error) {
	w := newWriter(x)
	err := w.open()
	if err == nil {
		return w, nil
	}
	var corrupt *store.CorruptError
	if !errors.As(err, &corrupt) && !errors.Is(err, errOtherRedaction) {
		if w.db != nil {
			if err := w.db.Close(); err != nil {
				x.opts.Logger.Debug("close the index that cannot be used", "err", err)
			}
		}
		return openDetached(x, err)
	}
	x.opts.Logger.Warn("index is removed and made anew", "dir", filepath.Base(x.opts.Dir), "err", err)
	strikes := w.strikes
	if w.db != nil {
		if err := w.db.Close(); err != nil {
			x.opts.Logger.Debug("close the index that is removed", "err", err)
		}
	}
	if err := os.RemoveAll(x.opts.Dir); err != nil {
		return openDetached(x, fmt.Errorf("remove index: %w", err))
	}
	w = newWriter(x)
	w.strikes = strikes
	if w.db, err = store.Open(x.opts.Dir, x.opts.Logger); err != nil {
		return openDetached(x, err)
	}
	if corrupt != nil {
		w.note(fmt.Sprintf("the index was damaged (%v) and has been rebuilt", corrupt.Err))
	}
	if err := errors.Join(w.reset(), w.keepStrikes()); err != nil {
		w.unsaved(err)
	}
	return w, nil
}

// open opens the store and loads the state, but for one that was redacted in another way.
func (w *writer) open() (err error) {
	if w.db, err = store.Open(w.dir, w.log); err != nil {
		return err
	}
	if err := w.sameRedaction(); err != nil {
		return errors.Join(err, w.loadStrikes())
	}
	if err := w.load(); err != nil {
		return err
	}
	w.sweep() // what a crash has left
	return w.loadStrikes()
}

// Snapshot returns the current state; release must be called when it is no longer used.
func (x *Index) Snapshot() (s *Snapshot, release func()) {
	end := x.read()
	s = x.current.Load()
	return s, func() {
		end()
		runtime.KeepAlive(s) // the collector frees and unmaps segments that no snapshot holds
	}
}

// mappedBytes is the size from which on a segment lies in a file.
func (x *Index) mappedBytes() int {
	if x.opts.mapped > 0 {
		return x.opts.mapped
	}
	return mappedBytes
}

// Tree is the workspace's files and rules.
func (x *Index) Tree() *source.Tree { return x.tree }

// Changed returns a channel that is closed at the next change of the status.
func (x *Index) Changed() <-chan struct{} { return x.changes.wait() }

// Notify tells of paths (relative, slash) that an editor saw changing.
func (x *Index) Notify(paths []string) {
	x.w.send(func(ctx context.Context) { x.w.watcher.inject(paths) })
}

// Rebuild throws away everything, or the embeddings only, and makes it again in the background.
func (x *Index) Rebuild(embeddingsOnly bool) {
	x.w.status.busy("scanning")
	x.changes.signal()
	x.w.send(func(ctx context.Context) { x.w.rebuild(ctx, embeddingsOnly) })
}

// SetPaused stops or resumes the background work; snapshots stay searchable.
func (x *Index) SetPaused(p bool) {
	x.w.send(func(ctx context.Context) { x.w.setPaused(ctx, p) })
}

// Wait returns when nothing that the index knows of is left to do, or with ctx's error. A change of
// the disk reaches the index with the watcher's delay: a caller that has just written must look for
// what it wrote.
func (x *Index) Wait(ctx context.Context) error {
	for {
		changed := x.Changed()
		if s := x.Status(); s.State == Idle && s.Queue == 0 && s.Pending == 0 || s.State == Failed {
			return ctx.Err()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// syncPatience bounds what [Index.Look] waits for the watcher before it looks at the disk itself.
const syncPatience = 500 * time.Millisecond

// Look returns when the index knows of all that changed on disk before the call; what it knows of
// may still be brought in, see [Index.Wait]. Where the system does not tell of every change it
// looks at all files. Error: ctx's.
func (x *Index) Look(ctx context.Context) error {
	var watcher *watch.Watcher
	paused := false
	if err := x.do(ctx, func(context.Context) { watcher, paused = x.w.watcher.w, x.w.paused }); err != nil || paused {
		return err
	}
	err := watch.ErrUnwatched
	if watcher != nil {
		patience, cancel := context.WithTimeout(ctx, syncPatience)
		err = watcher.Sync(patience)
		cancel()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return x.do(ctx, x.w.syncAll)
	}
	return x.do(ctx, func(context.Context) {}) // the batch that was taken last has been brought in then
}

// do has the writer's goroutine run a function and waits for it. Error: ctx's. The index must not
// be closed meanwhile.
func (x *Index) do(ctx context.Context, f func(context.Context)) error {
	done := make(chan struct{})
	x.w.send(func(ctx context.Context) {
		defer close(done)
		f(ctx)
	})
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close stops all work and closes the store.
func (x *Index) Close() error {
	x.cancel()
	x.owned.Wait()
	x.resting.end()
	return x.w.close()
}

// broadcast wakes everyone who waits.
type broadcast struct {
	mu sync.Mutex
	ch chan struct{} // guarded by mu; closed and replaced at each signal
}

func newBroadcast() *broadcast { return &broadcast{ch: make(chan struct{})} }

func (b *broadcast) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ch
}

func (b *broadcast) signal() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.ch)
	b.ch = make(chan struct{})
}
