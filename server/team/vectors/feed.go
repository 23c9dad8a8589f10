package vectors

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
)

// feed exchanges the rows of one model and repository. Its run goroutine and the one that publishes
// own it; Rows and Offer are called by indexes.
type feed struct {
	share       *Share
	kind        encode.Kind
	model, repo string
	opened      chan struct{} // closed once cache is set
	caught      chan struct{} // closed once all that the server has was read
	catch       func()        // closes caught
	cache       *cache
	skew        atomic.Int64 // of the server's clock against this machine's, in nanoseconds
	wake        chan struct{}
	others      atomic.Int64 // packs read that other machines published

	mu      sync.Mutex    // guards the fields below
	waited  time.Duration // by Rows
	vain    time.Duration // the part of waited since the last pack
	moved   time.Time     // when that was read
	queue   []offered
	queued  int    // texts in queue
	own     string // digest of the last pack that this machine sent
	reached position
}

// offered are texts that an index has rows of.
type offered struct {
	hashes []encode.Hash
	row    func(encode.Hash) []int8
}

const (
	retryFirst = time.Second
	retryLast  = time.Minute
	// slowly is how many times the share's patience Rows waits in all while packs arrive.
	slowly = 10
	// saveEvery is the time between two saved positions while packs arrive.
	saveEvery = 5 * time.Second
)

func newFeed(s *Share, kind encode.Kind, repo string) *feed {
	f := &feed{
		share: s, kind: kind, repo: repo, model: newSealer(s.opts.Key, kind).model(),
		opened: make(chan struct{}), caught: make(chan struct{}), wake: make(chan struct{}, 1),
	}
	f.catch = sync.OnceFunc(func() { close(f.caught) })
	return f
}

// run reads and publishes until ctx ends.
func (f *feed) run(ctx context.Context) {
	c := openCache(f.share.cachePath(f.model, f.repo), f.kind, f.share.opts.CacheBytes, f.share.opts.Logger)
	f.reach(c.position())
	f.cache = c
	close(f.opened)
	var publishing sync.WaitGroup
	publishing.Go(func() { f.publish(ctx) })
	defer publishing.Wait()
	delay := retryFirst
	for ctx.Err() == nil {
		r := &reading{f: f, s: newSealer(f.share.opts.Key, f.kind), saved: f.share.opts.Now()}
		err := r.run(ctx)
		if r.read > 0 || errors.Is(err, ErrRewound) {
			delay = retryFirst
		}
		if ctx.Err() != nil {
			return
		}
		f.share.opts.Logger.Debug("the team's embeddings are not read", "err", err)
		if !pause(ctx, delay/2+rand.N(delay/2)) {
			return
		}
		delay = min(2*delay, retryLast)
	}
}

// pause waits, and reports whether ctx still runs.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// close saves the cache after run has returned.
func (f *feed) close() error {
	if f.cache == nil {
		return nil
	}
	return f.cache.close(f.position())
}

func (f *feed) position() position {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reached
}

func (f *feed) reach(at position) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reached = at
	f.vain, f.moved = 0, time.Now()
}

// ready waits until the cache is open and, while the transport is connected, for the first reading,
// both within the share's patience. It reports whether the cache is open.
func (f *feed) ready(ctx context.Context) bool {
	until := f.opened
	if f.share.opts.Transport.Connected() {
		until = f.caught
	}
	f.mu.Lock()
	left := min(f.share.opts.Patience-f.vain, slowly*f.share.opts.Patience-f.waited)
	f.mu.Unlock()
	if left > 0 {
		begun := time.Now()
		timer := time.NewTimer(left)
		defer timer.Stop()
		select {
		case <-until:
		case <-ctx.Done():
		case <-f.share.ctx.Done():
		case <-timer.C:
		}
		f.mu.Lock()
		f.waited += time.Since(begun)
		if f.moved.After(begun) {
			begun = f.moved
		}
		f.vain += time.Since(begun)
		f.mu.Unlock()
	}
	select {
	case <-f.opened:
		return true
	default:
		return false
	}
}

