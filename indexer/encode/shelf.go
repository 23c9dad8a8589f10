package encode

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer/store"
	"github.com/zeebo/xxh3"
)

// Shelf keeps rows on disk for all workspaces of a user: a second worktree, or a branch that was left and taken up
// again, finds what was made before. It is derived data: a damaged one is begun anew. Safe for concurrent use.
type Shelf struct {
	dir string
	log *slog.Logger

	mu     sync.Mutex // guards all below
	db     *store.Store
	tried  time.Time // when it could not be opened
	closed bool
}

// lockedFor is how long a folder that another process has is left alone.
const lockedFor = 30 * time.Second

// NewShelf prepares the shelf in a folder of its own, which is opened when it is first needed. While another process
// has the folder nothing is found on it and nothing is kept.
func NewShelf(dir string, log *slog.Logger) *Shelf {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Shelf{dir: dir, log: log}
}

// errAway says that the folder is not open.
var errAway = errors.New("the embeddings' folder is not open")

// open gives the store, opening it at the first call.
func (s *Shelf) open() (*store.Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db != nil || s.closed {
		if s.db == nil {
			return nil, errAway
		}
		return s.db, nil
	}
	if !s.tried.IsZero() && time.Since(s.tried) < lockedFor {
		return nil, errAway
	}
	db, err := store.Open(s.dir, s.log)
	var corrupt *store.CorruptError
	if errors.As(err, &corrupt) {
		s.log.Warn("stored embeddings were damaged and are made again", "err", corrupt.Err)
		if err := os.RemoveAll(s.dir); err != nil {
			return nil, fmt.Errorf("remove damaged embeddings: %w", err)
		}
		db, err = store.Open(s.dir, s.log)
	}
	if err != nil {
		s.tried = time.Now()
		s.log.Warn("embeddings are not kept", "err", err)
		return nil, err
	}
	s.db = db
	return db, nil
}

// Close writes down what was put and lets go of the folder. Nobody may be using the shelf.
func (s *Shelf) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.db == nil {
		return nil
	}
	err := s.db.Close()
	s.db = nil
	return err
}

// rowSum guards a row against damage on disk: a wrong vector is worse than none.
const rowSum = 4 // bytes

// The store's keys are a letter and a hash of the model's identity; behind that a row has its text's hash.
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

// Get gives a text's row under a model, or false. What cannot be read, or has another length, is not there.
func (s *Shelf) Get(identity string, h Hash, dims int) ([]int8, bool) {
	db, err := s.open()
	if err != nil {
		return nil, false
	}
	key := rowKey(identity, h)
	b, ok, err := db.Get(key)
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

// sumOf is that of a row under its key, so that a row of another text does not pass either.
func sumOf(key, row []byte) uint32 { return uint32(xxh3.HashSeed(row, xxh3.Hash(key))) }

// Put keeps rows of a model; a crash may lose what was put since the last Flush.
func (s *Shelf) Put(identity string, hashes []Hash, rows [][]int8) error {
	db, err := s.open()
	if err != nil {
		return err
	}
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
}

// Forget removes the rows of texts under a model.
func (s *Shelf) Forget(identity string, hashes []Hash) error {
	db, err := s.open()
	if err != nil {
		return err
	}
	b := db.NewBatch()
	for _, h := range hashes {
		if err := b.Delete(rowKey(identity, h)); err != nil {
			return errors.Join(fmt.Errorf("remove embeddings: %w", err), b.Drop())
		}
	}
	return b.Commit()
}

// Flush brings what was put to disk.
func (s *Shelf) Flush() error {
	db, err := s.open()
	if err != nil {
		return err
	}
	return db.Flush()
}

// Generation numbers what goes by one identity and yet embeds differently, as another build of the server may: 0 for
// the first that was seen, and so on. probes are the vectors of the probe texts now; same compares them with those of
// an earlier time. Where nothing can be kept it is 0.
func (s *Shelf) Generation(identity string, probes [][]float32, same func(old [][]float32) bool) (int, error) {
	db, err := s.open()
	if err != nil {
		return 0, err
	}
	key := modelKey(probePrefix, identity)
	var known [][][]float32
	if b, ok, err := db.Get(key); err != nil {
		return 0, err
	} else if ok && json.Unmarshal(b, &known) != nil {
		known = nil
	}
	for i, old := range known {
		if same(old) {
			return i, nil
		}
	}
	b, err := json.Marshal(append(known, probes))
	if err != nil {
		return 0, fmt.Errorf("keep probes: %w", err)
	}
	batch := db.NewBatch()
	if err := batch.Set(key, b); err != nil {
		return 0, errors.Join(fmt.Errorf("keep probes: %w", err), batch.Drop())
	}
	if err := errors.Join(batch.Commit(), db.Flush()); err != nil {
		return 0, err
	}
	return len(known), nil
}
