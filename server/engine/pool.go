package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/indexer/encode"
	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/server/secrets"
	"github.com/contexture-dev/contexture/server/settings"
	"github.com/zeebo/xxh3"
)

// IndexOptions are the settings of an index.
type IndexOptions struct {
	include, exclude []string
	maxFileBytes     int64
	followLinks      bool
	allow            []string // of secrets
	home             string   // of the client
	own              []string // see OwnPaths
}

// IndexOptionsOf returns the options for settings. home is the client's, own is what [OwnPaths]
// returns.
func IndexOptionsOf(s *settings.Settings, home string, own []string) IndexOptions {
	return IndexOptions{s.Index.Include, s.Index.Exclude, s.Index.MaxFileBytes, s.Index.FollowLinks, s.Secrets.Allow, home, own}
}

// Equal reports whether one index can serve both.
func (o IndexOptions) Equal(p IndexOptions) bool {
	return slices.Equal(o.include, p.include) && slices.Equal(o.exclude, p.exclude) && slices.Equal(o.allow, p.allow) &&
		o.maxFileBytes == p.maxFileBytes && o.followLinks == p.followLinks && o.home == p.home && slices.Equal(o.own, p.own)
}

func (o IndexOptions) hash() uint64 {
	return xxh3.HashString(fmt.Sprintf("%q %q %d %t %q %q %q", o.include, o.exclude, o.maxFileBytes, o.followLinks, o.allow, o.home, o.own))
}

// IndexPool holds the open indexes of a process, each shared by the sessions with the same root and
// the same options. Safe for concurrent use.
type IndexPool struct {
	dir      string
	home     string // of the person
	count    func([]byte) int
	shelf    *encode.Shelf
	shared   func(root string) encode.Shared
	scanners *Scanners
	now      func() time.Time
	log      *slog.Logger
	// keep is how long an unused index stays open, so that the next session need not wait; 0 = not
	// at all.
	keep time.Duration

	mu    sync.Mutex // guards open, ended and their contents
	open  map[string]*pooledIndex
	ended bool
}

// maxKept bounds the unused indexes that stay open.
const maxKept = 3

// pooledIndex is an index that is open, being opened or being closed.
type pooledIndex struct {
	options IndexOptions
	refs    int           // 0 = being closed, or kept
	kept    *time.Timer   // closes it later; nil unless it is kept
	order   int64         // order of being kept, for closing the oldest first
	ready   chan struct{} // closed when index or err is set
	gone    chan struct{} // closed when it is closed
	index   *indexer.Index
	err     error
	pausers int // sessions that want it paused
}

// Lease is one session's share of an index.
type Lease struct {
	Index *indexer.Index // must not be used after Release
	// Before is the status of an index that was open before, as it was then; nil where Acquire has
	// opened it.
	Before *indexer.Status
	pool   *IndexPool
	name   string // of shared in the pool
	shared *pooledIndex
	paused bool // the session wants it paused; guarded by IndexPool.mu
	ended  sync.Once
}

func newIndexPool(opts Options, count func([]byte) int, shelf *encode.Shelf, scanners *Scanners) *IndexPool {
	return &IndexPool{
		keep: opts.KeepOpen, home: opts.Home, dir: filepath.Join(opts.StateDir, "index"), count: count, shelf: shelf, shared: opts.Shared, scanners: scanners, now: opts.Now, log: opts.Logger, open: map[string]*pooledIndex{},
	}
}

