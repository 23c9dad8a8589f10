package indexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/contexture-dev/contexture/indexer/history"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/indexer/store"
	"github.com/contexture-dev/contexture/indexer/watch"
)

// writer owns the index's state. Only its goroutine (run) changes parts, files and history; slow
// work (embedding, reading the history) runs concurrently on snapshots and returns its result
// through tasks.
type writer struct {
	x        *Index
	tree     *source.Tree
	log      *slog.Logger
	disk     *segmentStore
	manifest *manifest

	history *historyIndex
	paused  bool

	encoding *encoding
	still    atomic.Bool // paused, for other goroutines

	watcher  watcher
	mail     mailbox
	epoch    atomic.Uint64 // incremented with every rebuild: what was embedded for an older one is dropped
	wake     chan struct{} // wakes the embedder
	lookBack chan struct{} // HEAD may have moved
	status   statusBoard
	suspects suspects
	settled  uint64       // the version at which the store had no pending work
	mapped   atomic.Int64 // bytes of the parts' files
	retry    retry        // walks the workspace again after a transient error
}

// watcher is the watch on the disk. Only the writer's goroutine uses it.
type watcher struct {
	tree   *source.Tree
	dir    string // the index's own
	log    *slog.Logger
	status *statusBoard
	w      *watch.Watcher // nil before it is started or without Options.Watch
}

func (w *watcher) inject(paths []string) {
	if w.w != nil {
		w.w.Inject(paths)
	}
}

func (w *watcher) batches() <-chan watch.Batch {
	if w.w == nil {
		return nil
	}
	return w.w.Batches()
}

func newWriter(x *Index, db *store.Store) *writer {
	disk := &segmentStore{db: db, dir: x.opts.Dir, log: x.opts.Logger, redactID: x.opts.RedactID, mappedBytes: cmp.Or(x.opts.mapped, mappedBytes)}
	rules := fmt.Sprint(x.opts.Include, x.opts.Exclude, x.opts.MaxFileBytes, x.opts.FollowLinks)
	w := &writer{
		x: x, tree: x.tree, log: x.opts.Logger, disk: disk, manifest: newManifest(disk, rules), paused: x.opts.Paused, retry: newRetry(),
		wake: make(chan struct{}, 1), lookBack: make(chan struct{}, 1),
		mail: mailbox{tasks: make(chan func(context.Context), 64), ready: make(chan struct{}, 1)},
	}
	w.watcher = watcher{tree: x.tree, dir: disk.dir, log: disk.log, status: &w.status}
	w.encoding = newEncoding(w)
	w.still.Store(w.paused)
	w.status.state, w.status.skipped, w.status.mode = Scanning, map[source.Reason]int{}, "poll"
	return w
}

// mailbox holds work for one goroutine, which receives it from tasks, and by take when ready is
// signalled. Its methods may be called from others.
type mailbox struct {
	tasks chan func(context.Context)
	ready chan struct{}
	mu    sync.Mutex
	list  []func(context.Context) // guarded by mu; in the order of sending
}

// send queues work. It never blocks.
func (m *mailbox) send(f func(context.Context)) {
	m.mu.Lock()
	m.list = append(m.list, f)
	m.mu.Unlock()
	poke(m.ready)
}

