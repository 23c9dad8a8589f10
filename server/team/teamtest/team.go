package teamtest

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/stream"
)

// patience bounds each wait of a test. It is long enough for a busy machine.
const patience = 60 * time.Second

// Setup creates the streams of the team in dir, whose servers run.
func Setup(t testing.TB, dir string) {
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
