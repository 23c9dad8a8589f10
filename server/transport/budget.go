package transport

import (
	"context"
	"slices"
	"sync"
)

// Budget bounds the bytes of large messages that are held at a time. Connections that share one
// wait in the order of their requests; small messages are not counted. Safe for concurrent use.
type Budget struct {
	total int64

	mu      sync.Mutex // guards the fields below
	used    int64
	waiting []*debt
}

// debt is a message that waits for its share of the budget.
type debt struct {
	bytes int64
	paid  chan struct{} // closed when it has its share
}

// smallFrame is the size up to which a message is not counted.
const smallFrame = 1 << 20

// NewBudget returns a budget of the given number of bytes; a message that is larger gets it alone.
func NewBudget(bytes int64) *Budget { return &Budget{total: bytes} }

// acquire blocks until n bytes are free. release, which must be called once, frees them. The error
// is ctx's.
func (b *Budget) acquire(ctx context.Context, n int64) (release func(), err error) {
	n = min(n, b.total)
	d := &debt{n, make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, d)
	b.payLocked()
	b.mu.Unlock()
	select {
	case <-d.paid:
	case <-ctx.Done():
		b.mu.Lock()
		defer b.mu.Unlock()
		if at := slices.Index(b.waiting, d); at >= 0 {
			b.waiting = slices.Delete(b.waiting, at, at+1)
		} else {
			b.used -= n // it was granted just now
		}
		b.payLocked()
		return nil, ctx.Err()
	}
	return sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.used -= n
		b.payLocked()
	}), nil
}

// payLocked grants bytes to the waiters in order. mu is held.
func (b *Budget) payLocked() {
	for len(b.waiting) > 0 && b.used+b.waiting[0].bytes <= b.total {
		b.used += b.waiting[0].bytes
		close(b.waiting[0].paid)
		b.waiting = slices.Delete(b.waiting, 0, 1)
	}
}