// hand waits until f has run, or ctx is done, and reports whether it has. If not, f may still run,
// and nothing that it writes may be read.
func (m *mailbox) hand(ctx context.Context, f func()) bool {
	done := make(chan struct{})
	select {
	case m.tasks <- func(context.Context) { f(); close(done) }:
	case <-ctx.Done():
		return false
	}
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

func (m *mailbox) take() []func(context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.list
	m.list = nil
	return list
}

// publish makes the state visible to new requests.
func (w *writer) publish() {
	w.manifest.version++
	s := newSnapshot(w.manifest.version, append([]*part(nil), w.manifest.parts...), w.tree, w.history)
	s.reparse, s.vectors.asked = w.x.cut, &w.x.asked
	s.lend(&w.x.scratch)
	before := w.x.current.Load()
	if before != nil {
		s.vectors.encoded = w.encoding.offered.serving(s.layout.parts, before.vectors.encoded)
	}
	w.x.current.Store(s)
	w.mapped.Store(w.manifest.mappedSize())
	_, pending := s.vectors.builtin()
	w.status.update(func() { w.status.pending = pending })
	w.x.changes.signal()
	if before != nil && s.parsedSince(before) {
		poke(w.encoding.wake)
	}
}

// run is the writer's goroutine.
func (w *writer) run(ctx context.Context) {
	helpers := w.x.start(ctx, w.embedLoop, w.historyLoop, w.encoding.loop, w.healLoop)
	defer helpers()
	if w.x.opts.Watch && !w.paused {
		w.startWatch(ctx)
	}
	defer w.watcher.stop()
	defer w.retry.timer.Stop()
	if !w.paused {
		w.syncAll(ctx)
	} else {
		w.idle()
	}
	for {
		select {
		case <-ctx.Done():
			return
		case f := <-w.mail.tasks:
			f(ctx)
		case <-w.mail.ready:
			for _, f := range w.mail.take() {
				f(ctx)
			}
		case <-w.retry.timer.C:
			w.retryNow(ctx)
		case b, ok := <-w.watcher.batches():
			if !ok {
				w.watcher.w = nil
				continue
			}
			w.handle(ctx, b)
		}
	}
}

// start runs loops until ctx is done; the returned function waits for them to end.
func (x *Index) start(ctx context.Context, loops ...func(context.Context)) (wait func()) {
	done := make(chan struct{}, len(loops))
	for _, l := range loops {
		go func() {
			l(ctx)
			done <- struct{}{}
		}()
	}
	return func() {
		for range loops {
			<-done
		}
	}
}

// start starts to watch the workspace; false means that the system refuses, as the status says.
func (w *watcher) start(ctx context.Context) bool {
	var extra []string
	if gitDir, common, ok := history.GitDirs(w.tree.Root()); ok {
		extra = gitFiles(gitDir, common)
	}
	extra = append(extra, w.tree.RulesFiles()...)
	started, err := watch.Start(ctx, watch.Options{Root: w.tree.Root(), IgnoredDir: w.tree.IgnoredDir, Extra: extra, Logger: w.log,
		Cookies: filepath.Join(w.dir, "sync")})
	if err != nil {
		w.log.Warn("watch the workspace", "err", err)
		w.status.update(func() {
			w.status.mode, w.status.watches = "poll", 0
			w.status.unseen = fmt.Sprintf("watch the workspace: %v; changes are found by the next scan", err)
		})
		return false
	}
	w.w = started
	w.report()
	return true
}

// report puts the coverage of the watch into the status.
func (w *watcher) report() {
	if w.w == nil {
		return
	}
	st := w.w.Status()
	w.status.update(func() { w.status.mode, w.status.watches, w.status.unseen = st.Mode, st.Watches, st.Err })
}

func (w *watcher) stop() {
	if w.w != nil {
		if err := w.w.Close(); err != nil {
			w.log.Warn("stop watching", "err", err)
		}
		w.w = nil
	}
}

// startWatch watches the workspace, or retries later.
func (w *writer) startWatch(ctx context.Context) {
	if !w.watcher.start(ctx) {
		w.retry.later()
	}
}

// handle processes one batch of changes.
func (w *writer) handle(ctx context.Context, b watch.Batch) {
	if w.paused {
		return
	}
	rules := false
	for _, p := range b.Paths {
		rules = rules || w.tree.RulesFile(p)
	}
	for _, p := range b.Extra {
		rules = rules || w.tree.RulesFile(p)
	}
	if len(b.Extra) > 0 {
		poke(w.lookBack)
	}
	switch {
	case rules:
		w.tree.Reload()
		if w.watcher.w != nil {
			w.watcher.w.Refresh()
		}
		w.syncAll(ctx)
	case b.Rescan:
		w.syncAll(ctx)
	default:
		w.syncPaths(ctx, b.Paths, b.Dirs)
	}
	w.watcher.report()
}

func poke(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

func (w *writer) idle() {
	w.status.update(func() {
		w.status.state, w.status.queue = Idle, 0
		w.status.total = w.manifest.known.total()
		w.status.indexed = w.x.opts.Now()
		w.status.disk = w.diskBytes()
	})
	w.x.changes.signal()
	poke(w.encoding.wake)
}

func (w *writer) fail(doing string, err error) {
	w.log.Error(doing, "err", err)
	w.status.fault(fmt.Sprintf("%s: %v", doing, err))
	w.status.busy(Failed)
	w.x.changes.signal()
}

func (w *writer) setPaused(ctx context.Context, p bool) {
	if w.paused == p {
		return
	}
	w.paused = p
	w.still.Store(p)
	poke(w.encoding.wake)
	if p {
		w.watcher.stop()
		return
	}
	if w.x.opts.Watch {
		w.startWatch(ctx)
	}
	w.syncAll(ctx)
}

func (w *writer) rebuild(ctx context.Context, embeddingsOnly bool) {
	if embeddingsOnly {
		w.encoding.remakeAll()
		for i, p := range w.manifest.parts {
			q := *p
			q.vec = nil
			w.manifest.parts[i] = &q
		}
		b := w.disk.db.NewBatch()
		var err error
		for _, p := range w.manifest.parts {
			err = errors.Join(err, b.Delete(vectorFileKey(p.seg.id)))
		}
		if err := errors.Join(err, b.DeletePrefix(keyVector), b.Commit()); err != nil {
			w.unsaved(err)
		}
		w.publish()
		w.epoch.Add(1) // after publish: with the new epoch, no snapshot from before can be read
		w.idle()
		poke(w.wake)
		return
	}
	version := w.manifest.version
	err := w.manifest.reset()
	w.manifest.version, w.history, w.suspects = version, nil, nil
	if err := errors.Join(err, w.suspects.keep(w.disk.db)); err != nil {
		w.unsaved(err)
	}
	w.tree.Reload()
	w.publish()
	w.epoch.Add(1)
	poke(w.lookBack)
	w.syncAll(ctx)
}
