package indexer

import (
	"context"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
)

const (
	sharedBatch = 1024 // texts looked up at once
	// sharedPatience bounds a lookup of rows of other machines. After one that took longer, none
	// follows for sharedRest.
	sharedPatience = 30 * time.Second
	sharedRest     = 5 * time.Minute
	// offerEvery is the time after which all texts in use are offered again, so that others know
	// that their rows are still needed.
	offerEvery = 6 * time.Hour
)

// sharing exchanges the rows of the encoding with other machines. Only the encoding's goroutine
// uses it.
type sharing struct {
	with     encode.Shared // nil: nothing is shared
	patience time.Duration // of a lookup
	rested   time.Time     // no lookup before this time
	table    *encode.Table // whose rows were all offered at the time offered
	offered  time.Time
	remade   *encode.Table // its rows are made here, since the person discarded those before
}

// shares returns what identifies the model to others, or false if nothing is shared.
func (e *encoding) shares() (kind encode.Kind, ok bool) {
	if e.sharing.with == nil {
		return kind, false
	}
	p, ok := e.model.(encode.Portable)
	if !ok {
		return kind, false
	}
	return p.Kind(), true
}

// fetch looks up the first texts of queue on other machines, and enters the rows found as if they
// had been on the shelf. It returns the queue without these texts, the number at its beginning that
// others do not have either, and the number found.
func (e *encoding) fetch(ctx context.Context, s *Snapshot, queue []int) (rest []int, missing, found int) {
	kind, ok := e.shares()
	if !ok || e.sharing.remade == e.table || e.w.x.opts.Now().Before(e.sharing.rested) {
		return queue, len(queue), 0
	}
	asked := queue[:min(sharedBatch, len(queue))]
	hashes := make([]hash, len(asked))
	for i, id := range asked {
		hashes[i] = s.Chunk(id).Hash
	}
	bounded, cancel := context.WithTimeout(ctx, e.sharing.patience)
	rows := e.sharing.with.Rows(bounded, kind, hashes)
	if bounded.Err() != nil {
		e.sharing.rested = e.w.x.opts.Now().Add(sharedRest)
	}
	cancel()
	var kept []hash
	var fetched [][]int8
	var still []int
	for i, id := range asked {
		if i >= len(rows) || len(rows[i]) != e.table.Dimensions() {
			still = append(still, id)
			continue
		}
		e.table.Add(hashes[i], rows[i])
		kept, fetched = append(kept, hashes[i]), append(fetched, rows[i])
	}
	e.keep(kept, fetched)
	e.w.status.update(func() { e.w.status.modelShared += len(kept) })
	rest = queue[len(kept):]
	copy(rest, still) // queue's texts that were not asked for follow
	return rest, len(still), len(kept)
}

// lend offers rows that were just made.
func (e *encoding) lend(hashes []hash) {
	if kind, ok := e.shares(); ok && len(hashes) > 0 {
		e.sharing.with.Offer(kind, hashes, e.table.Row)
	}
}

// lendAll offers all texts in use from time to time: rows that were made before there was anybody
// to share with, and those that are still needed. It is called when no text is missing.
func (e *encoding) lendAll(s *Snapshot) {
	kind, ok := e.shares()
	if !ok || e.sharing.table == e.table && e.w.x.opts.Now().Sub(e.sharing.offered) < offerEvery {
		return
	}
	e.sharing.table, e.sharing.offered = e.table, e.w.x.opts.Now()
	listed := map[hash]bool{}
	var hashes []hash
	for _, p := range s.layout.parts {
		for c, rec := range p.seg.chunks {
			if p.Doc(c) && !listed[rec.Hash] && e.table.Has(rec.Hash) {
				listed[rec.Hash] = true
				hashes = append(hashes, rec.Hash)
			}
		}
	}
	e.sharing.with.Offer(kind, hashes, e.table.Row)
}
