package store

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// Batch collects writes that become visible and durable together, in the order in which they were
// added. It cannot be read. Its methods store the first error for Apply. Not safe for concurrent
// use.
type Batch struct {
	b       *pebble.Batch
	err     error
	removed []string // roots of the workspaces it removes
	aside   bool
	notable func(key []byte) bool // see Options
	changes []Workspace           // those with notable keys in the batch, without duplicates
}

// NewBatch returns an empty batch. A batch that is never applied may be dropped.
func (s *Store) NewBatch() *Batch { return &Batch{b: s.db.NewBatch(), notable: s.notable} }

// Set writes one value; key and value are copied.
func (b *Batch) Set(key, value []byte) {
	b.note(key)
	b.keep(b.b.Set(key, value, nil))
}

// SetJSON writes a value as JSON. It returns an error for a value that JSON cannot represent; then
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

// note records the workspace of a notable key.
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

// DeleteRange removes the keys from lower up to, but not including, upper.
func (b *Batch) DeleteRange(lower, upper []byte) { b.keep(b.b.DeleteRange(lower, upper, nil)) }

// Append appends value to the key's present value, without reading it; a missing key counts as
// empty.
func (b *Batch) Append(key, value []byte) { b.keep(b.b.Merge(key, value, nil)) }

// Keys lists the keys that are written or removed individually, in staging order.
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

// Aside declares that nothing in the batch changes an answer, so that it does not raise the
// generation.
func (b *Batch) Aside() { b.aside = true }

func (b *Batch) keep(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Apply makes the batch visible to all readers, as a whole. The returned function blocks until the
// batch and everything applied before it is on disk, also for an empty batch; concurrent callers
// share one fsync. It may be called from any goroutine and repeatedly. A batch is applied once and
// must not be used afterwards. After an error of either, the batch may or may not be there when the
// store is opened again, but never in part.
func (s *Store) Apply(b *Batch) (wait func() error, err error) {
	if b.err != nil {
		return nil, s.fault("write", b.err)
	}
	if b.b.Empty() {
		b.keep(b.b.LogData(nil, nil)) // a record for the sync to follow
	}
	if err := s.latch.run(func() error { return s.db.ApplyNoSyncWait(b.b, pebble.Sync) }); err != nil {
		return nil, s.fault("write", err)
	}
	s.changed(b)
	return sync.OnceValue(func() error { return s.fault("write", s.latch.run(func() error { return s.settle(b) })) }), nil
}

// settle blocks until the batch's fsync. A failed fsync is a fault: what follows it in the log
// could not be relied on.
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

// ApplyLater is Apply for derived data: it does not wait for the disk. A crash may lose the batch,
// together with everything applied after it that is not durable either.
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

// commit applies the batch and blocks until it is durable.
func (s *Store) commit(b *Batch) error {
	wait, err := s.Apply(b)
	if err != nil {
		return err
	}
	return wait()
}

// changed records that a batch is visible.
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

// Generation increases with every change that readers may see, of any workspace, while the process
// runs. It has increased when Apply or ApplyLater returns. Data from a snapshot that was taken
// after reading a generation stays valid as long as the generation is the same.
func (s *Store) Generation() uint64 { return s.generation.Load() }
