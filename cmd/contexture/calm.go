package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// The collector of Go's runtime runs every two minutes at rest too, which takes tens of
// milliseconds of a large heap each time. A calm switches it off once hardly anything is allocated
// any more. From then on only growth of the process by calmRoom starts it, by the memory limit, and
// that run brings back what held before: no request knows of any of this, and at rest no timer is
// armed. Runs of the collector are seen by a finalizer.
const (
	calmAfter   = 2 * time.Second // between two looks at what was allocated
	calmBytes   = 2 << 20         // allocated between them at most
	calmRoom    = 16 << 20        // that the process grows before the collector runs again
	calmGarbage = 64 << 20        // left by what is over, beside less than twice as much in use: it is collected once
)

// calm is whether the collector rests.
type calm struct {
	later func(time.Duration, func()) // time.AfterFunc

	mu      sync.Mutex // guards all below
	armed   bool       // a look is due
	total   uint64     // allocated until the last look, since the process began
	ended   bool
	off     bool
	percent int   // GOGC before it was switched off
	limit   int64 // GOMEMLIMIT before
}

// keepCalm lets the collector rest while the process does, until stop, which brings back what held
// before.
func keepCalm(later func(time.Duration, func())) (stop func()) {
	c := &calm{later: later}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armLocked()
	c.awaitRun()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ended = true
		c.resumeLocked()
	}
}

// awaitRun has the next run of the collector seen.
func (c *calm) awaitRun() {
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.ended {
			c.resumeLocked()
			c.armLocked()
			c.awaitRun()
		}
	})
}

// armLocked has a look taken. mu is held.
func (c *calm) armLocked() {
	if !c.armed {
		c.armed = true
		c.later(calmAfter, c.look)
	}
}

// look switches the collector off where hardly anything was allocated since the last look, and
// checks again later otherwise.
func (c *calm) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed = false
	before := c.total
	c.total = measured("/gc/heap/allocs:bytes")[0]
	switch {
	case c.ended || c.off:
		return
	case c.total-before >= calmBytes:
		c.armLocked()
		return
	}
	m := measured("/memory/classes/heap/objects:bytes", "/gc/heap/live:bytes")
	if garbage := int64(m[0]) - int64(m[1]); garbage >= calmGarbage && garbage >= int64(m[1])/2 {
		debug.FreeOSMemory()
	}
	m = measured("/memory/classes/total:bytes", "/memory/classes/heap/released:bytes")
	c.off = true
	c.percent, c.limit = debug.SetGCPercent(-1), debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(c.limit, int64(m[0]-m[1])+calmRoom))
}

// resumeLocked brings the collector back. mu is held.
func (c *calm) resumeLocked() {
	if c.off {
		c.off = false
		debug.SetMemoryLimit(c.limit)
		debug.SetGCPercent(c.percent)
	}
}

// measured reads metrics of the runtime.
func measured(names ...string) []uint64 {
	samples := make([]metrics.Sample, len(names))
	for i, name := range names {
		samples[i].Name = name
	}
	metrics.Read(samples)
	out := make([]uint64, len(names))
	for i, s := range samples {
		out[i] = s.Value.Uint64()
	}
	return out
}
