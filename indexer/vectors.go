package indexer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/contexture-dev/contexture/indexer/embed"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/indexer/mapped"
	"github.com/contexture-dev/contexture/indexer/store"
)

const (
	// driftBound is the share of the corpus' terms missing from the model at which it is trained
	// again.
	driftBound = .15
	// growthBound is the factor of change in the number of chunks at which it is trained again.
	growthBound = 1.5
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
			w.send(w.renewDamaged)
		} else if err != nil && ctx.Err() == nil {
			w.log.Warn("embed chunks", "err", err)
			w.note(fmt.Sprintf("embed chunks: %v; search by meaning is off", err))
			w.status.update(func() { w.status.pending = 0 })
			w.x.changes.signal()
		}
		poke(w.encoding.wake) // the model outside the program waits for this
	}
}

// isLearning reports whether the index is being built or the built-in embedder is working on it.
func (w *writer) isLearning() (is bool) {
	w.status.update(func() { is = w.status.state != Idle && w.status.state != Failed || w.status.pending > 0 })
	return is
}

func (b *statusBoard) current() (s State) {
	b.update(func() { s = b.state })
	return s
}

// embed trains a model if necessary and makes the missing vectors.
func (w *writer) embed(ctx context.Context, s *Snapshot, epoch uint64) (err error) {
	defer guardParts(s.parts, &err)
	model := s.model
	if model == nil || w.drifted(s) {
		trained, err := embed.Train(ctx, newLiveSource(s), embed.Options{Threads: w.x.opts.Workers, Begin: background})
		if errors.Is(err, embed.ErrTooSmall) {
			w.hand(ctx, func() {
				w.meaningless = true
				w.publish()
				w.settle(ctx)
			})
			return nil
		}
		if err != nil {
			return err
		}
		model = trained
	}
	made := make(map[*segment]*vectors, len(s.parts))
	batch := w.db.NewBatch()
	for _, p := range s.parts {
		if p.vec != nil && p.vec.digest == model.Digest() {
			continue
		}
		v, err := w.embedPart(ctx, model, p, batch)
		if err != nil {
			return errors.Join(err, batch.Drop())
		}
		made[p.seg] = v
	}
	if anyDamaged(s.parts) {
		return errors.Join(errCut, batch.Drop())
	}
	if model != s.model {
		if err := keepModel(model, batch); err != nil {
			return errors.Join(err, batch.Drop())
		}
	}
	if err := batch.Commit(); err != nil {
		w.unsaved(err)
	}
	w.hand(ctx, func() {
		if w.epoch.Load() != epoch {
			poke(w.wake)
			return
		}
		w.model, w.meaningless = model, false
		for i, p := range w.parts {
			if v := made[p.seg]; v != nil {
				q := *p
				q.vec = v
				w.parts[i] = &q
			}
		}
		w.publish()
		if _, pending := w.x.current.Load().builtin(); pending > 0 {
			poke(w.wake) // the list of segments changed meanwhile
			return
		}
		w.settle(ctx)
	})
	return nil
}

