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
	defer w.schedule.timer.Stop()
	defer w.pollTimer.Stop()
	reconcile := newReconciler(w.opts.Reconcile)
	defer reconcile.timer.Stop()
	for {
		if w.pend.changed {
			w.pend.changed = false
			w.schedule.touch(time.Now())
		}
		w.prepare()
		w.cookies.advance(w.pend.empty(), w.sending == nil)
		w.armPoll()
		w.publish()
		var events <-chan fsnotify.Event
		if w.system.fs != nil {
			events = w.system.fs.Events
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
		case <-w.system.overflow:
			w.log.Info("events were lost, the workspace is scanned again")
			w.rescan()
		case <-w.injected.wake:
			w.takeInjected()
		case <-w.refresh:
			w.walkAgain(false)
		case <-w.schedule.timer.C:
			w.schedule.expire(time.Now())
		case <-w.pollTimer.C:
			w.pollArmed = false
			w.startPoll()
		case <-step:
			w.pollStep()
		case <-reconcile.timer.C:
			reconcile.fired()
			w.system.limit = max(w.opts.Budget, 0)
			w.rescan()
		}
	}
}

// prepare makes the next batch if it is due and the previous one was taken. It first updates the
// watches, so that the reader checks the disk after they are set.
func (w *Watcher) prepare() {
	if !w.schedule.due || w.sending != nil {
		return
	}
	w.schedule.clear()
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
	w.system.held = map[string]int{}
	w.system.limitErr = "the system's watcher ended, folders are polled; restart to watch again"
	w.log.Warn("watching by polling", "err", w.system.limitErr)
	w.extras.set(string(w.root), w.opts.Extra, w.rootGone)
	w.addTree("", silent)
	w.pend.all()
}

// publish updates Status.
func (w *Watcher) publish() {
	now := Status{Mode: "inotify", Watches: len(w.system.held), Polled: len(w.polled) + w.extras.polled()}
	switch {
	case w.opts.Budget < 0:
		now.Mode = "client"
	case now.Polled > 0 || w.system.fs == nil:
		now.Mode, now.Err = "poll", w.system.problem()
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
