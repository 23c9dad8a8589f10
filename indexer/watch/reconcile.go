package watch

import "time"

// restFactor bounds how much later the safety net comes where nothing happens: with the default,
// after four hours.
const restFactor = 24

// reconciler arms the timer of the Rescan batches that come without a cause. Each comes twice as
// late as the one before while no event comes, so that a workspace at rest is left alone.
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

// fired arms the timer for the next one.
func (r *reconciler) fired() {
	r.rest = min(2*r.rest, restFactor*r.every)
	r.timer.Reset(r.rest)
}

// disturbed takes note of an event: events may have been lost beside it.
func (r *reconciler) disturbed() {
	if r.rest > r.every {
		r.rest = r.every
		r.timer.Reset(r.rest)
	}
}
