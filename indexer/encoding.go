package indexer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
)

// The largest shares of live chunks without a vector with which the search by a model outside the
// program replaces that by the built-in embedder, and with which it stays.
const (
	takesOver = .02
	handsBack = .25
)

const (
	encodeBatch   = 64               // texts read and sent to the model at once
	encodePublish = 2 * time.Second  // between two states that searches see
	encodeFlush   = 10 * time.Second // between two states that survive a crash
	retryFirst    = time.Second      // after the model was unavailable
	retryLast     = time.Minute
)

// ModelStatus is the progress of the vectors of a model outside the program.
type ModelStatus struct {
	Name, Identity string // "" without a model
	Dimensions     int
	Total, Pending int // live chunks; those without a vector, of which Failed never get one
	Failed         int
	Serving        bool   // searches use it
	Problem        string // why there is no progress; "" while there is
	// Err is the model's error behind Problem, if there is one.
	Err error
	// Asked is when the request began that the model has not answered yet; zero without one.
	Asked time.Time
}

// encoding makes the vectors of a model outside the program. Only its goroutine uses it, except for
// what mu guards.
type encoding struct {
	w    *writer
	wake chan struct{} // wakes the goroutine

	offered offered // to searches; only the writer's goroutine uses it
	sharing sharing

	table  *encode.Table
	model  encode.Model   // of table
	tries  map[hash]int   // texts with errors of their own, and how often
	delay  time.Duration  // of the next retry
	saving sync.WaitGroup // see keep; guards unkept
	unkept []hash         // of table, and not on the shelf after an error

	mu     sync.Mutex // guards all below
	want   encode.Model
	prefer map[*func() []string]bool // functions that list the paths of open files
	again  bool                      // everything is to be embedded again
	status ModelStatus
	asked  time.Time // see ModelStatus
}

func newEncoding(w *writer) *encoding {
	return &encoding{w: w, wake: make(chan struct{}, 1), sharing: sharing{with: w.x.opts.Shared, patience: cmp.Or(w.x.opts.patience, sharedPatience)}}
}

// SetModel makes the index search by a model outside the program, or only by the built-in embedder
// if m is nil. Missing vectors are made in the background; until nearly all exist the search stays
// as it was.
func (x *Index) SetModel(m encode.Model) {
	e := x.w.encoding
	e.mu.Lock()
	e.want = m
	e.mu.Unlock()
	poke(x.w.encoding.wake)
}

// Prefer makes the index embed the files that list returns (relative, slash) before others, until
// stop. list is called from another goroutine when there is something to embed, and must not call
// back into the index.
func (x *Index) Prefer(list func() []string) (stop func()) {
	e, key := x.w.encoding, &list
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.prefer == nil {
		e.prefer = map[*func() []string]bool{}
	}
	e.prefer[key] = true
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.prefer, key)
	}
}

// preferred returns the files to embed before others.
func (e *encoding) preferred() (paths []string) {
	e.mu.Lock()
	lists := slices.Collect(maps.Keys(e.prefer))
	e.mu.Unlock()
	for _, list := range lists {
		paths = append(paths, (*list)()...)
	}
	return paths
}

// ModelStatus returns the progress of the model's vectors.
func (x *Index) ModelStatus() ModelStatus {
	e := x.w.encoding
	e.mu.Lock()
	defer e.mu.Unlock()
	st := e.status
	st.Asked = e.asked
	return st
}

// remakeAll requests that all vectors of the model are made again.
func (e *encoding) remakeAll() {
	e.mu.Lock()
	e.again = true
	e.mu.Unlock()
	poke(e.wake)
}

// forget removes the vectors that are to be made again.
func (e *encoding) forget(s *Snapshot) {
	e.mu.Lock()
	again := e.again
	e.again = false
	e.mu.Unlock()
	if !again {
		return
	}
	e.saving.Wait()
	e.table, e.tries, e.unkept = encode.NewTable(e.model.Dimensions()), map[hash]int{}, nil
	e.sharing.remade = e.table
	if e.w.x.opts.Shelf == nil {
		return
	}
	var gone []hash
	for _, p := range s.layout.parts {
		for _, c := range p.seg.chunks {
			gone = append(gone, c.Hash)
		}
	}
	if err := e.w.x.opts.Shelf.Forget(e.model.Identity(), gone); err != nil {
		e.w.log.Warn("embeddings are not removed", "err", err)
	}
}

func (e *encoding) wanted() encode.Model {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.want
}

func (e *encoding) report(st ModelStatus) {
	e.mu.Lock()
	e.status = st
	e.mu.Unlock()
	e.w.x.changes.signal()
}

// loop embeds new chunks whenever it is woken.
func (e *encoding) loop(ctx context.Context) {
	defer e.saving.Wait()
	retry := time.NewTimer(time.Hour)
	defer retry.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		case <-retry.C:
		}
		err := e.pass(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			e.delay = 0
			continue
		}
		e.delay = min(retryLast, max(retryFirst, 2*e.delay))
		retry.Reset(e.delay)
		st := e.w.x.ModelStatus()
		st.Problem, st.Err = err.Error(), err
		e.report(st)
	}
}

