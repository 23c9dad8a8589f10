package store

import (
	"cmp"
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

// A checkpoint is a directory "<format>.<number>-<time>" in checkpoints: a whole database. The
// number orders them independently of the clock; names without one are from older programs. A
// checkpoint in progress has a name that begins with a dot, and gets its final name only after all
// of it was read again. The newest three are kept, so that the disk holds the database at most four
// times; usually it is twice, since checkpoints share common tables.
const (
	checkpointDir   = "checkpoints"
	checkpointTime  = "20060102T150405.000000"
	keptCheckpoints = 3

	// checkpointAge is the age of the newest checkpoint at which another is made; it is made
	// earlier when the database has doubled since.
	checkpointAge = 24 * time.Hour
	doubledAge    = time.Hour
	// firstBytes is the largest database for which FirstCheckpoint makes one.
	firstBytes = 64 << 20
)

// Checkpoint copies the present state beside the store, for the case of damage, and removes all but
// the last three copies.
func (s *Store) Checkpoint(ctx context.Context) error {
	if err := s.takeUpkeep(ctx); err != nil {
		return err
	}
	defer func() { <-s.upkeep }()
	return s.checkpoint(ctx.Done(), true, keptCheckpoints)
}

// CheckpointIfDue makes a checkpoint when something was stored since the newest one and that is a
// day old, or an hour and the database has doubled, or there is none. If the clock was set back to
// before the newest, that distance counts as its age. made reports whether it made one.
func (s *Store) CheckpointIfDue(ctx context.Context) (made bool, err error) {
	if err := s.takeUpkeep(ctx); err != nil {
		return false, err
	}
	defer func() { <-s.upkeep }()
	due, err := s.checkpointDue()
	if err != nil || !due {
		return false, err
	}
	return true, s.checkpoint(ctx.Done(), true, keptCheckpoints)
}

// FirstCheckpoint makes a checkpoint when there is none yet and the database is small enough that
// it takes negligible time.
func (s *Store) FirstCheckpoint(ctx context.Context) error {
	if err := s.takeUpkeep(ctx); err != nil {
		return err
	}
	defer func() { <-s.upkeep }()
	if len(checkpoints(s.fs, s.dir)) > 0 {
		return nil
	}
	size, err := folderBytes(s.fs, s.fs.PathJoin(s.dir, databaseDir))
	if err != nil || size > firstBytes {
		return err
	}
	if any, err := s.holdsAny(); err != nil || !any {
		return err
	}
	return s.checkpoint(ctx.Done(), false, keptCheckpoints)
}

func (s *Store) checkpointDue() (bool, error) {
	names := checkpoints(s.fs, s.dir)
	if len(names) == 0 {
		return s.holdsAny()
	}
	newest := names[len(names)-1]
	path := s.fs.PathJoin(s.dir, checkpointDir, newest.name)
	age := s.now().Sub(newest.at).Abs()
	if age < doubledAge {
		return false, nil
	}
	if age < checkpointAge {
		then, err := folderBytes(s.fs, path)
		if err != nil {
			return false, err
		}
		if now, err := folderBytes(s.fs, s.fs.PathJoin(s.dir, databaseDir)); err != nil || now < 2*then {
			return false, err
		}
	}
	same, err := s.sameTables(path)
	return !same, err
}

// holdsAny reports whether anything but the store's own records is stored.
func (s *Store) holdsAny() (any bool, err error) {
	err = s.Scan(Prefix(Meta+1, 0), nil, func(_, _ []byte) (bool, error) {
		any = true
		return false, nil
	})
	return any, err
}

// folderBytes returns the total size of the files in a directory; a file that is removed meanwhile
// counts as empty.
func folderBytes(fs vfs.FS, dir string) (total int64, err error) {
	names, err := fs.List(dir)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		info, err := fs.Stat(fs.PathJoin(dir, name))
		if oserror.IsNotExist(err) {
			continue
		}
		if err != nil {
			return 0, err
		}
		total += info.Size()
	}
	return total, nil
}

