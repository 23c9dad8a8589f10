//go:build nightly && linux

package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/team/enrol"
	"github.com/contexture-dev/contexture/server/team/stream"
	"github.com/contexture-dev/contexture/server/team/teamtest"
)

// The crowd of the simulation. Each client follows the facts of some repositories and the packs of
// one. CONTEXTURE_TEST_CLIENTS and CONTEXTURE_TEST_SERVERS change it.
const (
	crowdRepos    = 100
	reposOfClient = 10
	factBytes     = 600
	factsEach     = 10 * time.Millisecond // 100 a second
	packVectors   = 64
	vectorBytes   = 300                      // a key, 256 dimensions of a byte, a check
	packsEach     = time.Second * 64 / 10000 // 10,000 vectors a second
	crowdTime     = time.Minute
)

// delays collects times from publication to delivery. Its methods may be called concurrently.
type delays struct {
	mu  sync.Mutex
	all []time.Duration // guarded by mu
}

// add adds a message that begins with the time at which it was published.
func (d *delays) add(data []byte) {
	took := time.Since(time.Unix(0, int64(binary.BigEndian.Uint64(data))))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, took)
}

func (d *delays) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.all) == 0 {
		return "none"
	}
	slices.Sort(d.all)
	at := func(percent int) time.Duration { return d.all[(len(d.all)-1)*percent/100].Round(time.Millisecond) }
	return fmt.Sprintf("%d, p50 %v, p95 %v, p99 %v, max %v", len(d.all), at(50), at(95), at(99), at(100))
}

func (d *delays) p95() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	slices.Sort(d.all)
	return d.all[len(d.all)*95/100]
}

// counted counts what passes over connections.
type counted struct {
	net.Conn
	in, out *atomic.Int64
}

func (c counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.in.Add(int64(n))
	return n, err
}

func (c counted) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.out.Add(int64(n))
	return n, err
}

// resident returns the memory of a process in MB, now and at most.
func resident(t *testing.T, pid int) (now, peak int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		kb, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
		switch name {
		case "VmRSS":
			now = kb >> 10
		case "VmHWM":
			peak = kb >> 10
		}
	}
	return now, peak
}

func number(name string, or int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return or
}

// message returns data of a size that begins with the time.
func message(size int) []byte {
	data := make([]byte, size)
	for i := 8; i < size; i += 8 {
		binary.BigEndian.PutUint64(data[i:min(i+8, size)][:8:8], rand.Uint64())
	}
	binary.BigEndian.PutUint64(data, uint64(time.Now().UnixNano()))
	return data
}

// TestCrowd lets a thousand clients publish and follow, and measures delays, bytes and memory.
func TestCrowd(t *testing.T) {
	clients := number("CONTEXTURE_TEST_CLIENTS", 1000)
	team := teamtest.StartProcesses(t, number("CONTEXTURE_TEST_SERVERS", 1), enrol.Options{})
	var in, out atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var facts, packs, factAcks, packAcks delays
	var caught atomic.Int64
	var following sync.WaitGroup
	all := make([]*stream.Client, clients)
	repo := func(client, i int) string { return "repo-" + strconv.Itoa((client*7+i*13)%crowdRepos) }
	began := time.Now()
	for n := range all {
		c := teamtest.Client(t, stream.Options{
			Membership: teamtest.Member(t, team.Dir, fmt.Sprint("member ", n)), Tune: stream.Tuning{Poll: time.Minute},
			Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := new(net.Dialer).DialContext(ctx, network, address)
				return counted{conn, &in, &out}, err
			},
		})
		all[n] = c
		var from []stream.Position
		for i := range reposOfClient {
			from = append(from, stream.Position{Repo: repo(n, i)})
		}
		follow := func(d *delays, run func(stream.Follower) error) {
			var once sync.Once
			err := run(stream.Follower{
				Message: func(m *stream.Message) error { d.add(m.Data); return nil },
				Advanced: func(stream.Position, uint64) error {
					once.Do(func() { caught.Add(1) })
					return nil
				},
			})
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
		following.Go(func() { follow(&facts, func(f stream.Follower) error { return c.Facts(ctx, from, f) }) })
		following.Go(func() {
			follow(&packs, func(f stream.Follower) error { return c.Packs(ctx, "model", from[0], f) })
		})
	}
	teamtest.Await(t, "all to follow", func() error {
		if n := caught.Load(); n < int64(2*clients) {
			return fmt.Errorf("%d of %d do", n, 2*clients)
		}
		return nil
	})
	t.Logf("%d clients follow after %v; %d B in and %d B out for each", clients, time.Since(began).Round(time.Millisecond), in.Load()/int64(clients), out.Load()/int64(clients))
	idleIn, idleOut := in.Load(), out.Load()

	var publishing sync.WaitGroup
	var failed atomic.Int64
	publish := func(each time.Duration, acks *delays, do func(client, i int) ([]byte, error)) {
		tick := time.NewTicker(each)
		defer tick.Stop()
		slots := make(chan bool, 256)
		for i := range int(crowdTime / each) {
			<-tick.C
			slots <- true
			publishing.Go(func() {
				data, err := do((i*31)%clients, i)
				if err != nil {
					failed.Add(1)
					t.Log(err)
				}
				acks.add(data)
				<-slots
			})
		}
	}
	publishing.Go(func() {
		publish(factsEach, &factAcks, func(client, i int) ([]byte, error) {
			data := message(factBytes)
			return data, all[client].PutFact(ctx, repo(client, i%reposOfClient), strconv.Itoa(i), data)
		})
	})
	publishing.Go(func() {
		publish(packsEach, &packAcks, func(client, i int) ([]byte, error) {
			data := message(packVectors * vectorBytes)
			return data, all[client].PutPack(ctx, "model", repo(client, 0), data)
		})
	})
	publishing.Wait()
	busy := crowdTime.Seconds()
	want := int(crowdTime/factsEach) * clients * reposOfClient / crowdRepos
	teamtest.Await(t, "all deliveries", func() error {
		facts.mu.Lock()
		defer facts.mu.Unlock()
		if len(facts.all) < want*9/10 { // publishers do not choose all repositories equally often
			return fmt.Errorf("%d of %d", len(facts.all), want)
		}
		return nil
	})
	t.Logf("acknowledged: facts %v; packs %v; %d errors", &factAcks, &packAcks, failed.Load())
	t.Logf("delivered: facts %v; packs %v", &facts, &packs)
	t.Logf("traffic of all clients: %.2f MB/s in, %.2f MB/s out", float64(in.Load()-idleIn)/busy/1e6, float64(out.Load()-idleOut)/busy/1e6)
	for i, pid := range team.PIDs() {
		now, peak := resident(t, pid)
		t.Logf("server %d: %d MB, at most %d MB", i+1, now, peak)
	}
	_, peak := resident(t, os.Getpid())
	t.Logf("all clients and this test: at most %d MB, %d goroutines", peak, runtime.NumGoroutine())
	if failed.Load() > 0 || facts.p95() > 2*time.Second {
		t.Errorf("%d errors, p95 %v", failed.Load(), facts.p95())
	}
	cancel()
	following.Wait()
}
