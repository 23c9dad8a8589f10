package watch

import "time"

// restFactor bounds the growth of the interval while nothing happens: with the default, to four
// hours.
const restFactor = 24

// reconciler runs the timer of the periodic Rescan batches. The interval doubles while no event
// comes, so that an idle workspace is left alone.
type reconciler struct {
	timer       *time.Timer
	every, rest time.Duration
}

// newReconciler arms the timer; with a negative time it never fires. The caller stops it.
func newReconciler(every time.Duration) *reconciler {
	r := &reconciler{timer: stoppedTimer(), every: every, rest: every}
	if every > 0 {
		r.timer.Reset(every)
	}
	return r
}

// fired arms the timer for the next batch.
func (r *reconciler) fired() {
	r.rest = min(2*r.rest, restFactor*r.every)
	r.timer.Reset(r.rest)
}

// disturbed resets the interval after an event: others may have been lost.
func (r *reconciler) disturbed() {
	if r.rest > r.every {
		r.rest = r.every
		r.timer.Reset(r.rest)
	}
}
