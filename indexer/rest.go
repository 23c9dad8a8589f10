package indexer

import (
	"sync"
	"time"
)

// What a request reads of mapped files stays in the process' memory until the system needs it,
// which on most machines is never. An idle index releases it: it is still in the system's cache, so
// that the next request is hardly slower.

const (
	restAfter = 3 * time.Second // after the last request
	// restBytes is the size of mapped files from which releasing pays.
	restBytes = 64 << 20
)

// idleTimer counts the readers of an index.
type idleTimer struct {
	mu      sync.Mutex // guards all below
	readers int
	timer   *time.Timer // nil before the first reader, and after Close
	closed  bool
}

// read records a reader; the returned function, which may be called repeatedly, records its end.
func (x *Index) read() (end func()) {
	r := &x.resting
	r.mu.Lock()
	r.readers++
	if r.timer != nil {
		r.timer.Stop()
	}
	r.mu.Unlock()
	return sync.OnceFunc(func() {
		if anyDamaged(x.current.Load().layout.parts) {
			x.w.mail.send(x.w.renewDamaged)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.readers--; r.readers > 0 || r.closed || x.w.mapped.Load() < restBytes {
			return
		}
		if r.timer == nil {
			r.timer = time.AfterFunc(restAfter, x.rest)
			return
		}
		r.timer.Reset(restAfter)
	})
}

// rest releases the memory of mapped files when there are no readers.
func (x *Index) rest() {
	x.resting.mu.Lock()
	defer x.resting.mu.Unlock()
	if x.resting.readers > 0 || x.resting.closed {
		return
	}
	x.current.Load().layout.releaseFiles()
}

// end stops the timer; rest does nothing afterwards.
func (r *idleTimer) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.timer != nil {
		r.timer.Stop()
	}
}

// releaseFiles releases the memory of the parts' files.
func (l *layout) releaseFiles() {
	for _, p := range l.parts {
		for _, f := range p.mappedFiles() {
			f.Release()
		}
	}
}
