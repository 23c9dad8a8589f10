package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/nodetest"
	"github.com/contexture-dev/contexture/server/team/stream"
	"github.com/contexture-dev/contexture/server/team/teamtest"
)

// heard collects what a follower receives. Its methods may be called concurrently.
type heard struct {
	mu        sync.Mutex
	data      map[string]string // guarded by mu; the latest by author/id, or by sequence for packs
	count     int               // guarded by mu
	positions map[string]stream.Position
	caught    bool
	rewound   int
}

func newHeard() *heard {
	return &heard{data: map[string]string{}, positions: map[string]stream.Position{}}
}

// follower returns the functions that collect.
func (h *heard) follower() stream.Follower {
	return stream.Follower{
		Message: func(m *stream.Message) error {
			h.mu.Lock()
			defer h.mu.Unlock()
			key := m.Author + "/" + m.ID
			if m.ID == "" {
				key = fmt.Sprint(m.Seq)
			}
			h.data[key] = string(m.Data)
			h.count++
			return nil
		},
		Advanced: func(p stream.Position, behind uint64) error {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.positions[p.Repo], h.caught = p, behind == 0
			return nil
		},
		Rewound: func(string) error {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.rewound++
			return nil
		},
	}
}

func (h *heard) get(key string) (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.data[key]
	return s, ok
}

// await waits until a key has a value.
func (h *heard) await(t *testing.T, key, want string) {
	t.Helper()
	teamtest.Await(t, key, func() error {
		if got, ok := h.get(key); got != want || !ok {
			return fmt.Errorf("%q is %.40q, want %.40q", key, got, want)
		}
		return nil
	})
}

func (h *heard) position(repo string) stream.Position {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.positions[repo]
}

