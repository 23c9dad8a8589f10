package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/secrets"
)

// scratch is an index of an empty folder. A session without a root searches its open buffers over it.
type scratch struct {
	overlay overlay

	mu      sync.Mutex // guards all below
	dir     string
	index   *indexer.Index
	scanner *secrets.Scanner // that it was made with
}

// openScratch gives the view's buffers alone.
func (v *view) openScratch(ctx context.Context) (*searched, error) {
	s := v.session
	if !v.settings.Enabled {
		return nil, errSwitchedOff
	}
	x, err := s.scratch.open(ctx, s.server, v.scanner)
	if err != nil {
		return nil, err
	}
	src := &searched{index: x}
	src.snapshot, src.release = x.Snapshot()
	src.snapshot, src.names = s.scratch.overlay.over(ctx, x, src.snapshot, v.docs, s.server.now())
	return src, nil
}

// open opens the index at the first request that needs it.
func (c *scratch) open(ctx context.Context, v *Server, scanner *secrets.Scanner) (*indexer.Index, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.index != nil && c.scanner == scanner {
		return c.index, nil
	}
	if err := c.closeLocked(); err != nil { // what searches it now keeps its snapshot
		v.log.Warn("close index of buffers", "err", err)
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
		Redact: redactFiles(scanner), RedactID: scanner.ID(),
	})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	c.dir, c.index, c.scanner = dir, x, scanner
	return x, nil
}

// close removes what open has made.
func (c *scratch) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closeLocked()
}

// closeLocked is close. mu is held.
func (c *scratch) closeLocked() error {
	if c.index == nil {
		return nil
	}
	x := c.index
	c.index = nil
	return errors.Join(x.Close(), os.RemoveAll(c.dir))
}
