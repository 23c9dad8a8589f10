package store

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// Batch collects writes that become visible and durable together, in the order in which they were
// made. It cannot be read. Its methods keep the first error for Apply. Not safe for concurrent use.
type Batch struct {
	b       *pebble.Batch
	err     error
	removed []string // roots of the workspaces it removes
	aside   bool
	notable func(key []byte) bool // see Options
	changes []Workspace           // those with notable keys in it, each once
}

// NewBatch returns an empty batch. One that is never applied may be dropped.
func (s *Store) NewBatch() *Batch { return &Batch{b: s.db.NewBatch(), notable: s.notable} }

// Set writes one value; key and value are copied.
func (b *Batch) Set(key, value []byte) {
	b.note(key)
	b.keep(b.b.Set(key, value, nil))
}

// SetJSON writes a value as JSON. Its error is that of a value that JSON cannot hold, of which
// nothing is staged.
func (b *Batch) SetJSON(key []byte, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	b.Set(key, data)
	return nil
}

// Delete removes one key.
func (b *Batch) Delete(key []byte) {
	b.note(key)
	b.keep(b.b.Delete(key, nil))
}

// note notes the workspace of a notable key.
func (b *Batch) note(key []byte) {
	if b.notable == nil || !b.notable(key) {
		return
	}
	if n, _, ok := TakeUint32(key[1:]); ok {
		b.noteWorkspace(Workspace(n))
	}
}

func (b *Batch) noteWorkspace(ws Workspace) {
	if !slices.Contains(b.changes, ws) {
		b.changes = append(b.changes, ws)
	}
}

// DeleteRange removes the keys from lower up to upper, which is not included.
func (b *Batch) DeleteRange(lower, upper []byte) { b.keep(b.b.DeleteRange(lower, upper, nil)) }

// Append puts value after the key's present value, which it does not read; after nothing where
// there is none.
func (b *Batch) Append(key, value []byte) { b.keep(b.b.Merge(key, value, nil)) }

// Keys lists the keys that are written or removed individually, in the order in which that was
// staged.
func (b *Batch) Keys() [][]byte {
	var out [][]byte
	for r := b.b.Reader(); ; {
		kind, key, _, ok, err := r.Next()
		if b.keep(err); !ok || err != nil {
			return out
		}
		if kind != pebble.InternalKeyKindRangeDelete {
			out = append(out, key)
		}
	}
}

// Aside says that nothing in the batch changes what a reader answers, so that it does not raise the
// generation.
func (b *Batch) Aside() { b.aside = true }

func (b *Batch) keep(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Apply makes the batch visible to all readers, as a whole. The function it gives waits until the
// batch and everything applied before it is on disk, for a batch with nothing in it too; callers
// that wait at the same time share one fsync. It may be called from anywhere and again. A batch is
// applied once and is not used after that. After an error of either the batch may be there or not
// when the store is opened again, whole in any case.
func (s *Store) Apply(b *Batch) (wait func() error, err error) {
	if b.err != nil {
		return nil, s.fault("write", b.err)
	}
	if b.b.Empty() {
		b.keep(b.b.LogData(nil, nil)) // a record, for the sync to follow
	}
	if err := s.latch.run(func() error { return s.db.ApplyNoSyncWait(b.b, pebble.Sync) }); err != nil {
		return nil, s.fault("write", err)
	}
	s.changed(b)
	return sync.OnceValue(func() error { return s.fault("write", s.latch.run(func() error { return s.settle(b) })) }), nil
}

// settle waits for the batch's fsync. One that failed is a fault: what follows it in the log could
// not be relied on.
func (s *Store) settle(b *Batch) error {
	if err := b.b.SyncWait(); err != nil {
		s.latch.note(err)
		return err
	}
	if err := s.latch.fault(); err != nil {
		return err
	}
	return b.b.Close()
}

// ApplyLater is Apply for what can be derived again: it does not wait for the disk. A crash may
// lose it, but only with all that was applied after it and is not durable either.
func (s *Store) ApplyLater(b *Batch) error {
	if b.err != nil {
		return s.fault("write", b.err)
	}
	if err := s.latch.run(func() error { return s.db.Apply(b.b, pebble.NoSync) }); err != nil {
		return s.fault("write", err)
	}
	s.changed(b)
	return b.b.Close()
}

// commit is Apply and its wait.
func (s *Store) commit(b *Batch) error {
	wait, err := s.Apply(b)
	if err != nil {
		return err
	}
	return wait()
}

// changed notes that a batch is visible.
func (s *Store) changed(b *Batch) {
	s.applied.Store(true)
	s.forget(b.removed)
	if !b.aside {
		s.generation.Add(1)
	}
	if len(b.changes) > 0 {
		s.onChange(b.changes)
	}
}

// Generation grows with every change that readers may see, of any workspace; not while the process
// is not running. A change has raised it when Apply or ApplyLater returns. What was read of a
// snapshot that was taken after a generation was, holds as long as the generation is the same.
func (s *Store) Generation() uint64 { return s.generation.Load() }
