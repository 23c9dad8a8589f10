//go:build linux

package bench

import (
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/servertest"
)

// within starts a server in this process, which n clients share.
func within(t *testing.T, root string, n int) (clients []*client) {
	v, err := server.New(engine.Options{Version: "test", StateDir: t.TempDir(), ConfigDir: t.TempDir(), Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	var sessions sync.WaitGroup
	t.Cleanup(func() {
		sessions.Wait()
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	for range n {
		near, far := net.Pipe()
		sessions.Go(func() {
			if _, err := v.Serve(t.Context(), near, engine.SessionOptions{Offline: true}); err != nil {
				t.Error(err)
			}
		})
		c := newClient(nil, far, root)
		if err := c.hello(far); err != nil {
			t.Fatal(err)
		}
		clients = append(clients, c)
	}
	return clients
}

// TestCrowd runs Daemon/clients briefly: a few clients of one server, and bursts of changes.
func TestCrowd(t *testing.T) {
	g, err := grow(t.TempDir(), 100)
	if err != nil {
		t.Fatal(err)
	}
	clients := within(t, g.root, 4)
	defer func() {
		if err := stopAll(clients); err != nil {
			t.Error(err)
		}
	}()
	if _, err := clients[0].ready(20 * time.Millisecond); err != nil {
		t.Fatal(err)
	}
	w := newCrowd(clients, g, 2*time.Millisecond, 1200*time.Millisecond)
	done := make(chan struct{})
	var beside sync.WaitGroup
	var samples []sample
	var bursts int
	var sampleErr, burstErr error
	beside.Go(func() { samples, sampleErr = sampled(clients[0], os.Getpid(), 100*time.Millisecond, done) })
	beside.Go(func() { bursts, burstErr = bursting(g, 40, 400*time.Millisecond, done) })
	w.run()
	// A busy machine leaves no time for some of what editors do.
	for end := time.Now().Add(servertest.Patience); len(w.missing()) > 0 && len(w.faults) == 0 && time.Now().Before(end); {
		w.until = time.Now().Add(300 * time.Millisecond)
		w.run()
	}
	close(done)
	beside.Wait()
	if sampleErr != nil || burstErr != nil || bursts < 1 || len(samples) < 1 {
		t.Errorf("%d samples, %v; %d bursts, %v", len(samples), sampleErr, bursts, burstErr)
	}
	h := &hosted{run: &run{}, g: g}
	if err := h.settled(w, clients[0]); err != nil {
		t.Fatal(err)
	}
	for _, err := range w.faults {
		t.Error(err)
	}
	for _, what := range w.missing() {
		t.Errorf("there was no time for: %s", what)
	}
	w.members[1].said["m1.0"] = append(w.members[1].said["m1.0"], "m1-lost")
	if lost, err := w.lost(clients[0]); err != nil || lost != 1 {
		t.Errorf("%d messages are missed, %v; one is not there", lost, err)
	}
}

// missing returns what no member has done yet.
func (w *crowd) missing() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := []string{"append", "bundle", "edit", "search"}
	left := slices.DeleteFunc(all, func(what string) bool { return len(w.took[what]) > 0 })
	if len(w.members[1].said["m1.0"]) == 0 {
		left = append(left, "the second member's first conversation")
	}
	return left
}

// TestFlood runs the storm of Daemon/storm.
func TestFlood(t *testing.T) {
	g, err := grow(t.TempDir(), 20)
	if err != nil {
		t.Fatal(err)
	}
	clients := within(t, g.root, 1)
	if err := clients[0].flood(1, 30); err != nil {
		t.Error(err)
	}
	if err := stopAll(clients); err != nil {
		t.Error(err)
	}
}
