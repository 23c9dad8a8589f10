package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// A checkpoint is a directory "<format>-<time>" in checkpoints: a whole database, its tables hard links. One that is
// being made has a name that begins with a point.
const (
	checkpointDir   = "checkpoints"
	checkpointTime  = "20060102T150405.000000"
	keptCheckpoints = 3
)

// Checkpoint keeps the present state beside the store, for the case of damage, and removes all but the last three.
func (s *Store) Checkpoint(ctx context.Context) error {
	if err := s.takeUpkeep(ctx); err != nil {
		return err
	}
	defer func() { <-s.upkeep }()
	return s.checkpoint(keptCheckpoints)
}

// CheckpointIfOlder is Checkpoint where the newest one is older than age, or there is none, and something may have
// changed since; made tells whether it was.
func (s *Store) CheckpointIfOlder(ctx context.Context, age time.Duration) (made bool, err error) {
	if err := s.takeUpkeep(ctx); err != nil {
		return false, err
	}
	defer func() { <-s.upkeep }()
	if names := checkpoints(s.fs, s.dir); len(names) > 0 {
		newest := names[len(names)-1]
		_, at, _ := parseCheckpoint(newest)
		if s.now().Sub(at) < age {
			return false, nil
		}
		same, err := s.sameTables(s.fs.PathJoin(s.dir, checkpointDir, newest))
		if err != nil || same {
			return false, err
		}
	}
	return true, s.checkpoint(keptCheckpoints)
}

func (s *Store) takeUpkeep(ctx context.Context) error {
	select {
	case s.upkeep <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sameTables tells whether a checkpoint has just the tables of the database, which holds nothing outside its tables.
func (s *Store) sameTables(checkpoint string) (bool, error) {
	if s.applied.Load() {
		return false, nil
	}
	old, err := tables(s.fs, checkpoint)
	if err != nil {
		return false, err
	}
	now, err := tables(s.fs, s.fs.PathJoin(s.dir, databaseDir))
	return err == nil && maps.Equal(old, now), err
}

func tables(fs vfs.FS, dir string) (map[string]bool, error) {
	names, err := fs.List(dir)
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, name := range names {
		if isTable(name) {
			set[name] = true
		}
	}
	return set, nil
}

// checkpoint makes one and removes all but the newest keep. The caller has the upkeep token.
func (s *Store) checkpoint(keep int) error {
	v, _, err := s.Get(formatKey())
	if err != nil {
		return err
	}
	format, _, ok := TakeUint32(v)
	if !ok {
		return s.corrupt(fmt.Errorf("format number of %d bytes", len(v)))
	}
	if _, err := s.makeCheckpoint(int(format)); err != nil {
		return s.fault("checkpoint", err)
	}
	names := checkpoints(s.fs, s.dir)
	return s.removeCheckpoints(names[:max(0, len(names)-keep)])
}

// makeCheckpoint makes one aside and renames it. Its ledger covers all of its manifest and logs.
func (s *Store) makeCheckpoint(format int) (path string, err error) {
	parent := s.fs.PathJoin(s.dir, checkpointDir)
	if err := s.sweepCheckpoints(); err != nil {
		return "", err
	}
	if err := s.fs.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	at := s.now().UTC()
	name := checkpointName(format, at)
	for slices.Contains(checkpoints(s.fs, s.dir), name) { // a clock that stands still
		at = at.Add(time.Microsecond)
		name = checkpointName(format, at)
	}
	aside, path := s.fs.PathJoin(parent, "."+name), s.fs.PathJoin(parent, name)
	err = s.latch.run(func() error { return s.db.Checkpoint(aside, pebble.WithFlushedWAL()) })
	if err == nil {
		err = coverCheckpoint(s.fs, aside)
	}
	if err == nil {
		err = s.fs.Rename(aside, path)
	}
	if err == nil {
		err = syncDir(s.fs, parent)
	}
	if err != nil {
		if rm := s.fs.RemoveAll(aside); rm != nil {
			s.log.Debug("remove failed checkpoint", "err", rm)
		}
		return "", err
	}
	return path, syncDir(s.fs, s.dir)
}

func checkpointName(format int, at time.Time) string {
	return strconv.Itoa(format) + "-" + at.Format(checkpointTime)
}

func coverCheckpoint(fs vfs.FS, dir string) error {
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	known := map[string]*entry{}
	for _, name := range names {
		if !isManifest(name) && !isLog(name) {
			continue
		}
		e := &entry{name: name}
		if e.notedSize, e.notedSum, err = sumFile(fs, fs.PathJoin(dir, name), -1); err != nil {
			return err
		}
		known[name] = e
	}
	l, err := openLedger(fs, dir, known)
	if err != nil {
		return err
	}
	if err := l.close(); err != nil {
		return err
	}
	return syncDir(fs, dir)
}

// sweepCheckpoints removes what a crash left half-made.
func (s *Store) sweepCheckpoints() error {
	names, err := s.fs.List(s.fs.PathJoin(s.dir, checkpointDir))
	if err != nil && !oserror.IsNotExist(err) {
		return err
	}
	var half []string
	for _, name := range names {
		if strings.HasPrefix(name, ".") {
			half = append(half, name)
		}
	}
	return s.removeCheckpoints(half)
}

func (s *Store) removeCheckpoints(names []string) error {
	if len(names) == 0 {
		return nil
	}
	parent := s.fs.PathJoin(s.dir, checkpointDir)
	for _, name := range names {
		if err := s.fs.RemoveAll(s.fs.PathJoin(parent, name)); err != nil {
			return fmt.Errorf("remove checkpoint: %w", err)
		}
	}
	return syncDir(s.fs, parent)
}

// checkpoints gives the names of the whole ones, oldest first.
func checkpoints(fs vfs.FS, dir string) []string {
	all, err := fs.List(fs.PathJoin(dir, checkpointDir))
	if err != nil {
		return nil // there is none that could be used
	}
	names := slices.DeleteFunc(all, func(name string) bool {
		_, _, ok := parseCheckpoint(name)
		return !ok
	})
	slices.SortFunc(names, func(a, b string) int {
		_, at, _ := parseCheckpoint(a)
		_, bt, _ := parseCheckpoint(b)
		return at.Compare(bt)
	})
	return names
}

func parseCheckpoint(name string) (format int, at time.Time, ok bool) {
	n, t, found := strings.Cut(name, "-")
	format, formatErr := strconv.Atoi(n)
	at, timeErr := time.Parse(checkpointTime, t)
	return format, at, found && formatErr == nil && timeErr == nil
}

func newestCheckpoint(fs vfs.FS, dir string) string {
	names := checkpoints(fs, dir)
	if len(names) == 0 {
		return ""
	}
	return fs.PathJoin(dir, checkpointDir, names[len(names)-1])
}
