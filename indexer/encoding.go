package indexer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
)

// What the search by a model outside the program needs before it takes over from the built-in
// embedder, and what it may lack before it hands back: shares of the live chunks without a vector.
const (
	takesOver = .02
	handsBack = .25
)

const (
	encodeBatch   = 64               // texts read and handed to the model at a time
	encodePublish = 2 * time.Second  // between two states that searches see
	encodeFlush   = 10 * time.Second // between two states that are safe from a crash
	retryFirst    = time.Second      // after the model could not be asked
	retryLast     = time.Minute
)

// ModelStatus tells how far the vectors of a model outside the program are.
type ModelStatus struct {
	Name, Identity string // "" where there is no model
	Dimensions     int
	Total, Pending int // live chunks; those without a vector, of which Failed never get one
	Failed         int
	Serving        bool   // searches use it
	Problem        string // why nothing comes on; "" where it does
	// Err is the error that Problem tells of, where asking the model gave one.
	Err error
	// Asked is when the request began that the model has not answered yet; zero while there is
	// none.
	Asked time.Time
}

// encoding makes the vectors of a model outside the program. Its goroutine is the only one that
// uses it, but for what mu guards.
type encoding struct {
	w *writer

	table  *encode.Table
	model  encode.Model   // of table
	tries  map[hash]int   // texts that the model found at fault, and how often
	delay  time.Duration  // of the next retry
	saving sync.WaitGroup // see keep; guards unkept
	unkept []hash         // of table, and not on the shelf because that failed

	mu     sync.Mutex // guards all below
	want   encode.Model
	prefer map[*func() []string]bool // list the paths of open files
	again  bool                      // what was embedded is to be embedded anew
	status ModelStatus
	asked  time.Time // see ModelStatus
}

// SetModel makes the index search by a model outside the program, or by the built-in embedder alone
// where m is nil. What the model has not embedded comes in the background; until nearly all is
// there the search stays as it was.
func (x *Index) SetModel(m encode.Model) {
	e := x.w.encoding
	e.mu.Lock()
	e.want = m
	e.mu.Unlock()
	poke(x.w.recode)
}

// Prefer has the files that list gives (relative, slash) embedded before others, until stop. It is
// called when there is something to embed, from another goroutine, and must not call back into the
// index.
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

// preferred lists the files to embed before others.
func (e *encoding) preferred() (paths []string) {
	e.mu.Lock()
	lists := slices.Collect(maps.Keys(e.prefer))
	e.mu.Unlock()
	for _, list := range lists {
		paths = append(paths, (*list)()...)
	}
	return paths
}

// ModelStatus reads how far the vectors of the model are.
func (x *Index) ModelStatus() ModelStatus {
	e := x.w.encoding
	e.mu.Lock()
	defer e.mu.Unlock()
	st := e.status
	st.Asked = e.asked
	return st
}

// anew has all vectors of the model made again.
func (e *encoding) anew() {
	e.mu.Lock()
	e.again = true
	e.mu.Unlock()
	poke(e.w.recode)
}

// forget removes what is to be embedded anew.
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
	if e.w.x.opts.Shelf == nil {
		return
	}
	var gone []hash
	for _, p := range s.parts {
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

// encodeLoop embeds what has come whenever it is woken.
func (w *writer) encodeLoop(ctx context.Context) {
	e := w.encoding
	defer e.saving.Wait()
	retry := time.NewTimer(time.Hour)
	defer retry.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.recode:
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
		st := w.x.ModelStatus()
		st.Problem, st.Err = err.Error(), err
		e.report(st)
	}
}

