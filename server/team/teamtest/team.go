package teamtest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/node"
	"github.com/contexture-dev/contexture/server/team/stream"
)

// patience bounds each wait of a test. It is long enough for a busy machine.
const patience = 60 * time.Second

// Team is a team whose servers run in the process.
type Team struct {
	Dir   string
	t     testing.TB
	log   *slog.Logger
	nodes []*node.Node // nil where one is stopped
}

// Start makes a team with options, except its addresses, and as many servers, and returns when the
// streams are ready.
func Start(t testing.TB, servers int, o enrol.Options) *Team {
	t.Helper()
	team := &Team{Dir: filepath.Join(t.TempDir(), "team"), t: t, log: slog.New(slog.NewTextHandler(io.Discard, nil)), nodes: make([]*node.Node, servers)}
	o.Servers, o.Routes = Addresses(t, servers), Addresses(t, servers)
	if o.Team == "" {
		o.Team = "Test"
	}
	if err := enrol.Init(team.Dir, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for i := range team.nodes {
			team.StopNode(i + 1)
		}
	})
	team.StartNodes()
	team.Setup()
	return team
}

// StartNodes starts the servers that are stopped.
func (team *Team) StartNodes() {
	team.t.Helper()
	ctx, cancel := context.WithTimeout(team.t.Context(), patience)
	defer cancel()
	var starting sync.WaitGroup
	errs := make([]error, len(team.nodes))
	for i, n := range team.nodes {
		if n == nil {
			starting.Go(func() {
				team.nodes[i], errs[i] = node.Start(ctx, node.Options{Dir: team.NodeDir(i + 1), Log: team.log})
			})
		}
	}
	starting.Wait()
	for _, err := range errs {
		if err != nil {
			team.t.Fatal(err)
		}
	}
}

// Setup creates the streams.
func (team *Team) Setup() {
	team.t.Helper()
	setup(team.t, team.Dir)
}

func setup(t testing.TB, dir string) {
	t.Helper()
	described, err := enrol.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	limits := stream.Limits{Replicas: described.Replicas, FactBytes: described.FactBytes, VectorBytes: described.VectorBytes}
	if err := stream.Setup(ctx, Admin(dir, described), limits); err != nil {
		t.Fatal(err)
	}
}

// Admin returns the access of the administrator of the team in a folder.
func Admin(dir string, described *enrol.Team) stream.Admin {
	return stream.Admin{Servers: described.Servers, CA: described.CA, Credentials: filepath.Join(dir, enrol.AdminCredentials)}
}

// NodeDir returns the folder of a server; servers count from 1.
func (team *Team) NodeDir(number int) string {
	return filepath.Join(team.Dir, enrol.NodeFolder(number))
}

// StopNode stops a server, if it runs.
func (team *Team) StopNode(number int) {
	if n := team.nodes[number-1]; n != nil {
		n.Stop()
		team.nodes[number-1] = nil
	}
}

// Member admits a person and returns the membership.
func (team *Team) Member(name string) *enrol.Membership {
	team.t.Helper()
	return Member(team.t, team.Dir, name)
}

// Member admits a person to the team in dir and returns the membership.
func Member(t testing.TB, dir, name string) *enrol.Membership {
	t.Helper()
	file, err := enrol.Admit(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := enrol.ParseMembership(file)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Client opens a client that ends with the test, and reconnects quickly.
func Client(t testing.TB, o stream.Options) *stream.Client {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	if o.Tune == (stream.Tuning{}) {
		o.Tune = stream.Tuning{ReconnectSpread: 100 * time.Millisecond, MaxReconnectDelay: time.Second, Poll: 2 * time.Second, RewindGrace: time.Second, Failover: 2 * time.Second}
	}
	c, err := stream.Open(context.WithoutCancel(t.Context()), o) // it is closed in its turn
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// Connected opens a client and waits until it is connected.
func Connected(t testing.TB, o stream.Options) *stream.Client {
	t.Helper()
	c := Client(t, o)
	Await(t, "a connection to the team", func() error {
		if s := c.State(); !s.Connected {
			return fmt.Errorf("there is none: %w", s.LastError)
		}
		return nil
	})
	return c
}

// Await waits until do returns no error.
func Await(t testing.TB, what string, do func() error) {
	t.Helper()
	AwaitWithin(t, patience, what, do)
}

// AwaitWithin waits until do returns no error, for a time that is longer than usual.
func AwaitWithin(t testing.TB, patience time.Duration, what string, do func() error) {
	t.Helper()
	const interval = 5 * time.Millisecond
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); ; <-tick.C {
		err := do()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited for %s: %v", what, err)
		}
	}
}

// Addresses returns addresses on loopback that are free. Their ports are none that the system gives
// to outgoing connections: a server that is started again finds its own free.
func Addresses(t testing.TB, count int) []string {
	t.Helper()
	const first, last = 10_000, 32_000
	var out []string
	for range 100 * count {
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", first+rand.IntN(last-first)))
		if err != nil {
			continue // it is taken
		}
		defer l.Close() // all at once, so that no address comes twice
		if out = append(out, l.Addr().String()); len(out) == count {
			return out
		}
	}
	t.Fatal("no free addresses on loopback")
	return nil
}
