package store

import (
	"bytes"
	"errors"

	"github.com/cockroachdb/pebble/v2"
)

// Reader reads one state of the store. Safe for concurrent use.
type Reader interface {
	// Get returns a copy of a value, which the caller owns.
	Get(key []byte) (value []byte, found bool, err error)
	// Scan calls f for every key from lower up to, but not including, upper (nil: no bound),
	// ascending, until f returns false or an error, which Scan returns unchanged. Key and value are
	// valid only during f.
	Scan(lower, upper []byte, f func(key, value []byte) (more bool, err error)) error
	// ScanBack is Scan in descending order.
	ScanBack(lower, upper []byte, f func(key, value []byte) (more bool, err error)) error
}

// Get reads the latest committed state.
func (s *Store) Get(key []byte) (value []byte, found bool, err error) { return s.get(s.db, key) }

// Scan reads the state that is the latest when it begins.
func (s *Store) Scan(lower, upper []byte, f func(key, value []byte) (more bool, err error)) error {
	return s.scan(s.db, lower, upper, false, f)
}

// ScanBack reads the state that is the latest when it begins.
func (s *Store) ScanBack(lower, upper []byte, f func(key, value []byte) (more bool, err error)) error {
	return s.scan(s.db, lower, upper, true, f)
}

// Snapshot is one consistent state of the store. It keeps data deleted since on disk, so it should
// be closed soon.
type Snapshot struct {
	s  *Store
	db *pebble.Snapshot
}

// Snapshot returns the latest committed state; the caller must close it once.
func (s *Store) Snapshot() *Snapshot {
	s.snapMu.Lock()
	defer s.snapMu.Unlock()
	v := &Snapshot{s: s, db: s.db.NewSnapshot()}
	s.snapshots[v] = make(chan struct{})
	return v
}

// Close releases the state.
func (v *Snapshot) Close() error {
	v.s.snapMu.Lock()
	defer v.s.snapMu.Unlock()
	done, open := v.s.snapshots[v]
	if !open {
		return nil
	}
	delete(v.s.snapshots, v)
	defer close(done)
	return v.db.Close()
}

// Get reads the snapshot's state.
func (v *Snapshot) Get(key []byte) (value []byte, found bool, err error) { return v.s.get(v.db, key) }

// Scan reads the snapshot's state.
func (v *Snapshot) Scan(lower, upper []byte, f func(key, value []byte) (more bool, err error)) error {
	return v.s.scan(v.db, lower, upper, false, f)
}

// ScanBack reads the snapshot's state.
func (v *Snapshot) ScanBack(lower, upper []byte, f func(key, value []byte) (more bool, err error)) error {
	return v.s.scan(v.db, lower, upper, true, f)
}

func (s *Store) get(r pebble.Reader, key []byte) (value []byte, found bool, err error) {
	v, closer, err := r.Get(key)
	if errors.Is(err, pebble.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, s.fault("read", err)
	}
	return bytes.Clone(v), true, closer.Close()
}

func (s *Store) scan(r pebble.Reader, lower, upper []byte, back bool, f func(key, value []byte) (bool, error)) error {
	it, err := r.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: upper})
	if err != nil {
		return s.fault("read", err)
	}
	first, next := it.First, it.Next
	if back {
		first, next = it.Last, it.Prev
	}
	for ok := first(); ok; ok = next() {
		value, err := it.ValueAndErr()
		if err != nil {
			break // the iterator's own error is returned below
		}
		if more, err := f(it.Key(), value); err != nil || !more {
			return errors.Join(err, it.Close())
		}
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return s.fault("read", err)
	}
	return nil
}