// rows returns the rows that the cache has.
func (f *feed) rows(ctx context.Context, hashes []encode.Hash) [][]int8 {
	s := newSealer(f.share.opts.Key, f.kind)
	var out [][]int8
	for i, h := range hashes {
		if ctx.Err() != nil {
			break
		}
		entry, ok := f.cache.get(s.key(h))
		if !ok {
			continue
		}
		row, err := s.open(entry, h)
		if err != nil {
			f.share.counts.refused.Add(1)
			continue
		}
		if out == nil {
			out = make([][]int8, len(hashes))
		}
		out[i] = row
		f.share.counts.rowsFound.Add(1)
	}
	return out
}

// describe adds the feed's current numbers.
func (f *feed) describe(out *Status) {
	f.mu.Lock()
	out.Queue += f.queued
	f.mu.Unlock()
	select {
	case <-f.opened:
	default:
		return
	}
	out.Entries += f.cache.count()
	if err := f.cache.problem(); err != nil {
		out.Problem = err.Error()
	}
}

// reading is one run of Transport.Packs.
type reading struct {
	f        *feed
	s        *sealer
	resumed  bool // the last pack that was read before is where it was
	rewound  bool
	read     int
	current  bool // all that the server has was read
	saved    time.Time
	unsaved  bool
	stopping context.CancelFunc
}

// run follows the packs until ctx ends or the transport fails. It begins with the last pack that
// was read before: if that is another one now, or gone, the server has lost packs, and all are read
// again.
func (r *reading) run(ctx context.Context) error {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	r.stopping = stop
	after := r.f.position().After
	if after == 0 {
		r.resumed = true
	} else {
		after--
	}
	err := r.f.share.opts.Transport.Packs(inner, r.f.model, r.f.repo, after, r.pack, r.caughtUp)
	if r.rewound || errors.Is(err, ErrRewound) {
		r.f.share.counts.rewound.Add(1)
		r.f.cache.forget(r.f.now())
		r.f.reach(position{})
		return ErrRewound
	}
	if r.unsaved {
		r.save()
	}
	return err
}

// pack takes in one pack.
func (r *reading) pack(seq uint64, stored time.Time, data []byte) error {
	f := r.f
	digest := digestOf(data)
	if !r.resumed {
		if at := f.position(); seq != at.After || digest != at.Digest {
			r.rewound = true
			return ErrRewound
		}
		r.resumed = true
		return nil
	}
	if r.current {
		f.skew.Store(int64(stored.Sub(f.share.opts.Now())))
	}
	c := &f.share.counts
	c.packsRead.Add(1)
	c.bytesRead.Add(int64(len(data)))
	entries, err := openPack(r.s, f.kind, data)
	switch {
	case errors.Is(err, errMalformed):
		c.malformed.Add(1)
	case errors.Is(err, errForeign):
		c.foreign.Add(1)
	case err != nil:
		c.other.Add(1)
	default:
		f.cache.add(entries, secondsOf(stored))
	}
	if !f.isOwn(digest) {
		f.others.Add(1)
	}
	f.reach(position{After: seq, Digest: digest})
	r.read++
	r.unsaved = true
	if now := f.share.opts.Now(); r.current && now.Sub(r.saved) >= saveEvery {
		r.save()
	}
	return nil
}

// secondsOf returns a time as the cache stores it.
func secondsOf(t time.Time) uint32 { return uint32(max(1, min(t.Unix(), 1<<32-1))) }

// caughtUp ends the wait for the first reading.
func (r *reading) caughtUp() {
	if !r.resumed {
		r.rewound = true
		r.stopping()
		return
	}
	r.current = true
	r.f.catch()
	if r.unsaved {
		r.save()
	}
}

func (r *reading) save() {
	r.saved, r.unsaved = r.f.share.opts.Now(), false
	if err := r.f.cache.save(r.f.position()); err != nil {
		r.f.share.opts.Logger.Debug("the team's embeddings are read again after a restart", "err", err)
	}
}
