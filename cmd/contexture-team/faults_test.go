package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/stream"
	"github.com/contexture-dev/contexture/server/team/teamtest"
)

// writer publishes facts of its own until it is stopped, each until it is acknowledged, and now and
// then changes one that was.
type writer struct {
	membership *enrol.Membership

	mu    sync.Mutex
	acked map[string]string // guarded by mu; what was acknowledged, by id
	calls int               // guarded by mu; acknowledgements
}

func (w *writer) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls
}

// run publishes until ctx ends. The client is opened anew now and then, as by a person who restarts
// the machine.
func (w *writer) run(ctx context.Context, t *testing.T, random *rand.Rand) {
	for number := 0; ctx.Err() == nil; {
		c := teamtest.Client(t, stream.Options{Membership: w.membership})
		for until := number + 20 + random.IntN(100); number < until && ctx.Err() == nil; number++ {
			id := strconv.Itoa(number)
			if number > 10 && random.IntN(4) == 0 {
				id = strconv.Itoa(random.IntN(number))
			}
			w.publish(ctx, c, id, fmt.Sprintf("%s is %d", id, number))
		}
		c.Close()
	}
}

// publish publishes one fact until it is acknowledged or ctx ends.
func (w *writer) publish(ctx context.Context, c *stream.Client, id, data string) {
	pause := time.NewTicker(20 * time.Millisecond)
	defer pause.Stop()
	for {
		trying, cancel := context.WithTimeout(ctx, time.Second)
		err := c.PutFact(trying, "repo", id, []byte(data))
		cancel()
		if err == nil {
			w.mu.Lock()
			w.acked[id] = data
			w.calls++
			w.mu.Unlock()
			return
		}
		select {
		case <-ctx.Done():
			w.mu.Lock()
			delete(w.acked, id) // nobody knows which of the two is stored
			w.mu.Unlock()
			return
		case <-pause.C:
		}
	}
}

// reader follows facts and keeps the latest of each.
type reader struct {
	mu      sync.Mutex
	facts   map[string]string // guarded by mu; by author and id
	count   int               // guarded by mu
	rewound int               // guarded by mu
}

func (r *reader) follow(ctx context.Context, c *stream.Client) error {
	return c.Facts(ctx, []stream.Position{{Repo: "repo"}}, stream.Follower{
		Message: func(m *stream.Message) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.facts[m.Author+"/"+m.ID] = string(m.Data)
			r.count++
			return nil
		},
		Rewound: func(string) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.rewound++
			return nil
		},
	})
}

// has returns an error unless the reader has facts.
func (r *reader) has(facts map[string]string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, data := range facts {
		if r.facts[key] != data {
			return fmt.Errorf("%d of %d facts: %s is %q, not %q", len(r.facts), len(facts), key, r.facts[key], data)
		}
	}
	return nil
}

func (r *reader) all() map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.facts)
}

// faults disturbs a cluster of three processes while two members publish and two follow, in each
// round in one of the ways that inflict knows. It checks that everything that was acknowledged is
// there in the end, once, for all.
func faults(t *testing.T, rounds int, ways ...string) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("CONTEXTURE_TEST_SEED"); s != "" {
		fmt.Sscan(s, &seed)
	}
	t.Logf("CONTEXTURE_TEST_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	team := teamtest.StartProcesses(t, 3, enrol.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	watching, unwatch := context.WithCancel(t.Context())
	defer unwatch()
	var publishing, following sync.WaitGroup
	var writers []*writer
	var readers []*reader
	for i := range 2 {
		w := &writer{membership: teamtest.Member(t, team.Dir, fmt.Sprint("writer ", i)), acked: map[string]string{}}
		writers = append(writers, w)
		own := rand.New(rand.NewPCG(seed, uint64(i+1)))
		publishing.Go(func() { w.run(ctx, t, own) })
		r := &reader{facts: map[string]string{}}
		readers = append(readers, r)
		c := teamtest.Client(t, stream.Options{Membership: teamtest.Member(t, team.Dir, fmt.Sprint("reader ", i))})
		following.Go(func() {
			if err := r.follow(watching, c); !errors.Is(err, context.Canceled) {
				t.Errorf("following ended with %v", err)
			}
		})
	}
	progress := func(what string) {
		t.Helper()
		before := []int{writers[0].count(), writers[1].count()}
		teamtest.AwaitWithin(t, 5*time.Minute, "acknowledgements "+what, func() error {
			for i, w := range writers {
				if w.count() < before[i]+10 {
					return fmt.Errorf("writer %d has %d after %d", i, w.count(), before[i])
				}
			}
			return nil
		})
	}
	progress("at first")
	watcher := teamtest.Client(t, stream.Options{Membership: teamtest.Member(t, team.Dir, "watcher")})
	kinds := map[string]int{}
	for round := range rounds {
		began := time.Now()
		node := 1 + random.IntN(3)
		if round%len(ways) == 0 {
			random.Shuffle(len(ways), func(i, j int) { ways[i], ways[j] = ways[j], ways[i] })
		}
		kind := ways[round%len(ways)]
		kinds[kind]++
		// Servers that have all caught up go on without one of them. In half of the rounds the next
		// fault comes before that; then they need to go on only after it.
		healthy := random.IntN(2) == 0
		if healthy {
			awaitReplicas(t, watcher, strconv.Itoa(round))
		}
		during := func() {
			if healthy && !strings.HasSuffix(kind, " all") {
				progress("during " + kind)
			}
		}
		inflict(team, kind, node, during)
		progress("after " + kind)
		t.Logf("round %d: %s %d took %v", round+1, kind, node, time.Since(began).Round(time.Millisecond))
	}
	cancel()
	publishing.Wait()
	check(t, team, watcher, writers, readers)
	unwatch()
	following.Wait()
	t.Logf("%v: %d and %d acknowledgements", kinds, writers[0].count(), writers[1].count())
	for _, r := range readers {
		t.Logf("a reader got %d messages and began again %d times", r.count, r.rewound)
	}
}

