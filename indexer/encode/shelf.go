package encode

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer/store"
	"github.com/zeebo/xxh3"
)

// Shelf stores rows on disk for all workspaces of a user: a second worktree, or a branch that is
// checked out again, finds the rows made before. Processes take turns: each has the folder open
// only while it uses it. It is derived data: a damaged shelf is rebuilt. It is safe for concurrent
// use.
type Shelf struct {
	dir      string
	log      *slog.Logger
	patience time.Duration // see turn
	ended    chan struct{} // closed by Close

	mu    sync.Mutex // guards the fields below
	db    *store.Store
	users int         // of db
	used  time.Time   // when the last user left
	idle  *time.Timer // closes db; nil if there is none
	tried time.Time   // when opening last failed
	// damaged means that data on disk could not be read: it is salvaged once db is unused.
	damaged  bool
	salvages int
}

const (
	// linger is how long the folder stays open unused, so that a series of small requests opens it
	// once.
	linger = 250 * time.Millisecond
	// turn is the maximum wait for other processes, which release the lock between two batches.
	turn = 10 * time.Second
	// lockedFor is how long the shelf does not retry to open a folder that another process holds.
	lockedFor = 30 * time.Second
)

// NewShelf returns the shelf of a folder of its own, which is opened on demand. While another
// process holds the folder for long, nothing is found and nothing is stored.
func NewShelf(dir string, log *slog.Logger) *Shelf {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Shelf{dir: dir, log: log, patience: turn, ended: make(chan struct{})}
}

// errAway means that the folder is not open.
var errAway = errors.New("the embeddings' folder is not open")

// with calls f with the open store, which f must not keep.
func (s *Shelf) with(f func(db *store.Store) error) error {
	s.mu.Lock()
	if s.db == nil {
		if err := s.openLocked(); err != nil {
			s.mu.Unlock()
			return err
		}
	}
	s.users++
	db := s.db
	s.mu.Unlock()
	err := f(db)
	s.leave(err)
	return err
}

// leave ends a use, which returned err.
func (s *Shelf) leave(err error) {
	var corrupt *store.CorruptError
	s.mu.Lock()
	defer s.mu.Unlock()
	s.damaged = s.damaged || errors.As(err, &corrupt)
	s.users--
	if s.users == 0 && s.damaged { // later writes must not be mixed with unreadable data
		if err := s.closeLocked(); err != nil {
			s.log.Warn("embeddings are not saved", "err", err)
		}
		return
	}
	s.used = time.Now()
	if s.users == 0 && s.idle == nil {
		s.idle = time.AfterFunc(linger, s.letGo)
	}
}

// letGo closes the folder if it was unused for a while, so that other processes can open it.
func (s *Shelf) letGo() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = nil
	if s.db == nil || s.users > 0 {
		return
	}
	if left := linger - time.Since(s.used); left > 0 {
		s.idle = time.AfterFunc(left, s.letGo)
		return
	}
	if err := s.closeLocked(); err != nil {
		s.log.Warn("embeddings are not saved", "err", err)
	}
}

// closeLocked releases the folder, and salvages it first if it is damaged.
func (s *Shelf) closeLocked() error {
	if s.damaged || s.db.Damaged() {
		s.damaged = false
		s.salvages++
		if err := s.salvageLocked(); err != nil {
			s.log.Warn("embeddings are damaged", "err", err)
		}
	}
	if s.db == nil {
		return nil
	}
	err := s.db.Close()
	s.db = nil
	return err
}

// over reports whether the shelf was closed.
func (s *Shelf) over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// openLocked opens the store, and waits for its turn.
func (s *Shelf) openLocked() error {
	if s.over() || s.salvages > salvagesMost || !s.tried.IsZero() && time.Since(s.tried) < lockedFor {
		return errAway
	}
	deadline := time.Now().Add(s.patience)
	for {
		db, err := store.Open(s.dir, s.log) // which waits briefly itself
		var corrupt *store.CorruptError
		if errors.As(err, &corrupt) {
			s.log.Warn("stored embeddings were damaged and are made again", "err", corrupt.Err)
			if err := os.RemoveAll(s.dir); err != nil {
				return fmt.Errorf("remove damaged embeddings: %w", err)
			}
			db, err = store.Open(s.dir, s.log)
		}
		if err == nil {
			s.db, s.tried = db, time.Time{}
			return nil
		}
		var locked *store.LockedError
		if errors.As(err, &locked) && time.Now().Before(deadline) && !s.over() {
			continue
		}
		s.tried = time.Now()
		s.log.Warn("embeddings are not kept", "err", err)
		return err
	}
}

