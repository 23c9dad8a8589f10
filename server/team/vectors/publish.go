package vectors

import (
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
)

const (
	// queueMost bounds the texts that wait: 16 bytes each.
	queueMost = 1 << 20
	// putTimeout bounds the wait for a server that accepts a pack and does not acknowledge it.
	putTimeout = 30 * time.Second
	// A server removes packs 90 days after they were published. A text in use is published again
	// from renewAfter on, by each machine at a moment of its own within renewSpread: the first one
	// does it, and the others read that it was done.
	renewAfter  = 45 * 24 * time.Hour
	renewSpread = 30 * 24 * time.Hour
	// manySpread is within how many times Options.Gather a machine begins to publish what fills
	// several packs: others with the same texts read its packs before they make their own. It also
	// bounds how often a machine lets others finish.
	manySpread = 20
	// lostSpread is the time within which machines publish what a server has lost. It is lostRest
	// if that happens more often: then the server has too little room, and what is published anew
	// displaces the rest.
	lostSpread = time.Hour
	lostRest   = 30 * 24 * time.Hour
)

// offer adds texts to the queue, in a random order if they fill several packs: machines that offer
// the same texts at the same time then publish different ones first.
func (f *feed) offer(hashes []encode.Hash, row func(encode.Hash) []int8) {
	hashes = slices.Clone(hashes)
	if len(hashes) > packRows(f.kind) {
		rand.Shuffle(len(hashes), func(i, k int) { hashes[i], hashes[k] = hashes[k], hashes[i] })
	}
	f.mu.Lock()
	if room := queueMost - f.queued; len(hashes) > room {
		f.share.counts.dropped.Add(int64(len(hashes) - room))
		hashes = hashes[:room]
	}
	if len(hashes) > 0 {
		f.queue = append(f.queue, offered{hashes, row})
		f.queued += len(hashes)
	}
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// next returns up to n texts from the beginning of the queue, which stay in it until [feed.done].
func (f *feed) next(n int) (o offered, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) == 0 {
		return o, false
	}
	o = f.queue[0]
	o.hashes = o.hashes[:min(n, len(o.hashes))]
	return o, true
}

// done removes n texts from the first offer in the queue.
func (f *feed) done(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queued -= n
	if f.queue[0].hashes = f.queue[0].hashes[n:]; len(f.queue[0].hashes) == 0 {
		f.queue = f.queue[1:]
	}
}

// publish sends what was offered and the server does not have, until ctx ends. It begins once all
// packs on the server have been read.
func (f *feed) publish(ctx context.Context) {
	select {
	case <-f.caught:
	case <-ctx.Done():
		return
	}
	delay := retryFirst
	for {
		select {
		case <-f.wake:
		case <-ctx.Done():
			return
		}
		gather := f.share.opts.Gather
		wait := gather + rand.N(gather)
		if f.holds(packRows(f.kind)) {
			wait += rand.N(manySpread * gather)
		}
		for more := true; more; {
			if !f.yield(ctx, wait) {
				return
			}
			var err error
			more, err = f.publishPack(ctx)
			wait = rand.N(gather)
			if err != nil {
				f.share.opts.Logger.Debug("embeddings are not published", "err", err)
				wait = delay/2 + rand.N(delay/2)
				delay = min(2*delay, retryLast)
			} else {
				delay = retryFirst
			}
		}
	}
}

// yield waits, and again a while as long as packs of others arrived meanwhile: they may have the
// same texts. It reports whether ctx still runs.
func (f *feed) yield(ctx context.Context, wait time.Duration) bool {
	for range manySpread {
		before := f.others.Load()
		if !pause(ctx, wait) {
			return false
		}
		if f.others.Load() == before {
			break
		}
		wait = f.share.opts.Gather/2 + rand.N(f.share.opts.Gather)
	}
	return true
}

// holds reports whether more than n texts wait.
func (f *feed) holds(n int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.queued > n
}

// publishPack sends one pack of queued texts. more reports whether the queue holds others. After an
// error the texts are still in the queue.
func (f *feed) publishPack(ctx context.Context) (more bool, err error) {
	b := &gathering{f: f, s: newSealer(f.share.opts.Key, f.kind), room: packRows(f.kind), keys: map[uint64]bool{}}
	if more, err = b.gather(); err != nil || b.pack == nil {
		return more, err
	}
	data := b.pack.finish()
	f.noteOwn(digestOf(data))
	bounded, cancel := context.WithTimeout(ctx, putTimeout)
	defer cancel()
	if err := f.share.opts.Transport.PutPack(bounded, f.model, f.repo, data); err != nil {
		b.putBack()
		return true, err
	}
	c := &f.share.counts
	c.packsPublished.Add(1)
	c.bytesPublished.Add(int64(len(data)))
	c.rowsPublished.Add(int64(b.pack.count))
	f.cache.note(b.keys, secondsOf(f.now()))
	return more, nil
}

// noteOwn keeps the digest of a pack that is sent, before the pack can be read.
func (f *feed) noteOwn(digest string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.own = digest
}

// isOwn reports whether a pack is the last one that this machine sent.
func (f *feed) isOwn(digest string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.own == digest
}

// now returns the server's time as far as it is known.
func (f *feed) now() time.Time { return f.share.opts.Now().Add(time.Duration(f.skew.Load())) }

// gathering collects the texts of one pack.
type gathering struct {
	f     *feed
	s     *sealer
	room  int
	pack  *packing // nil while there is nothing to publish
	keys  map[uint64]bool
	taken []offered // in the pack
}

// gather takes texts from the queue until the pack is full or the queue is empty.
func (b *gathering) gather() (more bool, err error) {
	for b.room > 0 {
		o, ok := b.f.next(b.room)
		if !ok {
			return false, nil
		}
		var took []encode.Hash
		for _, h := range o.hashes {
			key := b.s.key(h)
			if b.keys[short(key[:])] || !b.f.due(key) {
				continue
			}
			row := o.row(h)
			if len(row) != b.f.kind.Dimensions || !isRow(row) {
				continue
			}
			if b.pack == nil {
				if b.pack, err = newPacking(b.s, b.f.kind); err != nil {
					return true, err
				}
			}
			if err := b.pack.add(h, row); err != nil {
				return true, err
			}
			took, b.keys[short(key[:])] = append(took, h), true
		}
		b.f.done(len(o.hashes))
		b.room -= len(took)
		if len(took) > 0 {
			b.taken = append(b.taken, offered{took, o.row})
		}
	}
	return true, nil
}

// putBack returns the texts of a pack that was not published to the beginning of the queue.
func (b *gathering) putBack() {
	b.f.mu.Lock()
	defer b.f.mu.Unlock()
	for _, o := range b.taken {
		b.f.queued += len(o.hashes)
	}
	b.f.queue = slices.Concat(b.taken, b.f.queue)
}

// due reports whether a text's row is to be published: nobody has done so, or long ago, or the
// server has lost it.
func (f *feed) due(key [keySize]byte) bool {
	seconds, known := f.cache.published(key)
	if !known {
		return true
	}
	share := float64(binary.BigEndian.Uint32(key[8:])^f.cache.salt()) / (1 << 32)
	since, after, spread := time.Unix(int64(seconds), 0), renewAfter, renewSpread
	if seconds == 0 {
		after = 0
		since, spread = f.cache.lostAt()
	}
	return f.now().Sub(since) > after+time.Duration(share*float64(spread))
}
