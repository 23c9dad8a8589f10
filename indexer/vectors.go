package indexer

import (
	"context"
	"errors"
	"fmt"

	"github.com/contexture-dev/contexture/indexer/embed"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/indexer/mapped"
	"github.com/contexture-dev/contexture/indexer/store"
)

// embedLoop makes every chunk's vector whenever it is woken. It works on snapshots, concurrently
// with the writer.
func (w *writer) embedLoop(ctx context.Context) {
	background()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		}
		if s := w.status.current(); s != Idle && s != Failed {
			continue // the current pass wakes it again at its end
		}
		epoch := w.epoch.Load() // before the snapshot, so that a rebuild between the two is noticed
		err := w.embed(ctx, w.x.current.Load(), epoch)
		if errors.Is(err, errCut) {
			w.mail.send(w.renewDamaged)
		} else if err != nil && ctx.Err() == nil {
			w.log.Warn("embed chunks", "err", err)
			w.status.fault(fmt.Sprintf("embed chunks: %v; search by meaning is off", err))
			w.status.update(func() { w.status.pending = 0 })
			w.x.changes.signal()
		}
		poke(w.encoding.wake) // the model outside the program waits for this
	}
}

// isLearning reports whether the index is being built or the built-in embedder is working on it.
func (b *statusBoard) isLearning() (is bool) {
	b.update(func() { is = b.state != Idle && b.state != Failed || b.pending > 0 })
	return is
}

func (b *statusBoard) current() (s State) {
	b.update(func() { s = b.state })
	return s
}

// embed makes the missing vectors.
func (w *writer) embed(ctx context.Context, s *Snapshot, epoch uint64) (err error) {
	defer guardParts(s.layout.parts, &err)
	made := make(map[*segment]*vectors, len(s.layout.parts))
	batch := w.disk.db.NewBatch()
	for _, p := range s.layout.parts {
		if p.vec != nil {
			continue
		}
		v, err := w.embedPart(ctx, p, batch)
		if err != nil {
			return errors.Join(err, batch.Drop())
		}
		made[p.seg] = v
	}
	if anyDamaged(s.layout.parts) {
		return errors.Join(errCut, batch.Drop())
	}
	if err := batch.Commit(); err != nil {
		w.unsaved(err)
	}
	w.mail.hand(ctx, func() {
		if w.epoch.Load() != epoch {
			poke(w.wake)
			return
		}
		for i, p := range w.manifest.parts {
			if v := made[p.seg]; v != nil {
				q := *p
				q.vec = v
				w.manifest.parts[i] = &q
			}
		}
		w.publish()
		if _, pending := w.x.current.Load().vectors.builtin(); pending > 0 {
			poke(w.wake) // the list of segments changed meanwhile
			return
		}
		w.settle(ctx)
	})
	return nil
}

// rewritten is the number of bytes from which the store is compacted.
const rewritten = 8 << 20

// settle leaves the store without pending work: all on disk, and compacted if much was rewritten.
func (w *writer) settle(ctx context.Context) {
	if w.settled == w.manifest.version {
		return
	}
	w.settled = w.manifest.version
	err := w.disk.db.Flush()
	if err == nil {
		w.manifest.sweep()
	}
	if w.disk.wear.written > rewritten && err == nil {
		w.disk.wear.written = 0
		err = errors.Join(w.manifest.collect(), w.disk.db.Compact(ctx))
	}
	if err != nil && ctx.Err() == nil {
		w.unsaved(err)
	}
	w.x.read()() // release what was read for embedding like what a request reads
	disk := w.diskBytes()
	w.status.update(func() { w.status.disk = disk })
}

// embedPart returns the rows of one part: stored ones are used, the others are folded in and added
// to the batch.
func (w *writer) embedPart(ctx context.Context, p *part, batch *store.Batch) (*vectors, error) {
	table := embed.Shipped()
	dims := table.Dimensions()
	v := &vectors{digest: table.Digest(), dims: dims}
	if p.seg.file == nil {
		v.rows = make([]int8, dims*len(p.seg.chunks))
	}
	src := newPartSource(p.seg)
	stored := p.seg.file == nil // the vectors of a segment in a file are in another file
	for c, rec := range p.seg.chunks {
		if !stored {
			src.want(c)
			continue
		}
		row, ok, err := w.disk.db.Get(vectorKey(v.digest, rec.Hash))
		if err != nil {
			w.disk.unread("read vectors", err)
			stored = false
		}
		if ok && len(row) == dims {
			copy(v.rows[c*dims:], mapped.View[int8](row))
			continue
		}
		src.want(c)
	}
	if src.Docs() == 0 {
		return v, nil
	}
	rows, err := table.EmbedAll(ctx, src, w.x.opts.Workers, background)
	if err != nil {
		return nil, err
	}
	w.status.update(func() { w.status.embedded += len(src.chunks) })
	if p.seg.file != nil {
		v.rows = rows
		return w.disk.putVectors(batch, p.seg, v)
	}
	for i, c := range src.chunks {
		row := rows[i*dims : (i+1)*dims]
		copy(v.rows[int(c)*dims:], row)
		if err := batch.Set(vectorKey(v.digest, p.seg.chunks[c].Hash), mapped.Bytes(row)); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// partSource supplies some chunks of one segment to the embedder, without the terms of data, which
// are no evidence of what a chunk is about.
type partSource struct {
	seg    *segment
	number []int32 // by chunk: its document, or -1
	chunks []uint32
}

func newPartSource(s *segment) *partSource {
	p := &partSource{seg: s, number: make([]int32, len(s.chunks))}
	for i := range p.number {
		p.number[i] = -1
	}
	return p
}

func (p *partSource) want(chunk int) {
	p.number[chunk] = int32(len(p.chunks))
	p.chunks = append(p.chunks, uint32(chunk))
}

// Docs implements embed.Source.
func (p *partSource) Docs() int { return len(p.chunks) }

// Terms implements embed.Source.
func (p *partSource) Terms(yield func(string, func([]embed.Posting) []embed.Posting) bool) {
	var buf []lexical.Posting
	for i := range p.seg.body.Terms() {
		if lexical.IsData(p.seg.body.Term(i)) {
			continue
		}
		read := func(out []embed.Posting) []embed.Posting {
			out = out[:0]
			buf = p.seg.body.Postings(i, buf[:0])
			for _, x := range buf {
				if n := p.number[x.Doc]; n >= 0 {
					out = append(out, embed.Posting{Doc: uint32(n), Weight: x.Weight})
				}
			}
			return out
		}
		if !yield(p.seg.body.Term(i), read) {
			return
		}
	}
}
