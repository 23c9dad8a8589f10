package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// At rest, Go's garbage collector still runs every two minutes, and each run takes tens of
// milliseconds for a large heap. A calm switches the collector off once hardly anything is
// allocated. From then on it runs only when the process grows by calmRoom, triggered by the memory
// limit, and that run restores the previous limits. Requests do not notice any of this, and at rest
// no timer is armed. A finalizer detects runs of the collector.
const (
	calmAfter   = 2 * time.Second // between two checks of what was allocated
	calmBytes   = 2 << 20         // maximum allocated between two checks
	calmRoom    = 16 << 20        // growth of the process after which the collector runs
	calmGarbage = 64 << 20        // garbage, with less than twice as much in use, that is collected once
)

// calm tracks whether the collector is switched off.
type calm struct {
	later func(time.Duration, func()) // time.AfterFunc

	mu      sync.Mutex // guards all fields below
	armed   bool       // a check is scheduled
	total   uint64     // allocated from the start of the process until the last check
	ended   bool
	off     bool
	percent int   // GOGC before it was switched off
	limit   int64 // GOMEMLIMIT before
}

// keepCalm switches the collector off while the process is at rest. stop restores the previous
// limits.
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

// awaitRun arranges that the next run of the collector is detected.
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

// armLocked schedules the next check. mu is held.
func (c *calm) armLocked() {
	if !c.armed {
		c.armed = true
		c.later(calmAfter, c.look)
	}
}

// look switches the collector off if hardly anything was allocated since the last check, and
// otherwise schedules another check.
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

// resumeLocked switches the collector on. mu is held.
func (c *calm) resumeLocked() {
	if c.off {
		c.off = false
		debug.SetMemoryLimit(c.limit)
		debug.SetGCPercent(c.percent)
	}
}

// measured returns the values of metrics of the runtime.
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
