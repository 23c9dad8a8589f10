package vectors

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
)

// Transport carries packs between the machines of a team. Implementations are safe for concurrent
// use; their errors are transient. model and repo consist of letters, digits, "-" and "_".
type Transport interface {
	// Connected reports whether the server answers. It does not block.
	Connected() bool
	// PutPack publishes a pack. It returns once the server has acknowledged it.
	PutPack(ctx context.Context, model, repo string, data []byte) error
	// Packs calls f for the packs published after a sequence number, 0 for all, in order and from
	// one goroutine, and continues with those published later until ctx ends or f fails. It calls
	// caughtUp from the same goroutine when f has had all packs that the server has, at least once.
	// data is f's. An error that wraps [ErrRewound] states that the server has lost packs.
	Packs(ctx context.Context, model, repo string, after uint64, f func(seq uint64, stored time.Time, data []byte) error, caughtUp func()) error
}

// ErrRewound means that the packs must be read from the first one: the server has lost some.
var ErrRewound = errors.New("the server has lost packs")

// Any is the repository of rows whose repository is unknown.
const Any = "any"

// Options are the parts of a [Share].
type Options struct {
	Key       []byte // the team's, at least 32 random bytes
	Dir       string // the cache's own folder; it may be removed at any time
	Transport Transport
	// CacheBytes bounds the cache of each model and repository; 0 = 1 GiB.
	CacheBytes int64
	// Patience bounds how long Rows waits until a model's rows of a repository have been read for
	// the first time in a connected process: in all without a pack, and ten times as long in all
	// while packs arrive; 0 = 20 s.
	Patience time.Duration
	// Gather is the time in which rows are collected for a pack, and up to twice of it at random;
	// a pack follows another within that time. A machine that reads packs of others meanwhile waits
	// again, a bounded number of times: machines with the same rows take turns.
	// 0 = 3 s.
	Gather time.Duration
	Now    func() time.Time // nil = time.Now
	Logger *slog.Logger     // nil = none
}

const (
	minKey          = 32
	defaultCache    = 1 << 30
	defaultPatience = 20 * time.Second
	defaultGather   = 3 * time.Second
	maxProbes       = 16
)

// Share exchanges the rows of a team. It is safe for concurrent use.
type Share struct {
	opts   Options
	ctx    context.Context // of the goroutines of feeds
	cancel context.CancelFunc
	owned  sync.WaitGroup
	counts counts

	mu     sync.Mutex // guards the fields below
	feeds  []*feed
	pruned bool // see prune
	closed bool
}

// New returns the share of a team. It opens nothing until an index needs it. Close must be called
// at the end. The error is about Options.
func New(ctx context.Context, opts Options) (*Share, error) {
	switch {
	case len(opts.Key) < minKey:
		return nil, errors.New("share embeddings: the team's key is too short")
	case opts.Transport == nil || opts.Dir == "":
		return nil, errors.New("share embeddings: the transport or the cache's folder is missing")
	}
	if opts.CacheBytes <= 0 {
		opts.CacheBytes = defaultCache
	}
	if opts.Patience <= 0 {
		opts.Patience = defaultPatience
	}
	if opts.Gather <= 0 {
		opts.Gather = defaultGather
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Share{opts: opts}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx)) // the share outlives the request that opened it
	return s, nil
}

// Close stops all exchange and saves the cache. Offered rows that were not published are offered
// again by the index that has them.
func (s *Share) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.owned.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, f := range s.feeds {
		err = errors.Join(err, f.close())
	}
	s.feeds = nil
	return err
}

// Repository returns the part of the share for an index. id returns the repository's id, which all
// clones have in common, or "" while it is unknown; it is called by each method and must not block.
func (s *Share) Repository(id func() string) *Repository { return &Repository{s, id} }

// Repository exchanges the rows of one repository. It is safe for concurrent use, and does nothing
// after its share was closed.
type Repository struct {
	share *Share
	id    func() string
}

var _ encode.Shared = (*Repository)(nil)

// Rows implements encode.Shared. While the transport is connected it waits, at most
// Options.Patience, until the packs on the server have been read for the first time.
func (r *Repository) Rows(ctx context.Context, kind encode.Kind, hashes []encode.Hash) [][]int8 {
	f := r.share.feed(kind, r.id())
	if f == nil {
		return nil
	}
	if !f.ready(ctx) {
		return nil
	}
	return f.rows(ctx, hashes)
}

// Offer implements encode.Shared. Texts are published unless another machine has published them
// recently. The queue is bounded: what does not fit is counted and dropped.
func (r *Repository) Offer(kind encode.Kind, hashes []encode.Hash, row func(encode.Hash) []int8) {
	if f := r.share.feed(kind, r.id()); f != nil {
		f.offer(hashes, row)
	}
}

// token matches what a transport can carry as a name, and a file system as a part of one.
var token = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// feed returns the feed of a kind and a repository, or nil if the kind cannot be shared or the
// share is closed.
func (s *Share) feed(kind encode.Kind, repo string) *feed {
	if repo == "" {
		repo = Any
	}
	if kind.Digest == "" || kind.Dimensions <= 0 || kind.Dimensions > maxDims || len(kind.Probes) > maxProbes || !token.MatchString(repo) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	for _, f := range s.feeds {
		if f.repo == repo && f.kind.Matches(kind) {
			return f
		}
	}
	f := newFeed(s, kind, repo)
	s.feeds = append(s.feeds, f)
	if !s.pruned {
		s.pruned = true
		s.owned.Go(s.prune)
	}
	s.owned.Go(func() { f.run(s.ctx) })
	return f
}

// cacheAge is the time after which a file of the cache that was not written is removed: a server
// has dropped all that is in it.
const cacheAge = 100 * 24 * time.Hour

// prune removes the files of models and repositories that are no longer used, and of processes that
// have crashed.
func (s *Share) prune() {
	list, err := os.ReadDir(s.opts.Dir)
	if err != nil {
		return // there is no cache yet, or opening it reports the error
	}
	for _, entry := range list {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || s.opts.Now().Sub(info.ModTime()) < cacheAge {
			continue
		}
		if err := os.Remove(filepath.Join(s.opts.Dir, entry.Name())); err != nil {
			s.opts.Logger.Debug("an old cache of the team's embeddings is not removed", "err", err)
		}
	}
}

// cachePath returns the file of a model and repository.
func (s *Share) cachePath(model, repo string) string {
	return filepath.Join(s.opts.Dir, model+"-"+repo)
}
