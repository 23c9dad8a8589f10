package indexer

import (
	"context"
	"math"
	"sync"

	"github.com/contexture-dev/contexture/indexer/encode"
	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/indexer/vector"
)

// encoded is a snapshot's view of a model outside the program: its rows, and the rows of each
// segment's chunks. Immutable, except for the slots of segments of unsaved buffers, which are
// looked up on demand.
type encoded struct {
	model encode.Model
	table *encode.Table
	rows  []int8
	slots map[*segment][]int32
	live  int // live chunks
	bare  int // live chunks without a row
}

// newEncoded looks up the chunks of parts. before, which may be nil, supplies the slots of complete
// segments.
func newEncoded(model encode.Model, table *encode.Table, parts []*part, before *encoded) *encoded {
	e := &encoded{model: model, table: table, slots: make(map[*segment][]int32, len(parts))}
	for _, p := range parts {
		slots := before.complete(table, p.seg)
		if slots == nil {
			slots, _ = table.Slots(len(p.seg.chunks), p.seg.chunkHash)
		}
		e.slots[p.seg] = slots
		for c, at := range slots {
			if p.Doc(c) {
				e.live++
				if at == encode.Absent {
					e.bare++
				}
			}
		}
	}
	e.rows = table.Rows() // after the slots, so that it has all of them
	return e
}

// complete returns the slots of a segment whose chunks all have a row, or nil.
func (e *encoded) complete(table *encode.Table, s *segment) []int32 {
	if e == nil || e.table != table {
		return nil
	}
	slots := e.slots[s]
	for _, at := range slots {
		if at == encode.Absent {
			return nil
		}
	}
	return slots
}

func (s *segment) chunkHash(i int) hash { return s.chunks[i].Hash }

// slotsOf returns the slots of a segment, possibly that of a buffer.
func (e *encoded) slotsOf(s *segment) []int32 {
	if slots, ok := e.slots[s]; ok {
		return slots
	}
	slots, _ := e.table.Slots(len(s.chunks), s.chunkHash)
	for i, at := range slots {
		if int(at) >= len(e.rows)/e.table.Dimensions() {
			slots[i] = encode.Absent // added after the snapshot
		}
	}
	return slots
}

// dotBlock is the number of rows compared between two checks for cancellation.
const dotBlock = 8192

// dots compares all rows with a quantised query.
func (e *encoded) dots(ctx context.Context, q []int8) ([]int32, error) {
	dims := e.table.Dimensions()
	out := make([]int32, len(e.rows)/dims)
	for at := 0; at < len(out); at += dotBlock {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := min(len(out), at+dotBlock)
		vector.Dot(e.rows[at*dims:end*dims], dims, q, out[at:end])
	}
	return out, nil
}

// similar returns how far every chunk's cosine with the query stands out above what chunks have in
// common with any query, which differs between models. Mean and standard deviation of the live
// chunks' cosines determine that; scores begin one deviation above the mean.
func (e *encoded) similar(ctx context.Context, l *layout, scratch *lexical.Scratch, query []float32) ([]float32, error) {
	dots, err := e.dots(ctx, encode.Quantized(query))
	if err != nil {
		return nil, err
	}
	out := scratch.Floats(l.chunks())
	var n, sum, squares float64
	each := func(f func(chunk int, cosine float32)) {
		for k, p := range l.parts {
			for c, at := range e.slotsOf(p.seg) {
				if at != encode.Absent && p.Doc(c) {
					f(l.chunkBase[k]+c, float32(dots[at])/(127*127))
				}
			}
		}
	}
	each(func(_ int, cosine float32) {
		n++
		sum += float64(cosine)
		squares += float64(cosine) * float64(cosine)
	})
	if n == 0 {
		return out, nil
	}
	mean := sum / n
	floor := float32(mean + math.Sqrt(max(0, squares/n-mean*mean)))
	each(func(chunk int, cosine float32) { out[chunk] = max(0, cosine-floor) })
	return out, nil
}

// queryCache caches the vectors of the last queries: several commands often use the same prompt.
type queryCache struct {
	mu   sync.Mutex // guards list
	list []queryVector
}

type queryVector struct {
	identity, text string
	v              []float32
}

const keptQueries = 64

// vector returns a model's vector of a query.
func (q *queryCache) vector(ctx context.Context, m encode.Model, text string) ([]float32, error) {
	q.mu.Lock()
	for _, k := range q.list {
		if k.identity == m.Identity() && k.text == text {
			q.mu.Unlock()
			return k.v, nil
		}
	}
	q.mu.Unlock()
	v, err := m.Query(ctx, text)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == keptQueries {
		q.list = append(q.list[:0], q.list[1:]...)
	}
	q.list = append(q.list, queryVector{m.Identity(), text, v})
	return v, nil
}