// pass embeds all that is missing. The error means that the model is unavailable.
func (e *encoding) pass(ctx context.Context) error {
	m := e.wanted()
	if m == nil {
		e.table, e.model = nil, nil
		e.show(ctx, ModelStatus{})
		return nil
	}
	if e.model == nil || e.model.Identity() != m.Identity() {
		e.saving.Wait()
		e.table, e.tries, e.unkept = encode.NewTable(m.Dimensions()), map[hash]int{}, nil
	}
	e.model = m
	if e.w.status.isLearning() {
		return nil // it is over soon, wakes this loop, and enables semantic search at once; meanwhile the model's server would be slow
	}
	snapshot := e.w.x.current.Load()
	e.forget(snapshot)
	queue, at := e.missing(snapshot)
	shown, flushed, made := e.w.x.opts.Now(), e.w.x.opts.Now(), 0
	begun := made // count at the beginning of the queue
	e.show(ctx, at)
	for len(queue) > 0 && e.wanted() == m && !e.w.still.Load() {
		rest, missing, found := e.fetch(ctx, snapshot, queue)
		queue = rest
		n := min(encodeBatch, missing)
		asked, err := e.embed(ctx, snapshot, queue[:n])
		made += asked + found
		if err != nil {
			_, at = e.missing(snapshot)
			e.show(ctx, at)
			return err
		}
		queue = queue[n:]
		latest := e.w.x.current.Load()
		switch {
		case latest.parsedSince(snapshot):
			snapshot, begun = latest, made
			queue, at = e.missing(snapshot)
		case len(queue) > 0:
			at.Pending = len(queue) + at.Failed
		default:
			queue, at = e.missing(snapshot)
			if made == begun { // the rest changed on the disk: it comes when the index has read it
				queue, at.Problem = nil, "files changed on the disk and are read first"
			}
			begun = made
		}
		if now := e.w.x.opts.Now(); len(queue) == 0 || now.Sub(shown) >= encodePublish {
			e.show(ctx, at)
			shown = e.w.x.opts.Now()
		} else {
			e.report(at)
		}
		if now := e.w.x.opts.Now(); now.Sub(flushed) >= encodeFlush {
			_ = e.flush() // reported at the end
			flushed = now
		}
	}
	if e.saving.Wait(); made > 0 || len(e.unkept) > 0 {
		if err := e.flush(); err != nil {
			return fmt.Errorf("keep embeddings: %w", err)
		}
	}
	if len(queue) == 0 {
		e.lendAll(snapshot)
	}
	return ctx.Err()
}

// parsedSince reports whether the snapshot has other segments than an earlier one.
func (s *Snapshot) parsedSince(before *Snapshot) bool {
	return s.version != before.version && !slices.EqualFunc(s.layout.parts, before.layout.parts, func(a, b *part) bool {
		return a.seg == b.seg && (len(a.paths) == 0 || &a.paths[0] == &b.paths[0]) // a change is made to a copy
	})
}

// flush syncs the shelf to disk, and retries what it refused before.
func (e *encoding) flush() error {
	e.saving.Wait()
	shelf := e.w.x.opts.Shelf
	if shelf == nil {
		return nil
	}
	for len(e.unkept) > 0 {
		hashes := e.unkept[:min(encodeBatch, len(e.unkept))]
		rows := make([][]int8, len(hashes))
		for i, h := range hashes {
			rows[i] = e.table.Row(h)
		}
		if err := shelf.Put(e.model.Identity(), hashes, rows); err != nil {
			return err
		}
		e.unkept = e.unkept[len(hashes):]
	}
	err := shelf.Flush()
	if err != nil {
		e.w.log.Warn("embeddings are not saved", "err", err)
	}
	return err
}

// missing returns the live chunks without a row that may get one, those of open files first, each
// text once, and the progress. It also enters the rows that the shelf has.
func (e *encoding) missing(s *Snapshot) (queue []int, at ModelStatus) {
	first := map[int]bool{}
	for _, p := range e.preferred() {
		if f, ok := s.File(p); ok {
			first[f] = true
		}
	}
	var rest []int
	listed := map[hash]bool{}
	at = ModelStatus{Name: e.model.Name(), Identity: e.model.Identity(), Dimensions: e.model.Dimensions()}
	for k, p := range s.layout.parts {
		for c, rec := range p.seg.chunks {
			if !p.Doc(c) {
				continue
			}
			at.Total++
			if e.known(rec.Hash) {
				continue
			}
			at.Pending++
			if e.tries[rec.Hash] >= maxTries {
				at.Failed++
				continue
			}
			if listed[rec.Hash] {
				continue
			}
			listed[rec.Hash] = true
			if id := s.layout.chunkBase[k] + c; first[s.layout.fileBase[k]+int(rec.File)] {
				queue = append(queue, id)
			} else {
				rest = append(rest, id)
			}
		}
	}
	queue = append(queue, rest...)
	if len(queue) == 0 && at.Failed > 0 {
		at.Problem = fmt.Sprintf("the model gives no vector for %d of the pieces", at.Failed)
	}
	return queue, at
}

