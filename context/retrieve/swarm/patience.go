package swarm

import (
	"context"
	"sync"
	"time"
)

// A model that works, but too slowly for this machine, would cost every bundle its share of the
// deadline without any benefit. After a few consecutive stages without a result it is not asked for
// a time, with backoff.
const (
	patientStages = 3
	firstRest     = 5 * time.Second
	longestRest   = 5 * time.Minute

	// A stage with less time than this is no evidence about the model.
	tellingTime = 100 * time.Millisecond
)

// patience tracks whether a model answered in time. The zero value is a model that did.
type patience struct {
	mu     sync.Mutex // guards the fields below
	inVain int        // consecutive stages without a result
	given  time.Duration
	rest   time.Duration
	until  time.Time // zero: the model may be asked
}

// allows reports whether a stage that has until ctx's deadline may ask the model: always, except
// during the backoff, and even then if it has more time than any stage without a result.
func (p *patience) allows(ctx context.Context, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !now.Before(p.until) {
		return true
	}
	at, ok := ctx.Deadline()
	return !ok || at.Sub(now) > p.given
}

// ended records how a stage that asked ended: vain means that nothing came in the time took.
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
