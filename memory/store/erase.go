package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/errors/oserror"
)

const (
	compactRounds  = 4
	manifestRounds = 1 << 12
)

func eraseKey() []byte { return append(Prefix(Meta, 0), 'e') }

// EraseDue stages the record that an Erase must follow the batch: Store.EraseDue reports it until
// one has completed, also after a crash.
func (b *Batch) EraseDue() { b.Set(eraseKey(), nil) }

// EraseDue reports whether deletions wait for an Erase that has not completed.
func (s *Store) EraseDue() (bool, error) {
	_, found, err := s.Get(eraseKey())
	return found, err
}

// Erase returns when nothing that was deleted or replaced before the call remains in any file of
// the directory. It removes older checkpoints and makes a new one. It rewrites the whole database
// while reads and commits continue, and waits for the snapshots and scans that are open when it
// begins: a caller must not hold one.
func (s *Store) Erase(ctx context.Context) error {
	if err := s.takeUpkeep(ctx); err != nil {
		return err
	}
	defer func() { <-s.upkeep }()
	if err := s.erase(ctx); err != nil {
		return s.fault("erase from", err)
	}
	return nil
}

func (s *Store) erase(ctx context.Context) error {
	b := s.NewBatch()
	b.EraseDue()
	if err := s.commit(b); err != nil {
		return err
	}
	if err := s.waitSnapshots(ctx); err != nil {
		return err
	}
	old, err := s.rewrite(ctx)
	if err != nil {
		return err
	}
	if err := s.newManifest(ctx); err != nil {
		return err
	}
	if err := s.checkpoint(ctx.Done(), false, 1); err != nil { // also waits until Pebble has removed its pending files
		return err
	}
	if err := s.waitGone(ctx, old); err != nil {
		return err
	}
	done := s.NewBatch() // not earlier: a crash may leave older checkpoints
	done.Delete(eraseKey())
	return s.ApplyLater(done)
}

func (s *Store) waitSnapshots(ctx context.Context) error {
	s.snapMu.Lock()
	var open []chan struct{}
	for _, done := range s.snapshots {
		open = append(open, done)
	}
	s.snapMu.Unlock()
	for _, done := range open {
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// rewrite flushes and compacts until no earlier table remains, and returns the files that must be
// removed.
//
// Pebble's Compact skips tables of the bottom level that nothing above overlaps, though they may
// hold what a snapshot kept. A deletion of range keys (there are none) over all keys overlaps them
// all and disappears at the bottom.
func (s *Store) rewrite(ctx context.Context) (old map[string]bool, err error) {
	low, high := []byte{0}, []byte{0xff, 0xff}
	if old, err = s.dataFiles(); err != nil {
		return nil, err
	}
	for range compactRounds {
		err := s.latch.run(func() error {
			b := s.db.NewBatch()
			return errors.Join(b.RangeKeyDelete(low, high, nil), b.Commit(nil), s.db.Flush())
		})
		if err == nil {
			err = s.latch.run(func() error { return s.db.Compact(ctx, low, high, true) })
		}
		if err != nil {
			return nil, err
		}
		kept, err := s.liveTables(old)
		if err != nil {
			return nil, err
		}
		if kept == 0 {
			return old, nil
		}
	}
	return nil, errors.New("some tables were not rewritten; try again")
}

// dataFiles returns the existing tables and logs. Manifests are handled by newManifest.
func (s *Store) dataFiles() (map[string]bool, error) {
	names, err := s.fs.List(s.fs.PathJoin(s.dir, databaseDir))
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, name := range names {
		if isTable(name) || isLog(name) {
			set[name] = true
		}
	}
	return set, nil
}

// liveTables returns how many files of the set the database still uses.
func (s *Store) liveTables(set map[string]bool) (n int, err error) {
	levels, err := s.db.SSTables()
	if err != nil {
		return 0, err
	}
	for _, level := range levels {
		for _, table := range level {
			if set[fmt.Sprintf("%06d.sst", uint64(table.BackingSSTNum))] {
				n++
			}
		}
	}
	return n, nil
}

// newManifest flushes small tables until Pebble has begun a new manifest, which starts with the
// current tables, and removes all earlier ones: a manifest contains the first and last key of every
// table that ever existed in its time.
func (s *Store) newManifest(ctx context.Context) error {
	begun := s.files.manifests.Load()
	for range manifestRounds {
		if s.files.manifests.Load() > begun {
			return s.removeManifests()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		b := s.NewBatch()
		b.EraseDue()
		if err := s.ApplyLater(b); err != nil {
			return err
		}
		if err := s.latch.run(s.db.Flush); err != nil {
			return err
		}
	}
	return errors.New("pebble began no new manifest")
}

func (s *Store) removeManifests() error {
	db := s.fs.PathJoin(s.dir, databaseDir)
	names, err := s.fs.List(db)
	if err != nil {
		return err
	}
	current, err := currentManifest(names)
	if err != nil {
		return err
	}
	for _, name := range names {
		if isManifest(name) && fileNumber(name) < current {
			if err := s.files.Remove(s.fs.PathJoin(db, name)); err != nil && !oserror.IsNotExist(err) {
				return err
			}
		}
	}
	return nil
}

// currentManifest returns the number of the manifest from Pebble's markers,
// marker.manifest.<iteration>.<name>, of which the last counts.
func currentManifest(names []string) (number uint64, err error) {
	const prefix = "marker.manifest."
	var markers []string
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			markers = append(markers, name[len(prefix):])
		}
	}
	if len(markers) == 0 {
		return 0, errors.New("pebble's manifest marker is missing")
	}
	last := slices.MaxFunc(markers, func(a, b string) int { return cmp.Compare(iteration(a), iteration(b)) })
	_, name, _ := strings.Cut(last, ".")
	return fileNumber(name), nil
}

func iteration(marker string) uint64 {
	n, _, _ := strings.Cut(marker, ".")
	v, err := strconv.ParseUint(n, 10, 64)
	if err != nil {
		return 0
	}
	return v
}

// fileNumber returns a manifest's number; for any other file the highest, which is never removed.
func fileNumber(manifest string) uint64 {
	n, err := strconv.ParseUint(strings.TrimPrefix(manifest, "MANIFEST-"), 10, 64)
	if err != nil {
		return 1<<64 - 1
	}
	return n
}

// waitGone blocks until none of the files exists, and makes that durable.
func (s *Store) waitGone(ctx context.Context, old map[string]bool) error {
	for {
		next := s.files.removal()
		now, err := s.dataFiles()
		if err != nil {
			return err
		}
		left := 0
		for name := range old {
			if now[name] {
				left++
			}
		}
		if left == 0 {
			return syncDir(s.fs, s.fs.PathJoin(s.dir, databaseDir))
		}
		select {
		case <-next:
		case <-ctx.Done():
			return fmt.Errorf("%d files are still being read: %w", left, ctx.Err())
		case <-s.latch.failed:
			return s.latch.fault()
		}
	}
}
