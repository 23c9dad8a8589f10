//go:build linux

package bench

import (
	"errors"
	"fmt"
	"time"
)

const (
	stormed = 500 // concurrent bundles of one client
	asked   = 200 // bundles of the other client, idle and in the storm
)

// storm times one client's bundles while another has 500 of them pending.
func (h *hosted) storm() (err error) {
	clients, err := h.joined(2)
	defer func() { err = errors.Join(err, stopAll(clients)) }()
	if err != nil {
		return err
	}
	calm, loud := clients[0], clients[1]
	talk := newSpeaker(9)
	ask := func() (time.Duration, error) {
		begin := time.Now()
		err := calm.command("contexture.bundle", map[string]any{"prompt": talk.question(), "budget": 12_000}, nil)
		return time.Since(begin), err
	}
	var idle, within []time.Duration
	for range asked {
		took, err := ask()
		if err != nil {
			return err
		}
		idle = append(idle, took)
	}
	storms, slowest := 0, time.Duration(0)
	for len(within) < asked {
		storms++
		begin := time.Now()
		ended := make(chan error, 1)
		go func() { ended <- loud.flood(storms, stormed) }()
		for storm := true; storm; {
			took, err := ask()
			if err != nil {
				return errors.Join(err, <-ended)
			}
			select {
			case err := <-ended:
				if err != nil {
					return err
				}
				storm = false // the last one may have been requested after the storm
			default:
				within = append(within, took)
			}
		}
		slowest = max(slowest, time.Since(begin))
	}
	h.table.add("bundle beside an idle client: p50", ms(percentile(idle, .50)), 0, " ms", "%d bundles; p99 %.0f ms", len(idle), ms(percentile(idle, .99)))
	h.table.add("bundle beside a storm of 500: p50", ms(percentile(within, .50)), 0, " ms", "%d bundles in %d storms; a storm takes %.1f s at most", len(within), storms, slowest.Seconds())
	h.table.add("bundle beside a storm of 500: p99", ms(percentile(within, .99)), 250, " ms", "slowest %.0f ms", ms(percentile(within, 1)))
	return nil
}

// flood requests n bundles without waiting and then waits for all.
func (c *client) flood(seed, n int) error {
	talk := newSpeaker(uint64(1000 + seed))
	var calls []*call
	for range n {
		q, err := c.beginCommand("contexture.bundle", map[string]any{"prompt": talk.question(), "budget": 12_000, "deadlineMs": 60_000})
		if err != nil {
			return err
		}
		calls = append(calls, q)
	}
	var errs []error
	for i, q := range calls {
		if err := q.wait(nil); err != nil {
			errs = append(errs, fmt.Errorf("bundle %d of a storm: %w", i, err))
		}
	}
	return errors.Join(errs...)
}
