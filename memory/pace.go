package memory

import (
	"sync/atomic"
	"time"
)

// pace tracks the running requests of a kind for the background. Background work begins when none
// has arrived for the duration calm, so that it does not compete with them for the processor, and
// at the latest after patience, so that it is always done eventually. Safe for concurrent use.
type pace struct {
	calm, patience time.Duration
	begun, running atomic.Int64
	held           atomic.Int64 // how many callers suspend the background completely
}

func (p *pace) begin() {
	p.running.Add(1)
	p.begun.Add(1)
}

func (p *pace) end() { p.running.Add(-1) }

// busy reports whether a request is running.
func (p *pace) busy() bool { return p.running.Load() > 0 || p.held.Load() > 0 }

// rest blocks until there is a calm between requests, at most for patience, or as long as the
// background is suspended; it reports false when stopped was closed.
func (p *pace) rest(stopped <-chan struct{}) bool {
	timer := time.NewTimer(p.calm)
	defer timer.Stop()
	for waited := p.calm; ; waited += p.calm {
		before := p.begun.Load()
		select {
		case <-stopped:
			return false
		case <-timer.C:
		}
		if waited >= p.patience && p.held.Load() == 0 || !p.busy() && p.begun.Load() == before {
			return true
		}
		timer.Reset(p.calm)
	}
}
