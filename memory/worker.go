package memory

import "sync"

// worker runs background work for workspaces, one at a time, on its own goroutine.
type worker struct {
	run  func(w *Workspace, stopped <-chan struct{})
	stop func() // ends the goroutine and waits for it

	mu      sync.Mutex // guards all below
	changed *sync.Cond // on mu
	waiting []*Workspace
	busy    bool
	ended   bool
}

// startWorker starts a worker; run must return soon after stopped is closed.
func startWorker(run func(w *Workspace, stopped <-chan struct{})) *worker {
	k := &worker{run: run}
	k.changed = sync.NewCond(&k.mu)
	stopped, done := make(chan struct{}), make(chan struct{})
	k.stop = sync.OnceFunc(func() {
		close(stopped)
		k.mu.Lock()
		k.ended = true
		k.changed.Broadcast()
		k.mu.Unlock()
		<-done
	})
	go func() {
		defer close(done)
		for w := k.next(); w != nil; w = k.next() {
			k.run(w, stopped)
		}
	}()
	return k
}

// poke queues a workspace that has work.
func (k *worker) poke(w *Workspace) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, other := range k.waiting {
		if other == w {
			return
		}
	}
	k.waiting = append(k.waiting, w)
	k.changed.Broadcast()
}

// next blocks until a workspace has work and returns it; nil means that the worker ends.
func (k *worker) next() *Workspace {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.busy = false
	k.changed.Broadcast()
	for len(k.waiting) == 0 && !k.ended {
		k.changed.Wait()
	}
	if k.ended {
		return nil
	}
	w := k.waiting[0]
	k.waiting = k.waiting[1:]
	k.busy = true
	return w
}
