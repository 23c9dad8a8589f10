package store

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	databaseDir   = "db"
	newDatabase   = "db.new" // a database being created
	markerFile    = "MEMORY"
	markerTitle   = "contexture memory, format "
	holderFile    = "holder"
	memTableBytes = 16 << 20
	cacheBytes    = 32 << 20
	lockPatience  = 1500 * time.Millisecond // a process that is exiting needs a moment
)

// FirstFormat is the format of a store without any migration.
const FirstFormat = 1

// migrations are the product's own.
var migrations []Migration

// Open opens the store in dir, or creates one when dir is missing or empty. It returns *LockedError
// within two seconds when another process holds it, *NewerError for a newer program's store and
// *CorruptError for anything that cannot be read; in the latter two cases nothing was written.
func Open(dir string, o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.fs == nil {
		o.fs = vfs.Default
	}
	s := &Store{
		fs: o.fs, dir: dir, log: o.Log, now: o.Now, latch: newLatch(o.Log), upkeep: make(chan struct{}, 1),
		workspaces: map[string]Workspace{}, snapshots: map[*Snapshot]chan struct{}{}, notable: o.Notable, onChange: o.Changed,
	}
	if err := makeDir(o.fs, dir); err != nil {
		return nil, s.fault("create", err)
	}
	var err error
	if s.locks[0], err = s.lock(dir); err != nil {
		return nil, err
	}
	if err := s.open(o); err != nil {
		if s.db != nil {
			return nil, errors.Join(s.fault("start", err), s.Close())
		}
		s.release(false)
		return nil, s.fault("open", err)
	}
	s.opened.Store(true)
	return s, nil
}

// open does Open's work under the lock.
func (s *Store) open(o Options) error {
	steps := append(append([]Migration(nil), migrations...), o.Migrations...)
	want := FirstFormat
	for _, m := range steps {
		want = max(want, m.To)
	}
	s.want = want
	db := s.fs.PathJoin(s.dir, databaseDir)
	marked, err := s.readMarker()
	if err != nil {
		return err
	}
	if marked > want {
		return &NewerError{Path: s.dir, Have: marked, Want: want}
	}
	if marked == 0 {
		if err := s.create(o, want); err != nil {
			return err
		}
		marked = want
	}
	if err := s.finishCreation(db); err != nil {
		return err
	}
	have, known, err := s.verify(db)
	if err != nil {
		return err
	}
	if have > want {
		return &NewerError{Path: s.dir, Have: have, Want: want}
	}
	if err := s.openDatabase(o, db, known); err != nil {
		return err
	}
	pid := []byte(strconv.Itoa(os.Getpid()))
	if err := writeFile(s.fs, s.fs.PathJoin(s.dir, holderFile), pid); err != nil {
		return fmt.Errorf("write holder: %w", err)
	}
	if err := s.sweepCheckpoints(); err != nil {
		return err
	}
	if err := s.migrate(have, want, steps); err != nil {
		return err
	}
	if marked != want {
		return s.writeMarker(want)
	}
	return nil
}

// lock acquires a directory's lock, waiting briefly for a holder that is exiting.
func (s *Store) lock(dir string) (*pebble.Lock, error) {
	for deadline := time.Now().Add(lockPatience); ; time.Sleep(50 * time.Millisecond) {
		lock, err := pebble.LockDirectory(dir, s.fs)
		if err == nil {
			return lock, nil
		}
		if !isHeld(err) && !strings.Contains(err.Error(), "lock held by current") {
			return nil, s.fault("lock", err)
		}
		if time.Now().After(deadline) {
			return nil, &LockedError{Path: s.dir, Holder: s.holder()}
		}
	}
}

func (s *Store) holder() int {
	b, err := readFile(s.fs, s.fs.PathJoin(s.dir, holderFile))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return pid
}

// readMarker returns the format in the marker, 0 for a new directory. It refuses a directory with
// other content.
func (s *Store) readMarker() (format int, err error) {
	b, err := readFile(s.fs, s.fs.PathJoin(s.dir, markerFile))
	if err == nil {
		n, ok := strings.CutPrefix(strings.TrimSpace(string(b)), markerTitle)
		if format, err = strconv.Atoi(n); !ok || err != nil || format < FirstFormat {
			return 0, s.unmarked(fmt.Errorf("%s is not the text it should be", markerFile))
		}
		return format, nil
	}
	if !oserror.IsNotExist(err) {
		return 0, err
	}
	names, err := s.fs.List(s.dir)
	if err != nil {
		return 0, err
	}
	for _, name := range names {
		switch {
		case name == "LOCK", name == holderFile, name == newDatabase, strings.HasPrefix(name, "."):
		case strings.HasPrefix(name, markerFile+"."), strings.HasPrefix(name, holderFile+"."): // left by an interrupted write
		default:
			return 0, s.unmarked(fmt.Errorf("it holds %q, but %s, which marks it as memory, is missing", name,
				markerFile))
		}
	}
	return 0, nil
}

func (s *Store) writeMarker(format int) error {
	path := s.fs.PathJoin(s.dir, markerFile)
	if err := writeFile(s.fs, path, []byte(markerTitle+strconv.Itoa(format)+"\n")); err != nil {
		return fmt.Errorf("write %s: %w", markerFile, err)
	}
	return nil
}

