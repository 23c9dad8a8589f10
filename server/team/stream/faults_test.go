package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/nodetest"
	"github.com/contexture-dev/contexture/server/team/stream"
	"github.com/contexture-dev/contexture/server/team/teamtest"
)

// TestNoServer checks that opening, closing and each call return at once where there is no server.
func TestNoServer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "team")
	if err := enrol.Init(dir, enrol.Options{Team: "T", Servers: teamtest.Addresses(t, 1)}); err != nil {
		t.Fatal(err)
	}
	c := teamtest.Client(t, stream.Options{Membership: teamtest.Member(t, dir, "Ada")})
	if err := c.PutFact(t.Context(), "r1", "a", nil); !errors.Is(err, stream.ErrUnavailable) {
		t.Errorf("a fact: %v", err)
	}
	if err := c.PutPack(t.Context(), "m", "r1", nil); !errors.Is(err, stream.ErrUnavailable) {
		t.Errorf("a pack: %v", err)
	}
	if _, _, err := c.Confirm(t.Context(), nil); !errors.Is(err, stream.ErrUnavailable) {
		t.Errorf("confirming: %v", err)
	}
	follow(t, c, newHeard(), stream.Position{Repo: "r1"})
	if s := c.State(); s.Connected || s.LastError == nil {
		t.Errorf("the state is %+v", s)
	}
}

// TestHangingServer checks that a server which accepts and then is silent, before or after a
// connection is made, holds up no call beyond its context, and not the client's end.
func TestHangingServer(t *testing.T) {
	t.Parallel()
	team := nodetest.Start(t, 1, enrol.Options{})
	m := team.Member("Ada")
	proxy := teamtest.NewProxy(t, m.Servers[0][len("nats://"):])
	servers := []string{"nats://" + proxy.Address()}
	c := teamtest.Connected(t, stream.Options{Membership: m, Servers: servers})
	put(t, c, "r1", "a", "one")
	stop := follow(t, c, newHeard(), stream.Position{Repo: "r1"})
	proxy.Hold(true)
	large := bytes.Repeat([]byte("x"), stream.MaxData/4)
	const patience = 200 * time.Millisecond
	for name, call := range map[string]func(context.Context) error{
		"fact": func(ctx context.Context) error { return c.PutFact(ctx, "r1", "b", []byte("two")) },
		// More than the buffers between here and the server take.
		"packs": func(ctx context.Context) error {
			for {
				if err := c.PutPack(ctx, "m", "r1", large); err != nil {
					return err
				}
			}
		},
		"many facts": func(ctx context.Context) error {
			var all sync.WaitGroup
			var last error
			for i := range 50 {
				all.Go(func() {
					if err := c.PutFact(ctx, "r1", fmt.Sprint(i), large); i == 0 {
						last = err
					}
				})
			}
			all.Wait()
			return last
		},
		"confirm": func(ctx context.Context) error {
			_, _, err := c.Confirm(ctx, []stream.Fact{{Repo: "r1", ID: "a", Data: []byte("one")}})
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		began := time.Now()
		err := call(ctx)
		cancel()
		if !errors.Is(err, stream.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(began); took > 10*patience {
			t.Errorf("%s takes %v", name, took)
		}
	}
	began := time.Now()
	stop()
	c.Close()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the end takes %v", took)
	}
	fresh := teamtest.Client(t, stream.Options{Membership: m, Servers: servers})
	teamtest.Await(t, "a connection", func() error {
		if proxy.Connections() == 0 {
			return errors.New("there is none")
		}
		return nil
	})
	began = time.Now()
	fresh.Close()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the end takes %v", took)
	}
}

// TestForgetfulServer checks that a server whose data is gone is noticed, also by a follower that
// was away meanwhile, and that everything can be published again.
func TestForgetfulServer(t *testing.T) {
	t.Parallel()
	team := nodetest.Start(t, 1, enrol.Options{})
	ada := teamtest.Connected(t, stream.Options{Membership: team.Member("Ada")})
	bob := teamtest.Connected(t, stream.Options{Membership: team.Member("Bob")})
	for i := range 10 {
		put(t, ada, "r1", fmt.Sprint(i), "before")
	}
	away, present := newHeard(), newHeard()
	stop := follow(t, bob, away, stream.Position{Repo: "r1"})
	follow(t, bob, present, stream.Position{Repo: "r1"})
	away.await(t, ada.Author()+"/9", "before")
	present.await(t, ada.Author()+"/9", "before")
	stop()

	team.StopNode(1)
	if err := os.RemoveAll(filepath.Join(team.NodeDir(1), "data")); err != nil {
		t.Fatal(err)
	}
	team.StartNodes()
	team.Setup()
	// More than before, so that the length does not give it away.
	teamtest.Await(t, "the server", func() error { return ada.PutFact(t.Context(), "r1", "0", []byte("after")) })
	for i := range 20 {
		put(t, ada, "r1", fmt.Sprint(i), "after")
	}
	follow(t, bob, away, away.position("r1"))
	for _, h := range []*heard{away, present} {
		for i := range 20 {
			h.await(t, fmt.Sprint(ada.Author(), "/", i), "after")
		}
		if h.rewound != 1 {
			t.Errorf("%d times rewound", h.rewound)
		}
	}
}

