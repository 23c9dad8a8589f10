package ollama

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Text is a document to be embedded.
type Text struct {
	Title string // may be empty
	Body  string
}

// part is a piece of a document that is embedded as one text.
type part struct {
	doc    int
	text   string // without its head
	vector []float32
	err    error
}

// Documents embeds texts; each gets its vector or its error. A text longer than the model's context
// is split, and its vector is the mean of the parts' vectors, weighted by length. A text that
// cannot be embedded does not affect the others: its error has Item set if it is certain that
// others succeed. If the server or the model becomes unavailable, every remaining text gets that
// error, and earlier ones keep their vectors.
//
// Only one background request runs at a time, for all callers together; each yields to queries.
func (e *Embedder) Documents(ctx context.Context, texts []Text) (vectors [][]float32, errs []error) {
	vectors, errs = make([][]float32, len(texts)), make([]error, len(texts))
	heads := make([]string, len(texts))
	var parts []*part
	for i, t := range texts {
		body := e.spelled(t.Body)
		if strings.TrimSpace(body) == "" && strings.TrimSpace(t.Title) == "" {
			errs[i] = &Error{Kind: Failed, Op: "embed", Model: e.model.Name, Detail: "the text is empty", Item: true}
			continue
		}
		heads[i] = e.head(t)
		room := max(e.window-reserved-estimate(heads[i]), 16)
		for _, p := range split(body, room) {
			parts = append(parts, &part{doc: i, text: p})
		}
	}
	run := &indexing{e: e, heads: heads}
	for len(parts) > 0 && run.stop == nil {
		n := run.next(parts)
		run.works = false
		run.done = append(run.done, run.bisect(ctx, parts[:n])...)
		parts = parts[n:]
	}
	run.finish(vectors, errs, parts)
	return vectors, errs
}

// head returns the text that precedes every part of a document: the scheme's prefix with the title
// in it, or the title as a line of its own if the scheme has no place for it. A title has at most a
// few hundred bytes.
func (e *Embedder) head(t Text) string {
	title := clip(strings.Join(strings.Fields(e.spelled(t.Title)), " "), 300)
	if strings.Contains(e.prefix.Document, "{title}") {
		if title == "" {
			title = "none"
		}
		return strings.ReplaceAll(e.prefix.Document, "{title}", title)
	}
	if title != "" {
		title += "\n"
	}
	return e.prefix.Document + title
}

// indexing is one run of Documents.
type indexing struct {
	e     *Embedder
	heads []string
	done  []*part
	stop  error // why the run ended early
	works bool  // a known good text succeeded since the current batch failed
}

// next returns how many of parts go into the next request.
func (r *indexing) next(parts []*part) int {
	most := r.e.fair(0)
	if !r.e.client.gate.quiet(r.e.client.now()) {
		most = min(most, politeTexts)
	}
	n, bytes := 0, 0
	for n < len(parts) && n < most {
		bytes += len(r.heads[parts[n].doc]) + len(parts[n].text)
		if n > 0 && bytes > batchBytes {
			break
		}
		n++
	}
	return n
}

// bisect embeds a batch, and recursively its halves if it fails. It returns the parts with vectors
// or errors, more than it was passed if one had to be split. After an error that no text caused,
// r.stop is set.
func (r *indexing) bisect(ctx context.Context, batch []*part) []*part {
	if r.stop != nil {
		for _, p := range batch {
			p.err = r.stop
		}
		return batch
	}
	if len(batch) > r.e.fair(0) { // the other half took too long
		half := len(batch) / 2
		return slices.Concat(r.bisect(ctx, batch[:half]), r.bisect(ctx, batch[half:]))
	}
	texts := make([]string, len(batch))
	for i, p := range batch {
		texts[i] = r.heads[p.doc] + p.text
	}
	start := r.e.client.now()
	vectors, err := r.e.background(ctx, texts)
	if err == nil {
		if len(batch) > 1 && r.e.client.now().Sub(start) < documentTimeout/4 {
			r.e.fair(1)
		}
		for i, p := range batch {
			p.vector = vectors[i]
		}
		return batch
	}
	if halves := r.halves(ctx, batch, err); halves != nil {
		return slices.Concat(r.bisect(ctx, halves[0]), r.bisect(ctx, halves[1]))
	}
	for _, p := range batch {
		p.err = err
		if r.stop == nil {
			p.err = ofItem(err)
		}
	}
	return batch
}

// halves returns the batches to try after a batch failed with err: its two halves, or the two
// halves of its only text if that is too long. It returns nil if r.stop is set or the only text is
// at fault.
func (r *indexing) halves(ctx context.Context, batch []*part, err error) [][]*part {
	kind := KindOf(err)
	if kind == TooLong && len(batch) == 1 {
		left, right, ok := halve(batch[0].text)
		if !ok {
			return nil
		}
		doc := batch[0].doc
		return [][]*part{{{doc: doc, text: left}}, {{doc: doc, text: right}}}
	}
	if kind == Timeout {
		r.e.fair(-len(batch))
	}
	if !r.mayBeText(ctx, err) {
		r.stop = err
		return nil
	}
	if len(batch) == 1 {
		return nil
	}
	return [][]*part{batch[:len(batch)/2], batch[len(batch)/2:]}
}

// mayBeText reports whether one of the texts sent may have caused err. To exclude a failing server,
// it embeds a known good text, once for each batch that fails.
func (r *indexing) mayBeText(ctx context.Context, err error) bool {
	var e *Error
	if !errors.As(err, &e) || e.After > 0 || ctx.Err() != nil {
		return false
	}
	switch e.Kind {
	case TooLong:
		return true
	case Failed, BadAnswer, Timeout:
	default:
		return false
	}
	if !r.works {
		_, bad := r.e.background(ctx, []string{r.e.head(Text{}) + probeTexts[0]})
		r.works = bad == nil
	}
	return r.works
}

// ofItem returns err marked as caused by its text.
func ofItem(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	item := *e
	item.Item = true
	return &item
}

// fair returns the maximum number of texts in a request, after adjusting it by step: negative after
// a request of -step texts that took too long, 1 after a fast one. It grows slowly, since each
// attempt that is too large costs a whole deadline.
func (e *Embedder) fair(step int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	if step < 0 {
		e.batch = max(-step/2, 1)
	} else {
		e.batch = min(e.batch+step, batchTexts)
	}
	return e.batch
}

// finish stores the vectors and errors of the documents; left are the parts that were not tried.
func (r *indexing) finish(vectors [][]float32, errs []error, left []*part) {
	for _, p := range left {
		p.err = r.stop
	}
	r.done = append(r.done, left...)
	for from := 0; from < len(r.done); {
		to := from + 1
		for to < len(r.done) && r.done[to].doc == r.done[from].doc {
			to++
		}
		doc := r.done[from].doc
		vectors[doc], errs[doc] = r.join(r.done[from:to])
		from = to
	}
}

// join returns the vector of a document from its parts, or the first error among them.
func (r *indexing) join(parts []*part) ([]float32, error) {
	all, weight := make([][]float32, 0, len(parts)), make([]float64, 0, len(parts))
	for _, p := range parts {
		if p.err != nil {
			return nil, p.err
		}
		all, weight = append(all, p.vector), append(weight, float64(len(p.text)))
	}
	if len(all) == 1 {
		return all[0], nil
	}
	if v := mean(all, weight); v != nil {
		return v, nil
	}
	return nil, &Error{Kind: BadAnswer, Op: "embed", Model: r.e.model.Name, Item: true,
		Detail: fmt.Sprintf("the vectors of its %d parts cancel each other out", len(parts))}
}
