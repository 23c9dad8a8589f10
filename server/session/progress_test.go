package session

import (
	"context"
	"encoding/json"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/transport"
)

// told is a client that agrees to every request and records what it receives.
type told chan json.RawMessage

func (told) Request(context.Context, string, json.RawMessage) transport.Work {
	return transport.Work{Run: func(context.Context) (any, error) { return nil, nil }}
}

func (t told) Notify(_ context.Context, _ string, params json.RawMessage) error {
	t <- params
	return nil
}

// TestProgressOfLearning checks that a run is shown once it takes long, with a percentage that
// never falls, until it ends.
func TestProgressOfLearning(t *testing.T) {
	e, err := engine.New(engine.Options{StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	s := newSession(t.Context(), e, nil, engine.SessionOptions{})
	s.client.progress = true
	near, far := net.Pipe()
	s.conn = transport.NewConn(near, s.Log, transport.Options{})
	client := make(told, 10)
	peer := transport.NewConn(far, s.Log, transport.Options{})
	var served sync.WaitGroup
	served.Go(func() { _ = s.conn.Serve(s.ctx, s) })
	served.Go(func() { _ = peer.Serve(t.Context(), client) })
	defer func() { s.conn.Stop(); peer.Stop(); served.Wait() }()

	p := progress{session: s, name: "learning", title: "Learning"}
	p.learn(&command.LearningProgress{Stage: "reading", MS: 10, Share: .1})
	if p.asked != nil {
		t.Fatal("a run of some milliseconds is shown")
	}
	p.learn(&command.LearningProgress{Stage: "reading", MS: 2000, Share: .2})
	<-s.poke // the client has agreed
	p.learn(&command.LearningProgress{Stage: "reading", MS: 3000, Share: .5, Done: 5, Total: 10})
	p.learn(&command.LearningProgress{Stage: "reading", MS: 4000, Share: .1, Waits: "nothing"})
	p.learn(nil)
	for i, want := range [][]string{{`"begin"`}, {"reading: 5 of 10", `"percentage":50`}, {"reading; waits for nothing", `"percentage":50`}, {`"end"`}} {
		got := string(<-client)
		for _, part := range append(want, "contexture/learning-1") {
			if !strings.Contains(got, part) {
				t.Errorf("%d: %s, want %s", i, got, part)
			}
		}
	}
	s.tasks.Wait()
}
