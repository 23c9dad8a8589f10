package memory

import (
	"sync/atomic"
	"time"
)

// Work in the background begins when no append has come for calm, so that it does not take the processor from those
// who wait; and without such a calm after patience, so that it is always done at last.
const (
	calm     = 10 * time.Millisecond
	patience = time.Second
)

// pace tells the background when appends are on their way. Safe for concurrent use.
type pace struct{ begun, running atomic.Int64 }

func (p *pace) begin() {
	p.running.Add(1)
	p.begun.Add(1)
}

func (p *pace) end() { p.running.Add(-1) }

// busy reports whether an append is on its way.
func (p *pace) busy() bool { return p.running.Load() > 0 }

// rest waits for a calm between appends, as long as patience; false says that stopped was closed.
func (p *pace) rest(stopped <-chan struct{}) bool {
	timer := time.NewTimer(calm)
	defer timer.Stop()
	for waited := calm; ; waited += calm {
		before := p.begun.Load()
		select {
		case <-stopped:
			return false
		case <-timer.C:
		}
		if waited >= patience || !p.busy() && p.begun.Load() == before {
			return true
		}
		timer.Reset(calm)
	}
}