// pass embeds all that is missing. The error says that the model cannot be asked now.
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
	if e.w.learning() {
		return nil // it is over soon, wakes, and gives searches by meaning at once; beside it the model's server is slow
	}
	snapshot := e.w.x.current.Load()
	e.forget(snapshot)
	queue, at := e.missing(snapshot)
	shown, flushed, made := e.w.now(), e.w.now(), 0
	begun := made // what was made when the queue was begun
	e.show(ctx, at)
	for len(queue) > 0 && e.wanted() == m && !e.w.still.Load() {
		n := min(encodeBatch, len(queue))
		asked, err := e.embed(ctx, snapshot, queue[:n])
		made += asked
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
			if made == begun { // what is left changed on the disk: it comes when the index has read it
				queue, at.Problem = nil, "files changed on the disk and are read first"
			}
			begun = made
		}
		if now := e.w.now(); len(queue) == 0 || now.Sub(shown) >= encodePublish {
			e.show(ctx, at)
			shown = e.w.now()
		} else {
			e.report(at)
		}
		if now := e.w.now(); now.Sub(flushed) >= encodeFlush {
			_ = e.flush() // said at the end
			flushed = now
		}
	}
	if e.saving.Wait(); made > 0 || len(e.unkept) > 0 {
		if err := e.flush(); err != nil {
			return fmt.Errorf("keep embeddings: %w", err)
		}
	}
	return ctx.Err()
}

// parsedSince reports whether other segments stand in the snapshot than in an earlier one.
func (s *Snapshot) parsedSince(before *Snapshot) bool {
	return s.version != before.version && !slices.EqualFunc(s.parts, before.parts, func(a, b *part) bool {
		return a.seg == b.seg && (len(a.paths) == 0 || &a.paths[0] == &b.paths[0]) // a change is made to a copy
	})
}

// flush brings to disk what the shelf was given, and gives it what it did not take before.
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

// missing returns the live chunks that have no row and may get one, those of open files first, each
// text once, and how far the vectors are. Rows that the shelf has are entered on the way.
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
	for k, p := range s.parts {
		for c, rec := range p.seg.chunks {
			if !p.Doc(c) {
				continue
			}
			at.Total++
			if e.known(rec.Hash) {
				continue
			}
			at.Pending++
			if e.tries[rec.Hash] >= triesMost {
				at.Failed++
				continue
			}
			if listed[rec.Hash] {
				continue
			}
			listed[rec.Hash] = true
			if id := s.chunkBase[k] + c; first[s.fileBase[k]+int(rec.File)] {
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
	if shelf == nil || e.tries[h] >= triesMost {
		return false
	}
	row, ok := shelf.Get(e.model.Identity(), h, e.model.Dimensions())
	if ok {
		e.table.Add(h, row)
		e.w.status.update(func() { e.w.status.modelReused++ })
	}
	return ok
}

// triesMost is how often a text is sent of which the model says that it is at fault: some faults
// pass.
const triesMost = 3

// embed asks the model for the rows of chunks and keeps them. asked is how many texts were sent.
func (e *encoding) embed(ctx context.Context, s *Snapshot, chunks []int) (asked int, err error) {
	texts := make([]encode.Document, 0, len(chunks))
	hashes := make([]hash, 0, len(chunks))
	reader := s.NewReader()
	for _, id := range chunks {
		c, text, gate := reader.Chunk(id)
		if gate != "" || c.Hash != s.Chunk(id).Hash {
			continue // it changed: the pass that reads it again brings what stands there now
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
	e.asking(e.w.now())
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
	return len(texts), err
}

// asking notes when the model was asked, zero for when it has answered.
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

// documentOf says of a chunk what its text alone may not: its surroundings. It must follow from the
// chunk's content and what encloses it, never from its path: a renamed file keeps its vectors.
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

// show lets searches see what is there, and then says so.
func (e *encoding) show(ctx context.Context, at ModelStatus) {
	table, model := e.table, e.model
	e.w.hand(ctx, func() {
		e.w.coming, e.w.comingModel = table, model
		e.w.publish()
	})
	if ctx.Err() != nil {
		return
	}
	s := e.w.x.current.Load()
	at.Serving = s.encoded != nil && model != nil && s.encoded.model.Identity() == model.Identity()
	e.report(at)
}

// serving chooses the model that a new snapshot searches by: the one that comes once nearly all is
// there, else the one that served before as long as it still has most.
func (w *writer) serving(parts []*part, before *encoded) *encoded {
	if w.comingModel == nil {
		return nil
	}
	coming := newEncoded(w.comingModel, w.coming, parts, before)
	same := before != nil && before.table == w.coming
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
