package indexer

import (
	"context"
	"testing"
)

// A task that was not taken, or still runs, when its sender gives up is not reported as done.
func TestHandGivesUp(t *testing.T) {
	m := mailbox{tasks: make(chan func(context.Context))}
	ctx, cancel := context.WithCancel(t.Context())
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		f := <-m.tasks
		cancel()
		f(ctx)
		close(ended)
	}()
	if m.hand(ctx, func() { <-end }) {
		t.Error("reported as done while it ran")
	}
	if m.hand(ctx, func() { t.Error("run") }) {
		t.Error("reported as done, and nobody took it")
	}
	close(end)
	<-ended
}