// Close saves the rows and releases the folder. The shelf must not be in use.
func (s *Shelf) Close() error {
	close(s.ended) // first: a caller that waits for a turn holds the lock
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle != nil {
		s.idle.Stop()
	}
	if s.db == nil {
		return nil
	}
	return s.closeLocked()
}

// rowSum protects a row against damage on disk: a wrong vector is worse than none.
const rowSum = 4 // bytes

// The store's keys are a letter and a hash of the model's identity; in a row's key the hash of its
// text follows.
const (
	rowPrefix   = 'r'
	probePrefix = 'p'
)

func modelKey(prefix byte, identity string) []byte {
	return binary.BigEndian.AppendUint64(append(make([]byte, 0, 25), prefix), xxh3.HashString(identity))
}

func rowKey(identity string, h Hash) []byte {
	k := binary.BigEndian.AppendUint64(modelKey(rowPrefix, identity), h.Hi)
	return binary.BigEndian.AppendUint64(k, h.Lo)
}

// Get returns a text's row under a model, or false. An unreadable row, or one of another length,
// counts as missing.
func (s *Shelf) Get(identity string, h Hash, dims int) ([]int8, bool) {
	key := rowKey(identity, h)
	var b []byte
	var ok bool
	err := s.with(func(db *store.Store) (err error) {
		b, ok, err = db.Get(key)
		return err
	})
	if err != nil || !ok || len(b) != dims+rowSum {
		return nil, false
	}
	row := b[:dims]
	if binary.LittleEndian.Uint32(b[dims:]) != sumOf(key, row) {
		return nil, false
	}
	out := make([]int8, dims)
	for i, v := range row {
		out[i] = int8(v)
	}
	return out, true
}

// sumOf returns the checksum of a row with its key, so that a row of another text is rejected too.
func sumOf(key, row []byte) uint32 { return uint32(xxh3.HashSeed(row, xxh3.Hash(key))) }

// Put stores rows of a model; a crash may lose rows put in the last moments, or since the last
// Flush.
func (s *Shelf) Put(identity string, hashes []Hash, rows [][]int8) error {
	return s.with(func(db *store.Store) error {
		b := db.NewBatch()
		for i, h := range hashes {
			key := rowKey(identity, h)
			value := make([]byte, len(rows[i]), len(rows[i])+rowSum)
			for k, v := range rows[i] {
				value[k] = byte(v)
			}
			value = binary.LittleEndian.AppendUint32(value, sumOf(key, value))
			if err := b.Set(key, value); err != nil {
				return errors.Join(fmt.Errorf("keep embeddings: %w", err), b.Drop())
			}
		}
		return b.Commit()
	})
}

// Forget removes the rows of texts under a model.
func (s *Shelf) Forget(identity string, hashes []Hash) error {
	return s.with(func(db *store.Store) error {
		b := db.NewBatch()
		for _, h := range hashes {
			if err := b.Delete(rowKey(identity, h)); err != nil {
				return errors.Join(fmt.Errorf("remove embeddings: %w", err), b.Drop())
			}
		}
		return b.Commit()
	})
}

// Flush writes all rows to disk. When the folder was closed, they are there already.
func (s *Shelf) Flush() error {
	s.mu.Lock()
	open := s.db != nil
	s.mu.Unlock()
	if !open {
		return nil
	}
	return s.with((*store.Store).Flush)
}

// Generation numbers models with one identity that embed differently, for example in another build
// of the server: 0 for the first one, and so on. probes are the current vectors of the probe texts;
// same compares them with earlier ones. It returns 0 if nothing can be stored.
func (s *Shelf) Generation(identity string, probes [][]float32, same func(old [][]float32) bool) (generation int, err error) {
	err = s.with(func(db *store.Store) error {
		key := modelKey(probePrefix, identity)
		var known [][][]float32
		if b, ok, err := db.Get(key); err != nil {
			return err
		} else if ok && json.Unmarshal(b, &known) != nil {
			known = nil
		}
		if generation = slices.IndexFunc(known, same); generation >= 0 {
			return nil
		}
		generation = 0
		b, err := json.Marshal(append(known, probes))
		if err != nil {
			return fmt.Errorf("keep probes: %w", err)
		}
		batch := db.NewBatch()
		if err := batch.Set(key, b); err != nil {
			return errors.Join(fmt.Errorf("keep probes: %w", err), batch.Drop())
		}
		if err := errors.Join(batch.Commit(), db.Flush()); err != nil {
			return err
		}
		generation = len(known)
		return nil
	})
	return generation, err
}