// inflict disturbs the servers in one way, and calls during meanwhile.
func inflict(team *teamtest.Processes, kind string, node int, during func()) {
	switch kind {
	case "kill":
		team.Kill(node)
		during()
		team.Start(node)
	case "kill all":
		for n := range 3 {
			team.Kill(n + 1)
		}
		for n := range 3 {
			team.Start(n + 1)
		}
	case "full":
		team.Full(node)
		<-time.After(time.Second) // in which members publish
		during()
		team.Kill(node)
		team.Start(node)
	case "full all":
		for n := range 3 {
			team.Full(n + 1)
		}
		<-time.After(time.Second)
		inflict(team, "kill all", node, during)
	case "isolate":
		team.Isolate(node, true)
		during()
		team.Isolate(node, false)
	case "hold":
		team.Hold(node, true)
		during()
		team.Hold(node, false)
	}
}

// awaitReplicas publishes a fact and waits until all servers confirm it.
func awaitReplicas(t *testing.T, c *stream.Client, id string) {
	t.Helper()
	fact := stream.Fact{Repo: "watched", ID: id, Data: []byte(id)}
	teamtest.AwaitWithin(t, 5*time.Minute, "all replicas", func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if err := c.PutFact(ctx, fact.Repo, fact.ID, fact.Data); err != nil {
			return err
		}
		holding, of, err := c.Confirm(ctx, []stream.Fact{fact})
		if err == nil && holding[0] < of {
			err = fmt.Errorf("%d of %d hold it", holding[0], of)
		}
		return err
	})
}

// check compares what the writers know with what the readers have, and with what new readers get:
// one at once, when a replica may still be behind, and one when all servers have everything.
func check(t *testing.T, team *teamtest.Processes, watcher *stream.Client, writers []*writer, readers []*reader) {
	t.Helper()
	want := map[string]string{}
	for _, w := range writers {
		key, err := w.membership.PublicKey()
		if err != nil {
			t.Fatal(err)
		}
		for id, data := range w.acked {
			want[key+"/"+id] = data
		}
	}
	fresh, end := begin(t, team, "new")
	readers = append(readers, fresh)
	for i, r := range readers {
		teamtest.Await(t, fmt.Sprint("reader ", i), func() error { return r.has(want) })
	}
	first := readers[0].all()
	teamtest.Await(t, "all to agree", func() error {
		for i, r := range readers[1:] {
			if got := r.all(); !maps.Equal(got, first) {
				return fmt.Errorf("reader %d differs", i+1)
			}
		}
		return nil
	})
	end()
	awaitReplicas(t, watcher, "at-last")
	last, end := begin(t, team, "last")
	teamtest.Await(t, "the last reader", func() error { return last.has(first) })
	end()
	if last.count != len(first) {
		t.Errorf("the last reader got %d messages for %d facts", last.count, len(first))
	}
}

// begin begins a reader of its own, which end ends.
func begin(t *testing.T, team *teamtest.Processes, name string) (r *reader, end func()) {
	t.Helper()
	r = &reader{facts: map[string]string{}}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	c := teamtest.Client(t, stream.Options{Membership: teamtest.Member(t, team.Dir, name)})
	go func() { done <- r.follow(ctx, c) }()
	return r, func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("following ended with %v", err)
		}
	}
}

// TestFaults disturbs a cluster a few times; `make team` does so more often.
func TestFaults(t *testing.T) {
	t.Parallel()
	faults(t, 4, "kill", "kill all", "isolate", "hold")
}

// TestFullDisks does so with full disks, of one server and of all.
func TestFullDisks(t *testing.T) {
	t.Parallel()
	faults(t, 2, "full", "full all")
}
