package swarm

import (
	"context"
	"sync"
	"time"
)

// A model that works, but too slowly for this machine, would cost every bundle its share of the
// deadline and give nothing. After a few stages that were all in vain it is left alone, at first
// briefly, then ever longer.
const (
	patientStages = 3
	firstRest     = 5 * time.Second
	longestRest   = 5 * time.Minute

	// A stage that was given less than this says nothing about the model.
	tellingTime = 100 * time.Millisecond
)

// patience knows how a model kept up of late. The zero value is full of it.
type patience struct {
	mu     sync.Mutex // guards what follows
	inVain int        // stages in a row
	given  time.Duration
	rest   time.Duration
	until  time.Time // zero: the model may be asked
}

// allows reports whether a stage that has until ctx's deadline may ask the model: always, unless it
// rests, and even then when there is more time than it was ever given in vain.
func (p *patience) allows(ctx context.Context, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !now.Before(p.until) {
		return true
	}
	at, ok := ctx.Deadline()
	return !ok || at.Sub(now) > p.given
}

// ended takes how a stage ended that did ask: in vain where nothing came in the time took.
func (p *patience) ended(now time.Time, took time.Duration, vain bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !vain {
		p.inVain, p.given, p.rest, p.until = 0, 0, 0, time.Time{}
		return
	}
	if took < tellingTime {
		return
	}
	p.given = max(p.given, took)
	if p.inVain++; p.inVain >= patientStages {
		p.rest = min(max(2*p.rest, firstRest), longestRest)
		p.until = now.Add(p.rest)
	}
}
