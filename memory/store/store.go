// Package store keeps the user's memory on disk, in Pebble: one store for the user. What it holds is precious: what
// was acknowledged survives a crash, what cannot be read is refused and never replaced by an empty start.
package store

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// Options are Open's; zero values are defaults.
type Options struct {
	Log *slog.Logger     // nil: no log
	Now func() time.Time // names checkpoints and tells their age; nil: time.Now
}

// Store is the open memory store. Safe for concurrent use.
type Store struct {
	db  *pebble.DB
	dir string
	log *slog.Logger
	now func() time.Time

	mu         sync.Mutex // guards what follows
	workspaces map[string]Workspace
}

// Open opens or creates the store in dir.
func Open(dir string, o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create memory folder: %w", err)
	}
	db, err := pebble.Open(filepath.Join(dir, "db"), &pebble.Options{
		FormatMajorVersion: pebble.FormatTableFormatV6,
		Merger:             appendMerger,
		MemTableSize:       16 << 20,
	})
	if err != nil {
		return nil, fmt.Errorf("open memory %s: %w", dir, err)
	}
	return &Store{db: db, dir: dir, log: o.Log, now: o.Now, workspaces: map[string]Workspace{}}, nil
}

// Close ends the store.
func (s *Store) Close() error { return s.db.Close() }

func (s *Store) damaged(err error) error { return fmt.Errorf("read memory: %w", err) }

// Workspace gives the number of the workspace at root; 0 for "". A new number is durable before it is returned.
func (s *Store) Workspace(ctx context.Context, root string) (Workspace, error) {
	if root == "" {
		return 0, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ws, ok := s.workspaces[root]; ok {
		return ws, nil
	}
	key := AppendString(append(Prefix(Meta, 0), 'w'), root)
	v, found, err := s.Get(key)
	if err != nil {
		return 0, err
	}
	if n, _, ok := TakeUint32(v); found && ok {
		s.workspaces[root] = Workspace(n)
		return Workspace(n), nil
	}
	counter := append(Prefix(Meta, 0), 'n')
	v, _, err = s.Get(counter)
	if err != nil {
		return 0, err
	}
	last, _, _ := TakeUint32(v)
	b := s.NewBatch()
	b.Set(counter, AppendUint32(nil, last+1))
	b.Set(key, AppendUint32(nil, last+1))
	wait, err := s.Apply(b)
	if err != nil {
		return 0, err
	}
	if err := wait(); err != nil {
		return 0, err
	}
	s.workspaces[root] = Workspace(last + 1)
	return Workspace(last + 1), nil
}

// Erase returns when nothing deleted before the call is left in any file of the store's directory.
func (s *Store) Erase(ctx context.Context) error {
	if err := s.db.Flush(); err != nil {
		return fmt.Errorf("erase memory: %w", err)
	}
	if err := s.db.Compact(ctx, []byte{0}, []byte{0xff}, false); err != nil {
		return fmt.Errorf("erase memory: %w", err)
	}
	return nil
}