// create makes a database under a temporary name and then the marker; finishCreation moves it into
// place. After a crash before the marker the next Open starts over; after the marker finishCreation
// completes it.
func (s *Store) create(o Options, format int) error {
	dir := s.fs.PathJoin(s.dir, newDatabase)
	if err := s.fs.RemoveAll(dir); err != nil {
		return err
	}
	if err := s.fs.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := s.openDatabase(o, dir, map[string]*entry{}); err != nil {
		return err
	}
	b := s.NewBatch()
	b.Set(formatKey(), AppendUint32(nil, uint32(format)))
	if err := s.commit(b); err != nil {
		return err
	}
	err := errors.Join(s.latch.run(s.db.Close), s.files.ledger.close(), s.locks[1].Close())
	s.db, s.locks[1] = nil, nil
	s.cache.Unref()
	s.cache = nil
	if err != nil {
		return err
	}
	return s.writeMarker(format)
}

func (s *Store) finishCreation(db string) error {
	names, err := s.fs.List(db)
	if err == nil && len(names) > 0 {
		return nil
	}
	if err != nil && !oserror.IsNotExist(err) {
		return err
	}
	aside := s.fs.PathJoin(s.dir, newDatabase)
	if _, err := s.fs.Stat(aside); err != nil {
		return s.corrupt(fmt.Errorf("its database (directory %s) is missing", databaseDir))
	}
	if err := s.fs.Rename(aside, db); err != nil {
		return err
	}
	return syncDir(s.fs, s.dir)
}

// verify checks without writing: the ledger's files, the manifest, the logs, each table's end, the
// format number.
func (s *Store) verify(db string) (format int, known map[string]*entry, err error) {
	known, err = s.inspect(db, s.latch, func(ro *pebble.DB) error {
		_, tablesErr := ro.SSTables(pebble.WithProperties())
		v, _, getErr := s.get(ro, formatKey())
		if err := errors.Join(tablesErr, getErr); err != nil {
			return err
		}
		n, _, ok := TakeUint32(v)
		if !ok {
			return s.corrupt(errors.New("it has no format number"))
		}
		format = int(n)
		return nil
	})
	return format, known, err
}

// inspect opens a database that nobody has open, read-only; nothing is written, not even a lock.
// Faults go to l.
func (s *Store) inspect(db string, l *latch, look func(ro *pebble.DB) error) (known map[string]*entry, err error) {
	if known, err = checkLedger(s.fs, db); err != nil {
		return nil, err
	}
	cache := pebble.NewCache(1 << 20)
	defer cache.Unref()
	opts := s.options(Options{}, cache, l)
	opts.FS, opts.ReadOnly = readOnlyFS{s.fs}, true
	var ro *pebble.DB
	err = l.run(func() (err error) {
		ro, err = pebble.Open(db, opts)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = look(ro)
	return known, errors.Join(err, ro.Close())
}

func (s *Store) openDatabase(o Options, db string, known map[string]*entry) (err error) {
	if s.locks[1], err = s.lock(db); err != nil {
		return err
	}
	ledger, err := openLedger(s.fs, db, known)
	if err != nil {
		return err
	}
	s.files = newTrackedFS(s.fs, s.latch, ledger)
	s.cache = pebble.NewCache(cacheBytes)
	opts := s.options(o, s.cache, s.latch)
	opts.FS, opts.Lock = s.files, s.locks[1]
	err = s.latch.run(func() (err error) {
		s.db, err = pebble.Open(db, opts)
		return err
	})
	if err != nil {
		return errors.Join(err, ledger.close())
	}
	return nil
}

// options returns Pebble's options for a store of one user: little memory, small on disk, no work
// while idle. A new manifest is begun as often as Pebble allows, so that keys of removed tables do
// not remain in an old one.
func (s *Store) options(o Options, cache *pebble.Cache, l *latch) *pebble.Options {
	opts := &pebble.Options{
		Cache:                       cache,
		FormatMajorVersion:          pebble.FormatTableFormatV6,
		Merger:                      appendMerger,
		MemTableSize:                memTableBytes,
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       16,      // each start adds a small table, and each compaction rewrites all that it overlaps
		L0StopWritesThreshold:       1 << 10, // commits continue while Erase compacts everything
		MaxManifestFileSize:         1,
		Cleaner:                     pebble.ArchiveCleaner{}, // see trackedFS.Rename
		Logger:                      quietLogger{l},
		EventListener:               l.listener(),
	}
	// Pebble's default scheduler polls ten times a second whether more compactions may run. Their
	// number is fixed here, so that only the end of one can admit another.
	opts.Experimental.CompactionScheduler = pebble.NewConcurrencyLimitSchedulerWithNoPeriodicGrantingForTest()
	if o.plain {
		opts.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionNone })
	} else {
		opts.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionGood })
	}
	for i := range opts.Levels {
		opts.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	return opts
}

func formatKey() []byte { return append(Prefix(Meta, 0), 'f') }

// migrate migrates an older store to the wanted format, after a checkpoint of its old state.
func (s *Store) migrate(have, want int, steps []Migration) error {
	if have == want {
		return nil
	}
	if err := s.makeCheckpoint(have, &pace{}); err != nil {
		return fmt.Errorf("checkpoint before migration: %w", err)
	}
	for _, m := range steps {
		if m.To <= have {
			continue
		}
		if err := m.Run(s); err != nil {
			return fmt.Errorf("migrate memory to format %d: %w", m.To, err)
		}
		b := s.NewBatch()
		b.Set(formatKey(), AppendUint32(nil, uint32(m.To)))
		if err := s.commit(b); err != nil {
			return err
		}
		have = m.To
	}
	return nil
}
