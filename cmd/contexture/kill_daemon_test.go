package main

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/servertest"
)

// TestKillDaemonWhileAppending kills the daemon again and again while several requests of two
// editors append: no request fails, every append is answered, and at the end all are there once and
// in order.
func TestKillDaemonWhileAppending(t *testing.T) {
	l := &appendLog{root: smallTree(t), state: stateDir(t), rng: rand.New(rand.NewPCG(5, 9))}
	kills := killsOr(t, 12) // each takes the time of starting the next daemon
	acks := appendThrough(t, l, kills, func() {
		<-time.After(time.Duration(l.rng.IntN(3000)) * time.Microsecond)
		killDaemon(t, l.state)
	})
	t.Logf("%d appends were answered through %d kills", acks, kills)
}

// TestUpdateWhileAppending starts one newer build after another while editors of the older ones
// append: each replaces the daemon, no request fails, and nothing is lost or doubled.
func TestUpdateWhileAppending(t *testing.T) {
	const updates = 4
	l := &appendLog{root: smallTree(t), state: stateDir(t), rng: rand.New(rand.NewPCG(7, 3))}
	builds := 0
	appendThrough(t, l, updates, func() {
		builds++
		before := daemonOf(l.state)
		e := servertest.Connect(t, serveSharedBy(t, laterBuild(t, time.Duration(builds)*time.Second), l.state), servertest.Options{})
		e.Initialize(servertest.Options{Roots: []string{l.root}})
		if daemonOf(l.state) == before {
			t.Errorf("update %d: the older daemon answers", builds)
		}
	})
}

// appendThrough has two editors append until disturb was called several times, with a few answers
// between two calls, and checks that all is there. It returns the number of answers.
func appendThrough(t *testing.T, l *appendLog, times int, disturb func()) int64 {
	var editors []*servertest.Editor
	for range 2 {
		e := servertest.Connect(t, serveShared(t, l.state), servertest.Options{})
		e.Initialize(servertest.Options{Roots: []string{l.root}})
		editors = append(editors, e)
	}
	for i := range l.callers {
		l.callers[i] = &caller{name: fmt.Sprint("c", i), conversation: fmt.Sprint("own", i), rng: rand.New(rand.NewPCG(5, uint64(i)))}
		if i >= 4 {
			l.callers[i].conversation = "shared"
		}
	}
	var acks atomic.Int64
	var stop atomic.Bool
	var wait sync.WaitGroup
	for i, c := range l.callers {
		e := editors[i%len(editors)]
		wait.Go(func() {
			for !stop.Load() {
				c.flying = c.next()
				if err := e.Execute("contexture.conversation.append", c.args(), nil); err != nil {
					t.Errorf("%s: %v", c.name, err)
					return
				}
				c.acked, c.flying = append(c.acked, c.flying), nil
				acks.Add(1)
			}
		})
	}
	for n := range times {
		want := acks.Load() + int64(l.rng.IntN(20))
		if !until(func() bool { return acks.Load() >= want || t.Failed() }) || t.Failed() {
			t.Errorf("disturbance %d: the clients do not go on", n)
			break
		}
		disturb()
	}
	stop.Store(true)
	wait.Wait()
	l.check(t, editors[0])
	return acks.Load()
}
