package server

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer"
)

// overlay lays a session's unsaved buffers over the snapshots of one index. It keeps the last result, because the
// next request mostly finds index and buffers as they were.
type overlay struct {
	mu    sync.Mutex // guards all below, and with it the use of cut
	cut   *indexer.Overlay
	index *indexer.Index
	base  *indexer.Snapshot
	docs  *documents
	at    time.Time
	out   *indexer.Snapshot
	names map[string]string
}

// admitFor is how long the ignore rules' word on a buffer is taken: rules may change without a change of the index.
const admitFor = time.Second

// over gives base with the documents that belong to it, and the URIs of those that have no path.
func (o *overlay) over(ctx context.Context, x *indexer.Index, base *indexer.Snapshot, docs *documents, now time.Time) (*indexer.Snapshot, map[string]string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.index == x && o.base == base && o.docs == docs && now.Sub(o.at) < admitFor {
		return o.out, o.names
	}
	if o.index != x {
		o.cut = indexer.NewOverlay()
	}
	buffers, names := collect(x, docs)
	o.index, o.base, o.docs, o.at, o.names = x, base, docs, now, names
	o.out = base
	if len(buffers) > 0 {
		o.out = x.With(ctx, base, o.cut, buffers)
	}
	return o.out, o.names
}

// collect lists the documents that may be searched with an index, in the order of their names.
func collect(x *indexer.Index, docs *documents) (buffers []indexer.Buffer, names map[string]string) {
	names = map[string]string{}
	for d := range docs.all() {
		switch p, ok := d.in(x.Tree()); {
		case ok && x.Tree().Admit(p):
			buffers = append(buffers, indexer.Buffer{Path: p, Text: []byte(d.text)})
		case isUntitled(d.uri):
			names[d.uri] = d.uri
			buffers = append(buffers, indexer.Buffer{Path: d.uri, Text: []byte(d.text)})
		}
	}
	slices.SortFunc(buffers, func(a, b indexer.Buffer) int { return cmp.Compare(a.Path, b.Path) })
	return buffers, names
}

func isUntitled(uri string) bool { return strings.HasPrefix(uri, "untitled:") }
