package memory

import (
	"sync/atomic"
	"time"
)

// pace tells the background when requests of a kind are on their way. Work in the background begins
// when none has come for calm, so that it does not take the processor from those who wait; and
// without such a calm after patience, so that it is always done at last. Safe for concurrent use.
type pace struct {
	calm, patience time.Duration
	begun, running atomic.Int64
	held           atomic.Int64 // how many keep the background from working at all
}

func (p *pace) begin() {
	p.running.Add(1)
	p.begun.Add(1)
}

func (p *pace) end() { p.running.Add(-1) }

// busy reports whether a request is on its way.
func (p *pace) busy() bool { return p.running.Load() > 0 || p.held.Load() > 0 }

// rest waits for a calm between requests, as long as patience, or as long as the background is
// held; false says that stopped was closed.
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