func (s *Store) takeUpkeep(ctx context.Context) error {
	select {
	case s.upkeep <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sameTables reports whether the newest checkpoint contains all that is stored: nothing was applied
// since it was made or, if that was before Open, its tables are exactly those of the database,
// which then holds nothing outside its tables.
func (s *Store) sameTables(checkpoint string) (bool, error) {
	if s.applied.Load() {
		return false, nil
	}
	if s.kept {
		return true, nil
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

// checkpoint makes one and removes all but the newest keep. The caller must hold the upkeep token.
func (s *Store) checkpoint(stop <-chan struct{}, gently bool, keep int) error {
	v, _, err := s.Get(formatKey())
	if err != nil {
		return err
	}
	format, _, ok := TakeUint32(v)
	if !ok {
		return s.corrupt(fmt.Errorf("format number of %d bytes", len(v)))
	}
	s.applied.Store(false)
	if err := s.makeCheckpoint(int(format), &pace{stop: stop, gently: gently}); err != nil {
		s.applied.Store(true)
		return s.fault("checkpoint", err)
	}
	s.kept = true
	names := checkpoints(s.fs, s.dir)
	var old []string
	for _, c := range names[:max(0, len(names)-keep)] {
		old = append(old, c.name)
	}
	return s.removeCheckpoints(old)
}

// makeCheckpoint makes a checkpoint under a temporary name, reads all of it, and renames it. Its
// ledger covers all of its manifest and logs.
func (s *Store) makeCheckpoint(format int, p *pace) error {
	parent := s.fs.PathJoin(s.dir, checkpointDir)
	if err := s.sweepCheckpoints(); err != nil {
		return err
	}
	if err := s.fs.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	last, number := "", uint64(1)
	if names := checkpoints(s.fs, s.dir); len(names) > 0 {
		newest := names[len(names)-1]
		last, number = s.fs.PathJoin(parent, newest.name), newest.number+1
	}
	name := checkpoint{format: format, at: s.now().UTC(), number: number}.fileName()
	aside := s.fs.PathJoin(parent, "."+name)
	err := s.latch.run(func() error { return s.db.Checkpoint(aside, pebble.WithFlushedWAL()) })
	for _, step := range []func() error{
		func() error { return s.detach(aside, last, p) },
		func() error { return coverCheckpoint(s.fs, aside) },
		func() error { return s.sound(aside, p) },
		func() error { return s.fs.Rename(aside, s.fs.PathJoin(parent, name)) },
		func() error { return syncDir(s.fs, parent) },
	} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		if rm := s.fs.RemoveAll(aside); rm != nil {
			s.log.Debug("remove failed checkpoint", "err", rm)
		}
		return err
	}
	return syncDir(s.fs, s.dir)
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

// sweepCheckpoints removes incomplete checkpoints left by a crash.
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

// checkpoint is the parsed name of a checkpoint.
type checkpoint struct {
	name   string
	format int
	at     time.Time // by the clock at that time
	number uint64
}

func (c checkpoint) fileName() string {
	return fmt.Sprintf("%d.%d-%s", c.format, c.number, c.at.Format(checkpointTime))
}

// checkpoints returns the complete ones, oldest first.
func checkpoints(fs vfs.FS, dir string) []checkpoint {
	all, err := fs.List(fs.PathJoin(dir, checkpointDir))
	if err != nil {
		return nil // none is usable
	}
	var out []checkpoint
	for _, name := range all {
		if c, ok := readCheckpoint(name); ok {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b checkpoint) int { return cmp.Or(cmp.Compare(a.number, b.number), a.at.Compare(b.at)) })
	return out
}

// readCheckpoint parses a name.
func readCheckpoint(name string) (c checkpoint, ok bool) {
	head, at, found := strings.Cut(name, "-")
	format, number, numbered := strings.Cut(head, ".")
	c.name = name
	if numbered {
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return c, false
		}
		c.number = n
	}
	c.format, c.at, ok = parseCheckpoint(format + "-" + at)
	return c, ok && found
}

// parseCheckpoint parses a name without its number.
func parseCheckpoint(name string) (format int, at time.Time, ok bool) {
	n, t, found := strings.Cut(name, "-")
	format, formatErr := strconv.Atoi(n)
	at, timeErr := time.Parse(checkpointTime, t)
	return format, at, found && formatErr == nil && timeErr == nil
}
