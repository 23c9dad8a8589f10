package memory

// quiet blocks until nothing is left to do.
func (k *worker) quiet() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for (k.busy || len(k.waiting) > 0) && !k.ended {
		k.changed.Wait()
	}
}

// quiet waits until nothing is left to write that has a model.
func (s *modelWorker) quiet() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for (s.busy || len(s.waiting) > 0) && !s.ended {
		s.changed.Wait()
	}
}
