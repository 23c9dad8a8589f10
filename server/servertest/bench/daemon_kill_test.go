//go:build linux

package bench

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	daemonKills = 200
	survivors   = 8 // clients
)

// kill kills the daemon repeatedly while clients append and ask. Each continues through its
// forwarder; every acknowledged message is stored once and in order.
func (h *hosted) kill() (err error) {
	clients, err := h.joined(survivors)
	defer func() { err = errors.Join(err, stopAll(clients)) }()
	if err != nil {
		return err
	}
	w := newCrowd(clients, h.g, 0, 0)
	v := &victims{crowd: w, answered: make([]atomic.Int64, len(clients)), done: make(chan struct{})}
	var wait sync.WaitGroup
	for i, m := range w.members {
		wait.Go(func() { v.work(i, m) })
	}
	r := rand.New(rand.NewPCG(200, 5))
	var pauses []time.Duration
	for n := range daemonKills {
		<-time.After(time.Duration(r.IntN(300)) * time.Millisecond) // at any moment of their work
		pause, err := h.killOnce(v)
		if err != nil {
			w.fail(fmt.Errorf("kill %d: %w", n+1, err))
			break
		}
		pauses = append(pauses, pause)
	}
	close(v.done)
	wait.Wait()
	if len(pauses) < daemonKills {
		return errors.Join(w.faults...)
	}
	return h.survived(v, clients[0], pauses)
}

// survived compares the messages stored after the kills with those acknowledged.
func (h *hosted) survived(v *victims, c *client, pauses []time.Duration) error {
	lost, err := v.lost(c)
	if err != nil {
		return err
	}
	said := 0
	for _, m := range v.members {
		said += m.count
	}
	for i, err := range v.faults {
		if i < 20 {
			fmt.Println("fault:", err)
		}
	}
	h.table.exact("200 kills of the daemon: messages lost, twice or out of order", float64(lost), 0, "%d said by %d clients", said, survivors)
	h.table.exact("200 kills of the daemon: errors that a client sees", float64(len(v.faults)), 0, "%d requests; %d changes answered that it is not known whether they were made", v.requests.Load(), v.unsure.Load())
	h.table.add("200 kills of the daemon: pause, p50", ms(percentile(pauses, .50)), 0, " ms", "from a kill until all %d clients have an answer to what they asked after it", survivors)
	h.table.add("200 kills of the daemon: longest pause", ms(percentile(pauses, 1)), 5000, " ms", "p99 %.0f ms", ms(percentile(pauses, .99)))
	return errors.Join(v.faults...)
}

// victims are clients whose daemon is killed.
type victims struct {
	*crowd
	answered []atomic.Int64 // when each client sent its latest answered request, in nanoseconds
	done     chan struct{}
	left     atomic.Bool // a client's forwarder has given up
	requests atomic.Int64
	unsure   atomic.Int64
}

// work alternates appending and asking, as fast as answers come.
func (v *victims) work(i int, m *member) {
	for {
		select {
		case <-v.done:
			return
		default:
		}
		sent := time.Now()
		var err error
		switch v.requests.Add(1); m.rand.IntN(4) {
		case 0:
			err = m.c.command("contexture.search", map[string]any{"query": m.talk.question()}, nil)
		case 1:
			err = v.bundle(m)
		default:
			err = v.say(m)
		}
		if err != nil {
			v.fail(fmt.Errorf("%s: %w", m.name, err))
		}
		select {
		case <-m.c.gone:
			v.left.Store(true)
			return
		default:
			v.answered[i].Store(sent.UnixNano())
		}
	}
}

// say appends; if the answer is that the outcome is unknown, it appends the same message once more.
func (v *victims) say(m *member) error {
	say := m.speak()
	err := say()
	for n := 0; n < 3 && isUnsure(err); n++ {
		v.unsure.Add(1)
		err = say()
	}
	return err
}

// isUnsure reports whether an error is the answer to a change that was in progress when the daemon
// died.
func isUnsure(err error) bool {
	var refused *failure
	return errors.As(err, &refused) && refused.Code == -32803 && strings.Contains(refused.Message, "not known")
}

// killOnce kills the daemon and waits until every client has an answer to a request that it sent
// afterwards.
func (h *hosted) killOnce(v *victims) (pause time.Duration, err error) {
	var pids []int
	err = poll(time.Millisecond, 10*time.Second, func() (bool, error) {
		pids = h.daemons()
		return len(pids) == 1, nil
	})
	if err != nil {
		return 0, fmt.Errorf("there are %d daemons: %w", len(pids), err)
	}
	p, err := os.FindProcess(pids[0])
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		return 0, fmt.Errorf("kill the daemon: %w", err)
	}
	at := time.Now()
	err = poll(time.Millisecond, time.Minute, func() (bool, error) {
		if v.left.Load() {
			return false, errors.New("a forwarder gives up")
		}
		for i := range v.answered {
			if v.answered[i].Load() < at.UnixNano() {
				return false, nil
			}
		}
		return true, nil
	})
	return time.Since(at), err
}
