//go:build linux

package bench

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	crowded    = 20                     // clients
	thinking   = 250 * time.Millisecond // of each client between two requests, on average
	burstFiles = 2000
	burstEvery = 20 * time.Second
)

// loadFor is how long the clients work.
func loadFor() (time.Duration, error) {
	if text := os.Getenv("CONTEXTURE_LOAD"); text != "" {
		return time.ParseDuration(text)
	}
	return 10 * time.Minute, nil
}

// clients runs twenty clients while the tree changes, and then checks that nothing was lost.
func (h *hosted) clients() (err error) {
	d, err := loadFor()
	if err != nil {
		return err
	}
	clients, err := h.joined(crowded)
	defer func() { err = errors.Join(err, stopAll(clients)) }()
	if err != nil {
		return err
	}
	served, err := clients[0].process()
	if err != nil {
		return err
	}
	w := newCrowd(clients, h.g, thinking, d)
	done := make(chan struct{})
	var watch sync.WaitGroup
	var samples []sample
	var sampleErr, burstErr error
	bursts := 0
	watch.Go(func() { samples, sampleErr = sampled(clients[0], served.PID, time.Second, done) })
	watch.Go(func() { bursts, burstErr = bursting(h.g, burstFiles, burstEvery, done) })
	w.run()
	close(done)
	watch.Wait()
	if err := errors.Join(sampleErr, burstErr); err != nil {
		return err
	}
	if err := h.settled(w, clients[0]); err != nil {
		return err
	}
	h.report(w, d, bursts)
	h.flat(samples)
	after, err := clients[0].process()
	if err == nil && after.PID != served.PID {
		err = errors.New("the daemon was replaced while it was measured")
	}
	return errors.Join(append(w.faults, err)...)
}

// settled waits until the index has caught up, and compares it and the memory with the expected
// content.
func (h *hosted) settled(w *crowd, c *client) error {
	if _, err := c.ready(100 * time.Millisecond); err != nil {
		return err
	}
	if err := h.g.verify(c, 100); err != nil {
		w.fail(err)
	}
	lost, err := w.lost(c)
	if err != nil {
		return err
	}
	said := 0
	for _, m := range w.members {
		said += m.count
	}
	h.table.exact("20 clients: messages lost, twice or out of order", float64(lost), 0, "%d were acknowledged", said)
	return nil
}

// report reports what the clients measured.
func (h *hosted) report(w *crowd, d time.Duration, bursts int) {
	total, cancelled := 0, 0
	var each []string
	for _, what := range slices.Sorted(maps.Keys(w.took)) {
		times := w.took[what]
		total += len(times)
		each = append(each, fmt.Sprintf("%s %.0f/%.0f", what, ms(percentile(times, .50)), ms(percentile(times, .99))))
	}
	for _, m := range w.members {
		cancelled += m.canceled
	}
	for i, err := range w.faults {
		if i < 20 {
			fmt.Println("fault:", err)
		}
	}
	bundles := w.took["bundle"]
	h.table.exact("20 clients: errors", float64(len(w.faults)), 0, "%d requests in %v, %.0f a second; %d cancelled; %d bursts of %d files", total, d, float64(total)/d.Seconds(), cancelled, bursts, burstFiles)
	h.table.add("20 clients: bundle p50", ms(percentile(bundles, .50)), 0, " ms", "%d bundles, %d degraded", len(bundles), w.degraded)
	h.table.add("20 clients: bundle p99", ms(percentile(bundles, .99)), 250, " ms", "slowest %.0f ms; p50/p99 in ms: %s", ms(percentile(bundles, 1)), strings.Join(each, ", "))
}

// sample is the size of a process at a time.
type sample struct {
	rss         int64
	descriptors int
	goroutines  int
}

// sampled measures a process at the interval until done.
func sampled(c *client, pid int, interval time.Duration, done <-chan struct{}) (samples []sample, err error) {
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		select {
		case <-done:
			return samples, nil
		case <-ticks.C:
		}
		rss, err := memory(pid, "VmRSS")
		if err != nil {
			return nil, err
		}
		open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil {
			return nil, err
		}
		now, err := c.process()
		if err != nil {
			return nil, err
		}
		samples = append(samples, sample{rss, len(open), now.Goroutines})
	}
}

// flat compares the last fifth of the time with the second: the first is for warming up.
func (h *hosted) flat(samples []sample) {
	fifth := len(samples) / 5
	if fifth == 0 {
		return
	}
	for _, of := range []struct {
		what, unit string
		limit      float64
		value      func(sample) float64
	}{
		{"RSS", " MiB", 1.1, func(s sample) float64 { return mb(s.rss) }},
		{"descriptors", "", 1.1, func(s sample) float64 { return float64(s.descriptors) }},
		{"goroutines", "", 1.1, func(s sample) float64 { return float64(s.goroutines) }},
	} {
		mean := func(part []sample) (sum, most float64) {
			for _, s := range part {
				sum += of.value(s)
				most = max(most, of.value(s))
			}
			return sum / float64(len(part)), most
		}
		early, _ := mean(samples[fifth : 2*fifth])
		late, _ := mean(samples[len(samples)-fifth:])
		_, most := mean(samples)
		h.table.add("20 clients: "+of.what+" at the end", late/early, of.limit, " ×", "second fifth of the time %.0f%s, last %.0f%s, most %.0f%s", early, of.unit, late, of.unit, most, of.unit)
	}
}

// bursting changes the tree at the interval until done, and counts the changes.
func bursting(g *grown, files int, interval time.Duration, done <-chan struct{}) (bursts int, err error) {
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		if _, err := g.burst(files); err != nil {
			return bursts, err
		}
		bursts++
		select {
		case <-done:
			return bursts, nil
		case <-ticks.C:
		}
	}
}
