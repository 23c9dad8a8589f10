package watch

import (
	"time"

	"github.com/fsnotify/fsnotify"
)

// always is a channel that is always ready.
var always = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// run owns the state until the context ends. It never waits for the reader of the batches, so that
// it always receives events, and it wakes only when needed: with nothing to poll and no changes,
// only the reconcile timer is set.
func (w *Watcher) run() {
	defer close(w.done)
	defer close(w.out)
	defer w.closeSystem()
	defer w.flushTimer.Stop()
	defer w.pollTimer.Stop()
	reconcile := newReconciler(w.opts.Reconcile)
	defer reconcile.timer.Stop()
	for {
		w.touch()
		w.prepare()
		w.cookies.advance(w.pend.empty(), w.sending == nil)
		w.armPoll()
		w.publish()
		var events <-chan fsnotify.Event
		if w.fs != nil {
			events = w.fs.Events
		}
		var out chan Batch
		var batch Batch
		if w.sending != nil {
			out, batch = w.out, *w.sending
		}
		var step <-chan struct{}
		if len(w.pollQueue) > 0 {
			step = always
		}
		select {
		case <-w.ctx.Done():
			return
		case out <- batch:
			w.sending = nil
			w.cookies.advance(false, true)
		case ev, ok := <-events:
			if !ok {
				w.lostSystem()
			} else {
				reconcile.disturbed()
				w.event(ev)
			}
		case <-w.overflow:
			w.log.Info("events were lost, the workspace is scanned again")
			w.rescan()
		case <-w.injected.wake:
			w.takeInjected()
		case <-w.refresh:
			w.walkAgain(false)
		case <-w.flushTimer.C:
			w.flushDue(time.Now())
		case <-w.pollTimer.C:
			w.pollArmed = false
			w.startPoll()
		case <-step:
			w.pollStep()
		case <-reconcile.timer.C:
			reconcile.fired()
			w.limit = max(w.opts.Budget, 0)
			w.rescan()
		}
	}
}

// touch starts or extends the quiet time after something was added to pend.
func (w *Watcher) touch() {
	if w.pend.changed {
		w.pend.changed = false
		w.last = time.Now()
		if w.first.IsZero() {
			w.first = w.last
			w.flushTimer.Reset(w.opts.Debounce)
		}
	}
}

// flushDue marks pend as due if it has been quiet for long enough or has lasted too long, and
// otherwise waits on. It does not reset the timer for each event, which for a million events would
// be a million resets.
func (w *Watcher) flushDue(now time.Time) {
	if w.first.IsZero() {
		return
	}
	due := w.last.Add(w.opts.Debounce)
	if latest := w.first.Add(w.maxWait); latest.Before(due) {
		due = latest
	}
	if wait := due.Sub(now); wait > 0 {
		w.flushTimer.Reset(wait)
		return
	}
	w.ready = true
}

// prepare makes the next batch if it is due and the previous one was taken. It first updates the
// watches, so that the reader checks the disk after they are set.
func (w *Watcher) prepare() {
	if !w.ready || w.sending != nil {
		return
	}
	w.ready, w.first = false, time.Time{}
	w.checkRoot()
	if w.rewalk {
		w.rewalk = false
		w.walkAgain(true)
	}
	w.pend.changed = false
	if !w.pend.empty() {
		w.sending = w.pend.take()
	}
}

// rescan makes the reader and the watcher check everything.
func (w *Watcher) rescan() {
	w.rewalk = true
	w.pend.all()
}

// lostSystem switches to polling after the system's watcher has ended by itself.
func (w *Watcher) lostSystem() {
	w.dropTree("")
	w.closeSystem()
	w.held = map[string]int{}
	w.limitErr = "the system's watcher ended, folders are polled; restart to watch again"
	w.log.Warn("watching by polling", "err", w.limitErr)
	w.setExtras()
	w.addTree("", silent)
	w.pend.all()
}

// publish updates Status.
func (w *Watcher) publish() {
	now := Status{Mode: "inotify", Watches: len(w.held), Polled: len(w.polled) + w.polledExtras()}
	switch {
	case w.opts.Budget < 0:
		now.Mode = "client"
	case now.Polled > 0 || w.fs == nil:
		now.Mode, now.Err = "poll", w.limitErr
		if now.Err == "" && len(w.held) >= w.limit {
			now.Err = w.beyondErr
		}
		if now.Err == "" {
			now.Err = "some folders cannot be watched or read now: they are polled"
		}
	}
	if old := w.status.Load(); old == nil || *old != now {
		s := now
		w.status.Store(&s)
	}
}

// stoppedTimer returns a timer that fires only after a Reset.
func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}