// Acquire opens the index of a root, or shares the open one; it blocks while another caller opens
// or closes it. Two different sets of options for one root get two indexes. Errors are ctx's and
// those of indexer.Open.
func (p *IndexPool) Acquire(ctx context.Context, root string, o IndexOptions, paused bool) (*Lease, error) {
	name := folderName(root)
	for {
		p.mu.Lock()
		e := p.open[name]
		switch {
		case e == nil:
			e = &pooledIndex{options: o, refs: 1, ready: make(chan struct{}), gone: make(chan struct{})}
			p.open[name] = e
			p.mu.Unlock()
			return p.start(ctx, name, root, e, paused)
		case e.kept != nil && e.options.Equal(o):
			e.kept.Stop()
			e.kept = nil
		case e.kept != nil:
			e.kept.Stop()
			e.kept = nil
			p.mu.Unlock()
			p.end(name, e)
			continue
		case e.refs == 0:
			p.mu.Unlock()
			select {
			case <-e.gone:
				continue
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		case !e.options.Equal(o):
			p.mu.Unlock()
			name = fmt.Sprintf("%s-%08x", folderName(root), uint32(o.hash()))
			continue
		}
		e.refs++
		p.mu.Unlock()
		<-e.ready
		if e.err != nil {
			return nil, e.err
		}
		st := e.index.Status()
		l := &Lease{Index: e.index, Before: &st, pool: p, name: name, shared: e}
		l.Pause(paused)
		return l, nil
	}
}

// start opens the index of a new entry.
func (p *IndexPool) start(ctx context.Context, name, root string, e *pooledIndex, paused bool) (*Lease, error) {
	defer close(e.ready)
	scanner := p.scanners.Of(e.options.allow)
	p.mark()
	var shared encode.Shared
	if p.shared != nil {
		shared = p.shared(root)
	}
	e.index, e.err = indexer.Open(ctx, indexer.Options{
		Root: root, Dir: filepath.Join(p.dir, name), Include: e.options.include, Exclude: e.options.exclude, Own: e.options.own, MaxFileBytes: e.options.maxFileBytes,
		FollowLinks: e.options.followLinks, Home: e.options.home, Count: p.count, Shelf: p.shelf, Shared: shared, Watch: true, Paused: paused, Now: p.now, Logger: p.log,
		Redact: redactFiles(scanner), RedactID: scanner.ID(),
	})
	if e.err != nil {
		p.mu.Lock()
		delete(p.open, name)
		p.mu.Unlock()
		return nil, e.err
	}
	p.note(name, root)
	l := &Lease{Index: e.index, pool: p, name: name, shared: e}
	l.Pause(paused)
	return l, nil
}

// OpenBuffers opens the index of an empty folder in dir, over which buffers are laid. The caller
// must close it.
func (p *IndexPool) OpenBuffers(ctx context.Context, root, dir string, scanner *secrets.Scanner) (*indexer.Index, error) {
	return indexer.Open(ctx, indexer.Options{
		Root: root, Dir: dir, Home: p.home, Count: p.count, Now: p.now, Logger: p.log, Redact: redactFiles(scanner), RedactID: scanner.ID(),
	})
}

// mark marks the state directory for the indexes of other processes.
func (p *IndexPool) mark() {
	state := filepath.Dir(p.dir)
	err := os.MkdirAll(state, 0o700)
	if err == nil {
		err = source.MarkState(state)
	}
	if err != nil {
		p.log.Warn("another process may index the state directory", "err", err)
	}
}

// redactFiles returns a function that removes secrets from what an index reads.
func redactFiles(scanner *secrets.Scanner) func(path string, text []byte) []byte {
	return func(_ string, text []byte) []byte {
		text, _ = scanner.RedactBytes(text)
		return text
	}
}

// Pause records whether the session wants the index paused. It is paused while any session wants
// that. Pause does not block.
func (l *Lease) Pause(want bool) {
	l.pool.mu.Lock()
	defer l.pool.mu.Unlock()
	if l.paused == want {
		return
	}
	if l.paused = want; want {
		l.shared.pausers++
	} else {
		l.shared.pausers--
	}
	l.Index.SetPaused(l.shared.pausers > 0) // does not block
}

// Release returns the index. The last release closes it and blocks until that is done; calling it
// again does nothing.
func (l *Lease) Release() {
	l.ended.Do(func() {
		p, e := l.pool, l.shared
		p.used(l.name)
		p.mu.Lock()
		e.refs--
		last := e.refs == 0
		stays := last && !l.paused && p.keepLocked(l.name, e)
		p.mu.Unlock()
		switch {
		case !last:
			l.Pause(false)
		case !stays:
			p.end(l.name, e)
		}
	})
}

// keepLocked keeps an unused index open, and reports whether it does. If there are too many, the
// oldest is closed. The caller must hold mu.
func (p *IndexPool) keepLocked(name string, e *pooledIndex) bool {
	if p.keep <= 0 || p.ended || e.index.Status().State == indexer.Failed {
		return false
	}
	var oldest *pooledIndex
	oldestName, n := "", 0
	for other, o := range p.open {
		if o.kept == nil {
			continue
		}
		e.order = max(e.order, o.order+1)
		if n++; oldest == nil || o.order < oldest.order {
			oldest, oldestName = o, other
		}
	}
	if n >= maxKept {
		oldest.kept.Stop()
		oldest.kept = nil
		go p.end(oldestName, oldest) // close waits for gone
	}
	var timer *time.Timer
	timer = time.AfterFunc(p.keep, func() {
		p.mu.Lock()
		due := e.kept == timer
		if due {
			e.kept = nil
		}
		p.mu.Unlock()
		if due {
			p.end(name, e)
		}
	})
	e.kept = timer
	return true
}

// end closes an unused index.
func (p *IndexPool) end(name string, e *pooledIndex) {
	if err := e.index.Close(); err != nil {
		p.log.Warn("close index", "err", err)
	}
	p.mu.Lock()
	delete(p.open, name)
	p.mu.Unlock()
	close(e.gone)
}

// close closes the kept indexes, and reports indexes that were not released.
func (p *IndexPool) close() error {
	p.mu.Lock()
	p.ended = true
	var going []*pooledIndex
	for name, e := range p.open {
		if e.refs > 0 {
			continue
		}
		going = append(going, e)
		if e.kept != nil {
			e.kept.Stop()
			e.kept = nil
			go p.end(name, e)
		}
	}
	p.mu.Unlock()
	for _, e := range going {
		<-e.gone
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.open); n > 0 {
		return errors.New("close: " + fmt.Sprint(n) + " indexes are still in use")
	}
	return nil
}

// folderName returns the name of a root's folder in the state directory: readable and, by the hash,
// unique.
func folderName(root string) string {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	base := strings.Map(func(r rune) rune {
		if r < 0x20 || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, filepath.Base(root))
	const most = 60 // bytes; file systems allow 255
	if len(base) > most {
		base = strings.ToValidUTF8(base[:most], "")
	}
	return fmt.Sprintf("%s-%016x", base, xxh3.HashString(root))
}

// Statuses returns those of the indexes that sessions have open.
func (p *IndexPool) Statuses() []indexer.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []indexer.Status
	for _, e := range p.open {
		select {
		case <-e.ready:
			if e.err == nil && e.refs > 0 {
				out = append(out, e.index.Status())
			}
		default:
		}
	}
	return out
}

// Opened returns the statuses of the indexes of a root that sessions of this process have open, or
// had recently: they show a session that opens one later what was done for others before. An index
// may be closed at any time, so the keys are only for comparison.
func (v *Engine) Opened(root string) map[*indexer.Index]indexer.Status {
	p, name := v.Indexes, folderName(root)
	out := map[*indexer.Index]indexer.Status{}
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, e := range p.open {
		if e.refs == 0 && e.kept == nil || key != name && !strings.HasPrefix(key, name+"-") {
			continue
		}
		select {
		case <-e.ready:
			if e.err == nil {
				out[e.index] = e.index.Status()
			}
		default:
		}
	}
	return out
}
