// Package store keeps the user's memory on disk, in Pebble: one store for the user. Its data is
// precious: what was acknowledged survives a crash, what cannot be read is refused and never
// replaced by an empty start, and what was erased is no longer in any file.
//
// The directory holds MEMORY (a text that identifies it as memory, with its format), db (Pebble's
// files and the LEDGER of what is on disk), checkpoints (older states), LOCK and holder. The
// index's store cannot open db, since it lacks the merger named in it; this one refuses a directory
// that is not empty and has no MEMORY.
package store

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/errors/oserror"
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Options are the options of Open; zero values are defaults.
type Options struct {
	Log        *slog.Logger     // nil: no log
	Now        func() time.Time // for the names and ages of checkpoints; nil: time.Now
	Migrations []Migration      // run after the product's own, in order; their numbers only go up

	// Notable reports whether Changed is to be called for a change of a key; set both or none.
	// Notable must be fast.
	Notable func(key []byte) bool
	// Changed is called with the workspaces of notable keys that were written or removed
	// individually, and those that were removed as a whole, each time that such a change has become
	// visible. It is called by the goroutine that applied it and must not block or use the store.
	Changed func(list []Workspace)

	fs    vfs.FS // nil: the disk's
	plain bool   // no compression, for tests that search for bytes
}

// Migration converts a store from the previous format to format To. It may run again after a crash,
// so it must be idempotent.
type Migration struct {
	To  int
	Run func(s *Store) error
}

// Store is the open memory store. Safe for concurrent use. After a fault of the disk it refuses
// writes with the fault's error and can still be read; Close and Open restart with everything that
// was acknowledged.
type Store struct {
	fs    vfs.FS
	files *trackedFS
	db    *pebble.DB
	dir   string
	log   *slog.Logger
	now   func() time.Time
	want  int // the format of this program; set once by Open
	latch *latch
	cache *pebble.Cache
	locks [2]*pebble.Lock // of the directory and of the database in it

	applied atomic.Bool // something was applied since Open, or since the last checkpoint
	opened  atomic.Bool // Open has done everything but return

	generation atomic.Uint64 // see Generation

	notable  func(key []byte) bool // see Options
	onChange func(list []Workspace)

	upkeep chan struct{} // holds one token, taken by Checkpoint and Erase
	kept   bool          // a checkpoint was made since Open; guarded by the token

	restoring sync.Once // guards restore
	restore   string    // the checkpoint to go back to, where Open failed

	mu         sync.Mutex // guards what follows; held while a new workspace's number is brought to disk
	workspaces map[string]Workspace

	snapMu    sync.Mutex
	snapshots map[*Snapshot]chan struct{} // open ones; closed with the snapshot
}

// Close closes the store when all that was applied is on disk. After a fault it releases the
// directory without waiting for the disk and returns the fault.
func (s *Store) Close() error {
	err := s.latch.run(s.db.Close)
	if s.latch.fault() == nil {
		err = errors.Join(err, s.files.ledger.close())
	}
	if rm := s.fs.Remove(s.fs.PathJoin(s.dir, holderFile)); rm != nil && !oserror.IsNotExist(rm) {
		s.log.Debug("remove holder", "err", rm)
	}
	s.release(s.latch.fault() != nil)
	return s.fault("close", err)
}

// release releases the locks; for a store that failed also Pebble's own, since Pebble cannot be
// closed then.
func (s *Store) release(failed bool) {
	for i, l := range s.locks {
		if l == nil {
			continue
		}
		if failed && i == 1 {
			if err := l.Close(); err != nil {
				s.log.Debug("unlock memory", "err", err)
			}
		}
		if err := l.Close(); err != nil {
			s.log.Debug("unlock memory", "err", err)
		}
	}
	if s.cache != nil && !failed {
		s.cache.Unref()
	}
}
