package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/secrets"
	"github.com/contexture-dev/contexture/server/transport"
)

// overlay lays a session's unsaved buffers over the snapshots of one index. It caches the last
// result, because index and buffers are usually unchanged at the next request.
type overlay struct {
	mu    sync.Mutex // guards all below, and thereby the use of cut
	cut   *indexer.Overlay
	index *indexer.Index
	base  *indexer.Snapshot
	docs  *Documents
	at    time.Time
	out   *indexer.Snapshot
	names map[string]string
}

// admitFor is how long a decision of the ignore rules on a buffer is cached: rules may change
// without a change of the index.
const admitFor = time.Second

// over returns base with its documents, and the URIs of those without a path.
func (o *overlay) over(ctx context.Context, x *indexer.Index, base *indexer.Snapshot, docs *Documents, now time.Time) (*indexer.Snapshot, map[string]string) {
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

// collect returns the documents that may be searched with an index, sorted by name.
func collect(x *indexer.Index, docs *Documents) (buffers []indexer.Buffer, names map[string]string) {
	names = map[string]string{}
	for d := range docs.all() {
		switch p, ok := d.in(x.Tree()); {
		case ok && x.Tree().Admit(p):
			buffers = append(buffers, indexer.Buffer{Path: p, Text: []byte(d.text)})
		case transport.IsUntitled(d.uri):
			names[d.uri] = d.uri
			buffers = append(buffers, indexer.Buffer{Path: d.uri, Text: []byte(d.text)})
		}
	}
	slices.SortFunc(buffers, func(a, b indexer.Buffer) int { return cmp.Compare(a.Path, b.Path) })
	return buffers, names
}

// bufferIndex is an index of an empty folder, over which a session without a root searches its open
// buffers.
type bufferIndex struct {
	overlay overlay

	mu      sync.Mutex // guards all below
	dir     string
	index   *indexer.Index
	scanner *secrets.Scanner // with which it was made
}

// openScratch returns a source of only the view's buffers.
func (v *View) openScratch(ctx context.Context) (*Source, error) {
	s := v.Session
	if !v.Settings.Enabled {
		return nil, ErrSwitchedOff
	}
	x, err := s.scratch.open(ctx, s.engine, v.scanner)
	if err != nil {
		return nil, err
	}
	src := &Source{index: x}
	src.Snapshot, src.Release = x.Snapshot()
	src.Snapshot, src.Names = s.scratch.overlay.over(ctx, x, src.Snapshot, v.Documents, s.engine.Now())
	return src, nil
}

// open opens the index at the first request that needs it.
func (c *bufferIndex) open(ctx context.Context, v *engine.Engine, scanner *secrets.Scanner) (*indexer.Index, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.index != nil && c.scanner == scanner {
		return c.index, nil
	}
	if err := c.closeLocked(); err != nil { // current searches keep their snapshots
		v.Log.Warn("close index of buffers", "err", err)
	}
	run := filepath.Join(v.Options.StateDir, "run")
	if err := os.MkdirAll(run, 0o700); err != nil {
		return nil, fmt.Errorf("open index of buffers: %w", err)
	}
	dir, err := os.MkdirTemp(run, "buffers-")
	if err != nil {
		return nil, fmt.Errorf("open index of buffers: %w", err)
	}
	root := filepath.Join(dir, "root")
	if err := os.Mkdir(root, 0o700); err != nil {
		return nil, fmt.Errorf("open index of buffers: %w", errors.Join(err, os.RemoveAll(dir)))
	}
	x, err := v.Indexes.OpenBuffers(ctx, root, filepath.Join(dir, "index"), scanner)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	c.dir, c.index, c.scanner = dir, x, scanner
	return x, nil
}

// close removes what open has created.
func (c *bufferIndex) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closeLocked()
}

// closeLocked is close with mu held.
func (c *bufferIndex) closeLocked() error {
	if c.index == nil {
		return nil
	}
	x := c.index
	c.index = nil
	return errors.Join(x.Close(), os.RemoveAll(c.dir))
}