// known reports whether a text has a row, in memory or on the shelf.
func (e *encoding) known(h hash) bool {
	if e.table.Has(h) {
		return true
	}
	shelf := e.w.x.opts.Shelf
	if shelf == nil || e.tries[h] >= maxTries {
		return false
	}
	row, ok := shelf.Get(e.model.Identity(), h, e.model.Dimensions())
	if ok {
		e.table.Add(h, row)
		e.w.status.update(func() { e.w.status.modelReused++ })
	}
	return ok
}

// maxTries is how often a text is sent that causes an error of its own: some of these are
// transient.
const maxTries = 3

// embed requests the rows of chunks from the model and stores them. asked is the number of texts
// sent.
func (e *encoding) embed(ctx context.Context, s *Snapshot, chunks []int) (asked int, err error) {
	texts := make([]encode.Document, 0, len(chunks))
	hashes := make([]hash, 0, len(chunks))
	reader := s.NewReader()
	for _, id := range chunks {
		c, text, gate := reader.Chunk(id)
		if gate != "" || c.Hash != s.Chunk(id).Hash {
			continue // it changed: the pass that reads it again adds the new text
		}
		if e.known(c.Hash) {
			continue // another process has embedded it since the pass began
		}
		texts = append(texts, documentOf(c, text))
		hashes = append(hashes, c.Hash)
	}
	if len(texts) == 0 {
		return 0, nil
	}
	e.asking(e.w.x.opts.Now())
	e.w.status.update(func() { e.w.status.modelCalls++ })
	rows, faults, err := e.model.Documents(ctx, texts)
	e.asking(time.Time{})
	var kept []hash
	var bytes [][]int8
	for i, h := range hashes {
		switch {
		case i < len(rows) && len(rows[i]) == e.table.Dimensions():
			row := encode.Quantized(rows[i])
			e.table.Add(h, row)
			kept, bytes = append(kept, h), append(bytes, row)
		case i < len(faults) && faults[i] != nil:
			e.tries[h]++
			e.w.log.Warn("a text has no embedding", "model", e.model.Name(), "err", faults[i])
		case err == nil:
			e.tries[h]++
		}
	}
	e.keep(kept, bytes)
	e.lend(kept)
	return len(texts), err
}

// asking records when the model was asked, zero after its answer.
func (e *encoding) asking(since time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asked = since
}

// keep puts rows on the shelf while the next ones are made.
func (e *encoding) keep(hashes []hash, rows [][]int8) {
	shelf, identity := e.w.x.opts.Shelf, e.model.Identity()
	if shelf == nil || len(hashes) == 0 {
		return
	}
	e.saving.Wait() // one at a time
	e.saving.Go(func() {
		if err := shelf.Put(identity, hashes, rows); err != nil {
			e.w.log.Warn("embeddings are not saved", "err", err)
			e.unkept = append(e.unkept, hashes...)
		}
	})
}

// documentOf returns a chunk with its context for the model. It must depend only on the chunk's
// content and what encloses it, never on its path: a renamed file keeps its vectors.
func documentOf(c Chunk, text []byte) encode.Document {
	title := c.Title
	if title == "" {
		title = strings.Join(slices.Concat(c.Enclosing, c.Symbols), " ")
	}
	body := string(text)
	if c.Header != "" && !strings.Contains(body, c.Header) {
		body = c.Header + "\n" + body
	}
	return encode.Document{Title: title, Body: body}
}

// show publishes the rows to searches, and then the status.
func (e *encoding) show(ctx context.Context, at ModelStatus) {
	table, model := e.table, e.model
	e.w.mail.hand(ctx, func() {
		e.offered = offered{table, model}
		e.w.publish()
	})
	if ctx.Err() != nil {
		return
	}
	s := e.w.x.current.Load()
	at.Serving = s.vectors.encoded != nil && model != nil && s.vectors.encoded.model.Identity() == model.Identity()
	e.report(at)
}

// offered is the part of a model outside the program that searches may see: its rows, and the model
// that made them. Both are nil without one.
type offered struct {
	table *encode.Table
	model encode.Model
}

// serving returns the model by which a new snapshot searches: the new one once nearly all of its
// vectors exist, else the previous one as long as it still has most.
func (o offered) serving(parts []*part, before *encoded) *encoded {
	if o.model == nil {
		return nil
	}
	coming := newEncoded(o.model, o.table, parts, before)
	same := before != nil && before.table == o.table
	bound := takesOver
	if same {
		bound = handsBack
	}
	if coming.live > 0 && float64(coming.bare) <= bound*float64(coming.live) {
		return coming
	}
	if before == nil || same {
		return nil
	}
	old := newEncoded(before.model, before.table, parts, before)
	if float64(old.bare) <= handsBack*float64(old.live) {
		return old
	}
	return nil
}
