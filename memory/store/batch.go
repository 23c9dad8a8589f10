package store

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// Batch collects writes that become visible and durable together, in the order in which they were made. It cannot be
// read. Its methods keep the first error for Apply. Not safe for concurrent use.
type Batch struct {
	b   *pebble.Batch
	err error
}

// NewBatch gives an empty batch. One that is never applied may be dropped.
func (s *Store) NewBatch() *Batch { return &Batch{b: s.db.NewBatch()} }

// Set writes one value; key and value are copied.
func (b *Batch) Set(key, value []byte) { b.keep(b.b.Set(key, value, nil)) }

// Delete removes one key.
func (b *Batch) Delete(key []byte) { b.keep(b.b.Delete(key, nil)) }

// DeleteRange removes the keys from lower up to upper, which is not included.
func (b *Batch) DeleteRange(lower, upper []byte) { b.keep(b.b.DeleteRange(lower, upper, nil)) }

// Append puts value after the key's present value, which it does not read; after nothing where there is none.
func (b *Batch) Append(key, value []byte) { b.keep(b.b.Merge(key, value, nil)) }

func (b *Batch) keep(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Apply makes the batch visible to all readers, as a whole. The function it gives waits until the batch and everything
// applied before it is on disk; callers that wait at the same time share one fsync. It is called once. A batch is
// applied once and is not used again.
func (s *Store) Apply(b *Batch) (wait func() error, err error) {
	if b.err != nil {
		return nil, fmt.Errorf("write memory: %w", b.err)
	}
	if b.b.Empty() {
		b.b.LogData(nil, nil)
	}
	if err := s.db.ApplyNoSyncWait(b.b, pebble.Sync); err != nil {
		return nil, fmt.Errorf("write memory: %w", err)
	}
	return func() error {
		if err := b.b.SyncWait(); err != nil {
			return fmt.Errorf("write memory: %w", err)
		}
		return b.b.Close()
	}, nil
}

// ApplyLater is Apply for what can be derived again: it does not wait for the disk.
func (s *Store) ApplyLater(b *Batch) error {
	if b.err != nil {
		return fmt.Errorf("write memory: %w", b.err)
	}
	if err := s.db.Apply(b.b, pebble.NoSync); err != nil {
		return fmt.Errorf("write memory: %w", err)
	}
	return b.b.Close()
}