// TestOldBackup checks that a server with older data, of the same stream, is noticed.
func TestOldBackup(t *testing.T) {
	t.Parallel()
	team := nodetest.Start(t, 1, enrol.Options{})
	ada := teamtest.Connected(t, stream.Options{Membership: team.Member("Ada")})
	put(t, ada, "r1", "a", "one")
	data, backup := filepath.Join(team.NodeDir(1), "data"), filepath.Join(t.TempDir(), "backup")
	team.StopNode(1)
	if err := os.CopyFS(backup, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	team.StartNodes()
	teamtest.Await(t, "the server", func() error { return ada.PutFact(t.Context(), "r1", "b", []byte("two")) })
	h := newHeard()
	follow(t, ada, h, stream.Position{Repo: "r1"})
	h.await(t, ada.Author()+"/b", "two")
	team.StopNode(1)
	if err := errors.Join(os.RemoveAll(data), os.CopyFS(data, os.DirFS(backup))); err != nil {
		t.Fatal(err)
	}
	team.StartNodes()
	teamtest.Await(t, "the follower to notice", func() error {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.rewound != 1 {
			return fmt.Errorf("%d times rewound", h.rewound)
		}
		return nil
	})
}

// TestFull checks that a full stream says so, takes a tombstone nevertheless, and after that again
// what has room; and that packs make room for themselves.
func TestFull(t *testing.T) {
	t.Parallel()
	for _, servers := range []int{1, 3} {
		t.Run(fmt.Sprint(servers), func(t *testing.T) {
			t.Parallel()
			team := nodetest.Start(t, servers, enrol.Options{FactBytes: 4 << 20, VectorBytes: 4 << 20})
			ada := teamtest.Connected(t, stream.Options{Membership: team.Member("Ada")})
			large := bytes.Repeat([]byte("x"), 900<<10)
			var err error
			stored := 0
			for ; err == nil && stored < 10; stored++ {
				err = ada.PutFact(t.Context(), "r1", fmt.Sprint("f", stored), large)
			}
			if !errors.Is(err, stream.ErrFull) || stored != 5 {
				t.Fatalf("the %dth fact: %v", stored, err)
			}
			if err := ada.PutFact(t.Context(), "r1", "f0", []byte("tombstone")); err != nil {
				t.Errorf("a tombstone: %v", err)
			}
			if err := ada.PutFact(t.Context(), "r1", "f4", large); err != nil {
				t.Errorf("after it: %v", err)
			}
			for i := range 10 {
				if err := ada.PutPack(t.Context(), "m", "r1", append([]byte{byte(i)}, large...)); err != nil {
					t.Errorf("pack %d: %v", i, err)
				}
			}
		})
	}
}

// TestNoStorm checks that clients which lose a server at one moment come back over seconds.
func TestNoStorm(t *testing.T) {
	t.Parallel()
	const clients = crowd
	team := nodetest.Start(t, 1, enrol.Options{})
	m := team.Member("Ada")
	proxy := teamtest.NewProxy(t, m.Servers[0][len("nats://"):])
	var mu sync.Mutex
	var attempts []time.Time
	all := make([]*stream.Client, clients)
	for i := range all {
		all[i] = teamtest.Client(t, stream.Options{
			Membership: m, Servers: []string{"nats://" + proxy.Address()},
			Tune: stream.Tuning{ReconnectSpread: 5 * time.Second}, // as it is by default
			Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				mu.Lock()
				attempts = append(attempts, time.Now())
				mu.Unlock()
				return new(net.Dialer).DialContext(ctx, network, address)
			},
		})
	}
	connected := func() error {
		n := 0
		for _, c := range all {
			if c.State().Connected {
				n++
			}
		}
		if n < clients {
			return fmt.Errorf("%d are", n)
		}
		return nil
	}
	teamtest.Await(t, "all to connect", connected)
	mu.Lock()
	attempts = nil
	mu.Unlock()
	proxy.Cut(true)
	proxy.Cut(false)
	teamtest.Await(t, "all to notice", func() error {
		mu.Lock()
		defer mu.Unlock()
		if len(attempts) < clients {
			return fmt.Errorf("%d attempts", len(attempts))
		}
		return nil
	})
	teamtest.Await(t, "all to connect again", connected)
	mu.Lock()
	defer mu.Unlock()
	slices.SortFunc(attempts, time.Time.Compare)
	perSecond := 0
	for i, j := 0, 0; i < len(attempts); i++ {
		for attempts[i].Sub(attempts[j]) > time.Second {
			j++
		}
		perSecond = max(perSecond, i-j+1)
	}
	if perSecond > clients/3 {
		t.Errorf("%d of %d attempts are in one second", perSecond, len(attempts))
	}
	t.Logf("%d attempts over %v, at most %d in a second", len(attempts), attempts[len(attempts)-1].Sub(attempts[0]).Round(time.Millisecond), perSecond)
}

// TestClocks checks that members whose clocks differ by days share facts.
func TestClocks(t *testing.T) {
	t.Parallel()
	team := nodetest.Start(t, 1, enrol.Options{Encrypt: true})
	at := func(d time.Duration) func() time.Time { return func() time.Time { return time.Now().Add(d) } }
	ahead := teamtest.Connected(t, stream.Options{Membership: team.Member("Ahead"), Now: at(48 * time.Hour)})
	behind := teamtest.Connected(t, stream.Options{Membership: team.Member("Behind"), Now: at(-48 * time.Hour)})
	h := newHeard()
	follow(t, behind, h, stream.Position{Repo: "r1"})
	put(t, ahead, "r1", "a", "one")
	put(t, behind, "r1", "a", "two")
	h.await(t, ahead.Author()+"/a", "one")
	h.await(t, behind.Author()+"/a", "two")
}