// follow follows repositories until the test ends or stop is called, which waits for it.
func follow(t *testing.T, c *stream.Client, h *heard, from ...stream.Position) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Facts(ctx, from, h.follower()) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("following ended with %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

func put(t *testing.T, c *stream.Client, repo, id, data string) {
	t.Helper()
	if err := c.PutFact(t.Context(), repo, id, []byte(data)); err != nil {
		t.Fatal(err)
	}
}

// TestFacts checks that a fact reaches a follower, a repeat changes nothing, a tombstone replaces
// it for who comes later, and that another repository is not followed.
func TestFacts(t *testing.T) {
	t.Parallel()
	team := nodetest.Start(t, 1, enrol.Options{Encrypt: true})
	ada := teamtest.Connected(t, stream.Options{Membership: team.Member("Ada")})
	bob := teamtest.Connected(t, stream.Options{Membership: team.Member("Bob")})
	h := newHeard()
	stop := follow(t, bob, h, stream.Position{Repo: "r1"}, stream.Position{Repo: "r2"})
	put(t, ada, "r1", "a", "one")
	put(t, ada, "r1", "a", "one")
	put(t, ada, "other", "b", "never")
	put(t, ada, "r2", "c", "three")
	h.await(t, ada.Author()+"/a", "one")
	h.await(t, ada.Author()+"/c", "three")
	put(t, ada, "r1", "a", "")
	h.await(t, ada.Author()+"/a", "")
	stop()
	if _, ok := h.get(ada.Author() + "/b"); ok {
		t.Error("a repository arrived that is not followed")
	}

	late := newHeard()
	follow(t, bob, late, stream.Position{Repo: "r1"})
	late.await(t, ada.Author()+"/a", "")
	if late.count != 1 {
		t.Errorf("%d messages of one fact are stored", late.count)
	}
	// From where the first one was, what was announced to it after its last fetch may come again.
	put(t, bob, "r1", "d", "four")
	rest := newHeard()
	follow(t, ada, rest, h.position("r1"))
	rest.await(t, bob.Author()+"/d", "four")
	if rest.count > 2 {
		t.Errorf("%d messages came, want the new one and at most the tombstone", rest.count)
	}
}

// TestPacks checks that packs arrive in order, and that what was published twice in short time is
// there once.
func TestPacks(t *testing.T) {
	t.Parallel()
	team := nodetest.Start(t, 1, enrol.Options{})
	ada := teamtest.Connected(t, stream.Options{Membership: team.Member("Ada")})
	for i := range 5 {
		for range 2 {
			if err := ada.PutPack(t.Context(), "model", "r1", bytes.Repeat([]byte{byte(i)}, 300<<10)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []byte
	ctx, cancel := context.WithCancel(t.Context())
	err := ada.Packs(ctx, "model", stream.Position{Repo: "r1"}, stream.Follower{
		Message: func(m *stream.Message) error {
			got = append(got, m.Data[0])
			return nil
		},
		Advanced: func(_ stream.Position, behind uint64) error {
			if want := 5 - len(got); behind != uint64(want) {
				t.Errorf("%d packs behind after %d, want %d", behind, len(got), want)
			}
			if behind == 0 {
				cancel()
			}
			return nil
		},
	})
	if !errors.Is(err, context.Canceled) || string(got) != "\x00\x01\x02\x03\x04" {
		t.Errorf("packs %q: %v", got, err)
	}
}

// TestBandwidth checks that packs wait for the bandwidth limit and facts do not.
func TestBandwidth(t *testing.T) {
	t.Parallel()
	team := nodetest.Start(t, 1, enrol.Options{})
	ada := teamtest.Connected(t, stream.Options{Membership: team.Member("Ada"), BytesPerSecond: 1000})
	large := bytes.Repeat([]byte("x"), stream.MaxData)
	if err := ada.PutPack(t.Context(), "m", "r1", large); err != nil {
		t.Errorf("the first pack: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	began := time.Now()
	if err := ada.PutPack(ctx, "m", "r1", large); !errors.Is(err, stream.ErrUnavailable) {
		t.Errorf("the second pack, which takes 17 minutes: %v", err)
	}
	put(t, ada, "r1", "a", string(large))
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("a fact waits too: %v", took)
	}
}

// TestLimits checks what is refused before it is sent.
func TestLimits(t *testing.T) {
	t.Parallel()
	team := nodetest.Start(t, 1, enrol.Options{})
	ada := teamtest.Connected(t, stream.Options{Membership: team.Member("Ada")})
	large := bytes.Repeat([]byte("x"), stream.MaxData)
	if err := ada.PutFact(t.Context(), "r1", "a", large); err != nil {
		t.Errorf("the largest fact: %v", err)
	}
	if err := ada.PutPack(t.Context(), "m", "r1", large); err != nil {
		t.Errorf("the largest pack: %v", err)
	}
	h := newHeard()
	follow(t, ada, h, stream.Position{Repo: "r1"})
	h.await(t, ada.Author()+"/a", string(large))
	var wrong *stream.TooLargeError
	if err := ada.PutFact(t.Context(), "r1", "b", append(large, 'x')); !errors.As(err, &wrong) || wrong.Bytes != stream.MaxData+1 {
		t.Errorf("a fact that is too large: %v", err)
	}
	for _, token := range []string{"", "a.b", "a*", ">", "a b", "ä", strings.Repeat("a", 129)} {
		if err := ada.PutFact(t.Context(), token, "a", nil); err == nil {
			t.Errorf("the repository %q is accepted", token)
		}
		if err := ada.PutFact(t.Context(), "r1", token, nil); err == nil {
			t.Errorf("the id %q is accepted", token)
		}
	}
}

// TestAway checks that a client that was away gets all that came meanwhile, in batches.
func TestAway(t *testing.T) {
	t.Parallel()
	const messages = many
	team := nodetest.Start(t, 1, enrol.Options{})
	ada := teamtest.Connected(t, stream.Options{Membership: team.Member("Ada")})
	bob := teamtest.Connected(t, stream.Options{Membership: team.Member("Bob")})
	h := newHeard()
	stop := follow(t, bob, h, stream.Position{Repo: "r1"})
	put(t, ada, "r1", "first", "x")
	h.await(t, ada.Author()+"/first", "x")
	stop()
	bob.Close()
	var putting sync.WaitGroup
	for worker := range 32 {
		putting.Go(func() {
			for i := worker; i < messages; i += 32 {
				if err := ada.PutFact(t.Context(), "r1", fmt.Sprint("f", i), []byte("content")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	putting.Wait()
	back := newHeard()
	bob = teamtest.Client(t, stream.Options{Membership: team.Member("Bob's other machine")})
	follow(t, bob, back, h.position("r1"))
	teamtest.Await(t, "all messages", func() error {
		back.mu.Lock()
		defer back.mu.Unlock()
		// What was announced with its content counts from the next poll on only; it may come again.
		delete(back.data, ada.Author()+"/first")
		if len(back.data) < messages {
			return fmt.Errorf("%d came", len(back.data))
		}
		return nil
	})
	back.mu.Lock()
	defer back.mu.Unlock()
	if back.count > messages+1 {
		t.Errorf("%d messages came for %d facts", back.count, messages)
	}
}

// TestConfirm checks that each replica is counted once, and only for what it holds exactly.
func TestConfirm(t *testing.T) {
	t.Parallel()
	team := nodetest.Start(t, 3, enrol.Options{Encrypt: true})
	ada := teamtest.Connected(t, stream.Options{Membership: team.Member("Ada")})
	put(t, ada, "r1", "a", "one")
	put(t, ada, "r1", "b", "two")
	facts := []stream.Fact{{"r1", "a", []byte("one")}, {"r1", "b", []byte("old")}, {"r1", "c", []byte("none")}}
	confirmed := func(want int) {
		t.Helper()
		teamtest.Await(t, "replicas", func() error {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			holding, of, err := ada.Confirm(ctx, facts)
			if err == nil && (of != 3 || holding[0] != want || holding[1] != 0 || holding[2] != 0) {
				err = fmt.Errorf("%v of %d hold the facts, want %d the first", holding, of, want)
			}
			return err
		})
	}
	confirmed(3)
	team.StopNode(2)
	confirmed(2)
	team.StartNodes()
	confirmed(3)
}
