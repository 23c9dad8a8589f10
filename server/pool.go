package server

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

// indexOptions are the settings that an index is made with.
type indexOptions struct {
	include, exclude []string
	maxFileBytes     int64
	followLinks      bool
	allow            []string // of secrets
	home             string   // of the client
	own              []string // see ownPaths
}

func indexOptionsOf(s *settings.Settings, home string, own []string) indexOptions {
	return indexOptions{s.Index.Include, s.Index.Exclude, s.Index.MaxFileBytes, s.Index.FollowLinks, s.Secrets.Allow, home, own}
}

func (o indexOptions) equal(p indexOptions) bool {
	return slices.Equal(o.include, p.include) && slices.Equal(o.exclude, p.exclude) && slices.Equal(o.allow, p.allow) &&
		o.maxFileBytes == p.maxFileBytes && o.followLinks == p.followLinks && o.home == p.home && slices.Equal(o.own, p.own)
}

func (o indexOptions) hash() uint64 {
	return xxh3.HashString(fmt.Sprintf("%q %q %d %t %q %q %q", o.include, o.exclude, o.maxFileBytes, o.followLinks, o.allow, o.home, o.own))
}

// pool holds the open indexes of a process, each shared by those who ask for the same root with the same options.
// Safe for concurrent use.
type pool struct {
	dir      string
	count    func([]byte) int
	shelf    *encode.Shelf
	scanners *scanners
	now      func() time.Time
	log      *slog.Logger
	// keep is how long an index stays open that nobody uses, so that the next to ask for it need not wait; 0 = not at all.
	keep time.Duration

	mu    sync.Mutex // guards open, ended and what is in it
	open  map[string]*shared
	ended bool
}

// keptMost is how many indexes that nobody uses stay open.
const keptMost = 3

// shared is an index that is open, is being opened or is being closed.
type shared struct {
	options indexOptions
	refs    int           // 0 = being closed, or kept
	kept    *time.Timer   // ends the keeping; nil where it is not kept
	order   int64         // of being kept, for the oldest to go first
	ready   chan struct{} // closed when index or err is there
	gone    chan struct{} // closed when it is closed
	index   *indexer.Index
	err     error
	pausers int // sessions that want it to rest
}

// lease is one session's share of an index.
type lease struct {
	index  *indexer.Index
	pool   *pool
	name   string // of shared in the pool
	shared *shared
	paused bool // the session wants it to rest; guarded by pool.mu
	ended  sync.Once
}

func newPool(opts Options, count func([]byte) int, shelf *encode.Shelf, scanners *scanners) *pool {
	return &pool{
		keep: opts.KeepOpen, dir: filepath.Join(opts.StateDir, "index"), count: count, shelf: shelf, scanners: scanners, now: opts.Now, log: opts.Logger, open: map[string]*shared{},
	}
}

// acquire opens the index of a root, or shares the one that is open. Two sets of options for one root at a time get two
// indexes.
func (p *pool) acquire(ctx context.Context, root string, o indexOptions, paused bool) (*lease, error) {
	name := folderName(root)
	for {
		p.mu.Lock()
		e := p.open[name]
		switch {
		case e == nil:
			e = &shared{options: o, refs: 1, ready: make(chan struct{}), gone: make(chan struct{})}
			p.open[name] = e
			p.mu.Unlock()
			return p.start(ctx, name, root, e, paused)
		case e.kept != nil && e.options.equal(o):
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
		case !e.options.equal(o):
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
		l := &lease{index: e.index, pool: p, name: name, shared: e}
		l.pause(paused)
		return l, nil
	}
}

// start opens the index of a new entry.
func (p *pool) start(ctx context.Context, name, root string, e *shared, paused bool) (*lease, error) {
	defer close(e.ready)
	scanner := p.scanners.of(e.options.allow)
	p.mark()
	e.index, e.err = indexer.Open(ctx, indexer.Options{
		Root: root, Dir: filepath.Join(p.dir, name), Include: e.options.include, Exclude: e.options.exclude, Own: e.options.own, MaxFileBytes: e.options.maxFileBytes,
		FollowLinks: e.options.followLinks, Home: e.options.home, Count: p.count, Shelf: p.shelf, Watch: true, Paused: paused, Now: p.now, Logger: p.log,
		Redact: redactFiles(scanner), RedactID: scanner.ID(),
	})
	if e.err != nil {
		p.mu.Lock()
		delete(p.open, name)
		p.mu.Unlock()
		return nil, e.err
	}
	p.note(name, root)
	l := &lease{index: e.index, pool: p, name: name, shared: e}
	l.pause(paused)
	return l, nil
}

// mark marks the state directory for the indexes of other processes.
func (p *pool) mark() {
	state := filepath.Dir(p.dir)
	err := os.MkdirAll(state, 0o700)
	if err == nil {
		err = source.MarkState(state)
	}
	if err != nil {
		p.log.Warn("another process may index the state directory", "err", err)
	}
}

// redactFiles takes secrets out of what an index reads.
func redactFiles(scanner *secrets.Scanner) func(path string, text []byte) []byte {
	return func(_ string, text []byte) []byte {
		text, _ = scanner.RedactBytes(text)
		return text
	}
}

// pause says whether the session wants the index to rest. It rests while any session does.
func (l *lease) pause(want bool) {
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
	l.index.SetPaused(l.shared.pausers > 0) // does not wait for it
}

// release gives the index back; the last one closes it and waits for that. More than once is once.
func (l *lease) release() {
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
			l.pause(false)
		case !stays:
			p.end(l.name, e)
		}
	})
}

// keepLocked keeps an index open that nobody uses any more, and reports whether it does. The one that was kept longest
// goes where there are too many. mu is held.
func (p *pool) keepLocked(name string, e *shared) bool {
	if p.keep <= 0 || p.ended || e.index.Status().State == indexer.Failed {
		return false
	}
	var oldest *shared
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
	if n >= keptMost {
		oldest.kept.Stop()
		oldest.kept = nil
		go p.end(oldestName, oldest) // close waits for it by gone
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

// end closes an index that nobody uses.
func (p *pool) end(name string, e *shared) {
	if err := e.index.Close(); err != nil {
		p.log.Warn("close index", "err", err)
	}
	p.mu.Lock()
	delete(p.open, name)
	p.mu.Unlock()
	close(e.gone)
}

// close closes what is kept, and reports indexes that nobody gave back.
func (p *pool) close() error {
	p.mu.Lock()
	p.ended = true
	var going []*shared
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

// folderName is the name of a root's folder in the state directory: readable and, by the hash, its own.
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
