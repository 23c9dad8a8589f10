package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/contexture-dev/contexture/indexer"
)

// scratch is an index of an empty folder. A session without a root searches its open buffers over it.
type scratch struct {
	overlay overlay

	mu    sync.Mutex // guards all below
	dir   string
	index *indexer.Index
}

// openScratch gives the view's buffers alone.
func (v *view) openScratch(ctx context.Context) (*searched, error) {
	s := v.session
	if !v.settings.Enabled {
		return nil, errSwitchedOff
	}
	x, err := s.scratch.open(ctx, s.server)
	if err != nil {
		return nil, err
	}
	src := &searched{index: x}
	src.snapshot, src.release = x.Snapshot()
	src.snapshot, src.names = s.scratch.overlay.over(ctx, x, src.snapshot, v.docs, s.server.now())
	return src, nil
}

// open opens the index at the first request that needs it.
func (c *scratch) open(ctx context.Context, v *Server) (*indexer.Index, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.index != nil {
		return c.index, nil
	}
	run := filepath.Join(v.opts.StateDir, "run")
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
	x, err := indexer.Open(ctx, indexer.Options{
		Root: root, Dir: filepath.Join(dir, "index"), Home: v.opts.Home, Count: v.pool.count, Now: v.now, Logger: v.log,
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	c.dir, c.index = dir, x
	return x, nil
}

// close removes what open has made.
func (c *scratch) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.index == nil {
		return nil
	}
	return errors.Join(c.index.Close(), os.RemoveAll(c.dir))
}
