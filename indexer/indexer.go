// Package indexer keeps the index of one workspace: the content of its files (chunks, words,
// symbols, vectors) and their Git history, up to date with the disk and searchable through
// immutable snapshots.
//
// Open starts it; Snapshot returns a consistent state to search; Status returns its progress.
// Everything it stores is derived from the workspace and may be deleted.
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

// Options are what to index and where to store the index.
type Options struct {
	Root string // absolute
	Dir  string // the index's own folder; created if it does not exist
	// Include, Exclude, Own, MaxFileBytes, FollowLinks and GlobalIgnore are those of
	// source.Options. Dir is always the program's own.
	Include, Exclude []string
	Own              []string
	MaxFileBytes     int64
	FollowLinks      bool
	GlobalIgnore     string
	Home             string
	// Count returns the exact number of tokens of a text. Required; must be safe for concurrent
	// use.
	Count func([]byte) int
	// Workers bound the files parsed at once; 0 = one per processor.
	Workers int
	// Shelf stores the vectors of a model outside the program, see SetModel; nil keeps them only in
	// memory. It belongs to the caller.
	Shelf *encode.Shelf
	// Shared exchanges the vectors of models that are encode.Portable with other machines; nil
	// exchanges none. It belongs to the caller.
	Shared encode.Shared
	// Watch keeps the index up to date after the first pass; without it only Rebuild reads the disk
	// again.
	Watch bool
	// Paused postpones all work on the index until it is resumed.
	Paused bool
	// Redact returns the part of a text that may be indexed, stored and shown; nil = all of it.
	// Every text passes it: files each time they are read, buffers, commit messages, queries to a
	// model. See source.Options.Redact.
	Redact func(path string, text []byte) []byte
	// RedactID identifies what Redact does: an index made under another one is rebuilt from the
	// workspace.
	RedactID string
	Now      func() time.Time // nil = time.Now
	mapped   int              // tests: the size from which a segment is a file; 0 = mappedBytes
	patience time.Duration    // tests: that of a lookup in Shared; 0 = sharedPatience
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
	asked   queryCache
	renames renames
	resting idleTimer
	scratch lexical.Scratch // of its snapshots

	redactions lastRedactions
}

// Open checks the root, opens the store (rebuilding it when it is damaged) and starts indexing in
// the background. Errors: those of source.Open name the root; *store.LockedError names the process
// that holds the folder.
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
		FollowLinks: opts.FollowLinks, GlobalIgnore: opts.GlobalIgnore, Home: opts.Home, Redact: newRedact(opts.Redact), Now: opts.Now,
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

// openWriter opens the store and loads the state. A store that is damaged, or was redacted
// differently, is removed and recreated; the damage is reported once in the log and in the status.
func openWriter(x *Index) (*writer, error) {
	db, err := store.Open(x.opts.Dir, x.opts.Logger)
	var known suspects
	if err == nil {
		w := newWriter(x, db)
		if err = w.open(); err == nil {
			return w, nil
		}
		known = w.suspects
		if err := db.Close(); err != nil {
			x.opts.Logger.Debug("close the index that cannot be used", "err", err)
		}
	}
	var corrupt *store.CorruptError
	if !errors.As(err, &corrupt) && !errors.Is(err, errOtherRedaction) {
		return openDetached(x, err)
	}
	x.opts.Logger.Warn("index is removed and rebuilt", "dir", filepath.Base(x.opts.Dir), "err", err)
	if err := os.RemoveAll(x.opts.Dir); err != nil {
		return openDetached(x, fmt.Errorf("remove index: %w", err))
	}
	if db, err = store.Open(x.opts.Dir, x.opts.Logger); err != nil {
		return openDetached(x, err)
	}
	w := newWriter(x, db)
	w.suspects = known
	if corrupt != nil {
		w.status.fault(fmt.Sprintf("the index was damaged (%v) and has been rebuilt", corrupt.Err))
	}
	if err := errors.Join(w.manifest.reset(), w.suspects.keep(w.disk.db)); err != nil {
		w.unsaved(err)
	}
	return w, nil
}

// open loads the state, unless that was redacted differently.
func (w *writer) open() error {
	other := w.disk.sameRedaction()
	if other == nil {
		if err := w.manifest.load(); err != nil {
			return err
		}
		w.manifest.sweep() // what a crash has left
	}
	var err error
	w.suspects, err = loadSuspects(w.disk.db, w.x.opts.Dir)
	return errors.Join(other, err)
}

// Snapshot returns the current state; release must be called when it is no longer used.
func (x *Index) Snapshot() (s *Snapshot, release func()) {
	end := x.read()
	s = x.current.Load()
	return s, func() {
		end()
		runtime.KeepAlive(s) // the collector unmaps segments that no snapshot holds
	}
}

// Tree returns the workspace's files and rules.
func (x *Index) Tree() *source.Tree { return x.tree }

// Changed returns a channel that is closed at the next change of the status.
func (x *Index) Changed() <-chan struct{} { return x.changes.wait() }

// Notify reports paths (relative, slash) that an editor saw changing.
func (x *Index) Notify(paths []string) {
	x.w.mail.send(func(ctx context.Context) { x.w.watcher.inject(paths) })
}

// Rebuild discards everything, or only the embeddings, and makes it again in the background.
func (x *Index) Rebuild(embeddingsOnly bool) {
	x.w.status.busy("scanning")
	x.changes.signal()
	x.w.mail.send(func(ctx context.Context) { x.w.rebuild(ctx, embeddingsOnly) })
}

// SetPaused pauses or resumes the background work; snapshots stay searchable.
func (x *Index) SetPaused(p bool) {
	x.w.mail.send(func(ctx context.Context) { x.w.setPaused(ctx, p) })
}

// Wait blocks until nothing that the index knows of is left to do; its error is ctx's. A change of
// the disk reaches the index with the watcher's delay: a caller that has just written must poll for
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

// syncPatience bounds how long [Index.Look] waits for the watcher before it reads the disk itself.
const syncPatience = 500 * time.Millisecond

// Look blocks until the index knows of all changes on disk before the call; bringing them in may
// take longer, see [Index.Wait]. If the system does not report every change it checks all files.
// Error: ctx's.
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
	return x.do(ctx, func(context.Context) {}) // by then the last batch has been brought in
}

// do runs a function on the writer's goroutine and waits for it. Error: ctx's; if that is done
// already, the function is not run. The index must not be closed meanwhile.
func (x *Index) do(ctx context.Context, f func(context.Context)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := make(chan struct{})
	x.w.mail.send(func(ctx context.Context) {
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

// broadcast wakes all waiting goroutines.
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