// hand runs f on the writer's goroutine and waits for it.
func (w *writer) hand(ctx context.Context, f func()) {
	done := make(chan struct{})
	select {
	case w.tasks <- func(context.Context) { f(); close(done) }:
	case <-ctx.Done():
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// rewritten is the number of bytes from which the store is compacted.
const rewritten = 8 << 20

// settle leaves the store without pending work: all on disk, and compacted if much was rewritten.
func (w *writer) settle(ctx context.Context) {
	if w.settled == w.version {
		return
	}
	w.settled = w.version
	err := w.db.Flush()
	if err == nil {
		w.sweep()
	}
	if w.wear.written > rewritten && err == nil {
		w.wear.written = 0
		err = errors.Join(w.collect(), w.db.Compact(ctx))
	}
	if err != nil && ctx.Err() == nil {
		w.unsaved(err)
	}
	w.x.read()() // release what was read for embedding like what a request reads
	disk := w.diskBytes()
	w.status.update(func() { w.status.disk = disk })
}

// drifted reports whether the corpus is no longer the one that the model was trained on.
func (w *writer) drifted(s *Snapshot) bool {
	trained := float64(s.model.Docs())
	now := float64(s.corpus.LiveDocs)
	if now > trained*growthBound || now*growthBound < trained {
		return true
	}
	if _, pending := s.builtin(); pending == 0 {
		return false // nothing was added since the last check
	}
	return s.model.Drift(newLiveSource(s)) > driftBound
}

// keepModel saves a new model in place of the old one and its vectors. The new model's vectors are
// in the batch already: the others are removed in two ranges around them.
func keepModel(m *embed.Model, batch *store.Batch) error {
	data, err := m.MarshalBinary()
	if err != nil {
		return err
	}
	own := append(slices.Clone(keyVector), m.Digest()...)
	err = errors.Join(batch.DeleteBetween(keyVector, own), batch.DeleteBetween(append(slices.Clone(own), 0xff), []byte("v0")))
	return errors.Join(err, batch.DeletePrefix(keyModel), batch.SetBlob(keyModel, data))
}

// embedPart returns the rows of one part: stored ones are used, the others are folded in and added
// to the batch.
func (w *writer) embedPart(ctx context.Context, m *embed.Model, p *part, batch *store.Batch) (*vectors, error) {
	dims := m.Dimensions()
	v := &vectors{digest: m.Digest(), dims: dims}
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
		row, ok, err := w.db.Get(vectorKey(v.digest, rec.Hash))
		if err != nil {
			w.unread("read vectors", err)
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
	rows, err := m.EmbedAll(ctx, src, w.x.opts.Workers)
	if err != nil {
		return nil, err
	}
	w.status.update(func() { w.status.embedded += len(src.chunks) })
	if p.seg.file != nil {
		v.rows = rows
		return w.putVectors(batch, p.seg, v)
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

// liveSource supplies all live chunks of a snapshot to the trainer, sorted by path, so that the
// model does not depend on the order in which files were added. Terms of data are left out, as in
// partSource.
type liveSource struct {
	s      *Snapshot
	number [][]int32 // by part and chunk
	docs   int
}

func newLiveSource(s *Snapshot) *liveSource {
	l := &liveSource{s: s}
	type place struct {
		path       string
		part, file int
	}
	var files []place
	for k, p := range s.parts {
		l.number = append(l.number, make([]int32, len(p.seg.chunks)))
		for i := range l.number[k] {
			l.number[k][i] = -1
		}
		for f, name := range p.paths {
			if name != "" {
				files = append(files, place{name, k, f})
			}
		}
	}
	slices.SortFunc(files, func(a, b place) int { return strings.Compare(a.path, b.path) })
	for _, f := range files {
		first, end := s.parts[f.part].seg.fileChunks(f.file)
		for c := first; c < end; c++ {
			l.number[f.part][c] = int32(l.docs)
			l.docs++
		}
	}
	return l
}

// Docs implements embed.Source.
func (l *liveSource) Docs() int { return l.docs }

// fewDead is the share of a part's files up to which its removed chunks may count in a drift:
// excluding them requires decoding every posting. More of them would make terms of edited files
// count twice.
const fewDead = .02

// DocFrequencies implements embed.DocFrequencies.
func (l *liveSource) DocFrequencies(yield func(term string, docs int) bool) {
	segs := make([]*lexical.Segment, len(l.s.parts))
	exact := make([]bool, len(segs))
	for k, p := range l.s.parts {
		segs[k] = p.seg.body
		exact[k] = float64(p.dead) > fewDead*float64(len(p.paths))
	}
	var buf []lexical.Posting
	lexical.Union(segs, func(term string, at []int) bool {
		if lexical.IsData(term) {
			return true
		}
		n := 0
		for k, s := range segs {
			switch {
			case at[k] < 0:
			case !exact[k]:
				n += s.Count(at[k])
			default:
				buf = s.Postings(at[k], buf[:0])
				for _, x := range buf {
					if l.number[k][x.Doc] >= 0 {
						n++
					}
				}
			}
		}
		return yield(term, n)
	})
}

// Terms implements embed.Source.
func (l *liveSource) Terms(yield func(string, func([]embed.Posting) []embed.Posting) bool) {
	segs := make([]*lexical.Segment, len(l.s.parts))
	for k, p := range l.s.parts {
		segs[k] = p.seg.body
	}
	lexical.Union(segs, func(term string, at []int) bool {
		return lexical.IsData(term) || yield(term, func(out []embed.Posting) []embed.Posting { return l.postings(segs, at, out[:0]) })
	})
}

func (l *liveSource) postings(segs []*lexical.Segment, at []int, out []embed.Posting) []embed.Posting {
	var buf []lexical.Posting
	sorted := true
	for k, s := range segs {
		if at[k] < 0 {
			continue
		}
		buf = s.Postings(at[k], buf[:0])
		for _, x := range buf {
			if n := l.number[k][x.Doc]; n >= 0 {
				sorted = sorted && (len(out) == 0 || out[len(out)-1].Doc < uint32(n))
				out = append(out, embed.Posting{Doc: uint32(n), Weight: x.Weight})
			}
		}
	}
	if !sorted {
		slices.SortFunc(out, func(a, b embed.Posting) int { return int(a.Doc) - int(b.Doc) })
	}
	return out
}
