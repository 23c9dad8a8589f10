//go:build linux || darwin

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

// daemonKills is how often the daemon is killed; each takes the time of starting the next one.
const daemonKills = 25

// TestKillDaemonWhileAppending kills the daemon again and again while several requests of two
// editors append: nobody gets an error, every append is answered, and at the end all are there once
// and in order.
func TestKillDaemonWhileAppending(t *testing.T) {
	l := &appendLog{root: smallTree(t), state: stateDir(t), rng: rand.New(rand.NewPCG(5, 9))}
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
	for n := range daemonKills {
		want := acks.Load() + int64(l.rng.IntN(20))
		if !until(func() bool { return acks.Load() >= want || t.Failed() }) || t.Failed() {
			t.Errorf("kill %d: the clients do not go on", n)
			break
		}
		<-time.After(time.Duration(l.rng.IntN(3000)) * time.Microsecond)
		killDaemon(t, l.state)
	}
	stop.Store(true)
	wait.Wait()
	l.check(t, editors[0])
	t.Logf("%d appends were answered through %d kills", acks.Load(), daemonKills)
}
