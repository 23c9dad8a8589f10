//go:build linux

package bench

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	appendsAlone    = 400 // sequentially
	appendsTogether = 4000
	callers         = 100 // concurrently
	sentences       = 10  // sentences of an assistant's message
)

// appends times turns appended sequentially, with phases that measure the disk's own fsync in
// between, and then a hundred concurrent callers.
func (t *talks) appends() error {
	return t.with(func(c *client) error {
		s := newSpeaker(3)
		if _, err := c.append("warm", s.turn(sentences)); err != nil { // opens the memory
			return err
		}
		var alone, disk []time.Duration
		bytes, cpu := 0, time.Duration(0)
		for range 4 {
			floor, err := fsyncs(t.state, appendsAlone/4, 2000)
			if err != nil {
				return err
			}
			disk = append(disk, floor...)
			before, err := processor(c.cmd.Process.Pid)
			if err != nil {
				return err
			}
			for range appendsAlone / 4 {
				turn := s.turn(sentences)
				bytes += len(turn[0].Content) + len(turn[1].Content)
				begin := time.Now()
				if _, err := c.append("alone", turn); err != nil {
					return err
				}
				alone = append(alone, time.Since(begin))
			}
			if err := c.calm(); err != nil { // the versions of the turns are made in the background
				return err
			}
			after, err := processor(c.cmd.Process.Pid)
			if err != nil {
				return err
			}
			cpu += after - before
		}
		t.table.add("fsync of 2,000 bytes: p50", ms(percentile(disk, .50)), 0, " ms", "%d, in the state directory; p99 %.2f ms", len(disk), ms(percentile(disk, .99)))
		t.table.add("append of a turn: p50", ms(percentile(alone, .50)), 0, " ms", "%d turns of %d bytes, each on disk", len(alone), bytes/len(alone))
		t.table.add("append of a turn: p99", ms(percentile(alone, .99)), 15, " ms", "slowest %.1f ms; fsync alone p99 %.2f ms", ms(percentile(alone, 1)), ms(percentile(disk, .99)))
		t.table.add("append of a turn: CPU", ms(cpu)/float64(len(alone)), 0, " ms", "of the server, with what it does afterwards")
		rate := float64(len(alone)) / sum(alone).Seconds()
		return t.together(c, s, rate)
	})
}

// together compares the throughput of a hundred callers with that of one.
func (t *talks) together(c *client, s *speaker, rate float64) error {
	for _, into := range []struct {
		what string
		name func(caller int) string
	}{
		{"one conversation", func(int) string { return "shared" }},
		{"100 conversations", func(caller int) string { return fmt.Sprint("own", caller) }},
	} {
		turns := make([][]message, appendsTogether)
		for i := range turns {
			turns[i] = s.turn(sentences)
		}
		took, err := c.atOnce(turns, into.name)
		if err != nil {
			return err
		}
		got := float64(len(turns)) / took.Seconds()
		t.table.least("100 appends at once into "+into.what, got/rate, 20, " ×", "%.0f a second, one by one %.0f", got, rate)
		if err := c.calm(); err != nil {
			return err
		}
	}
	return nil
}

// atOnce appends turns from a hundred callers and checks that every one is stored.
func (c *client) atOnce(turns [][]message, name func(caller int) string) (time.Duration, error) {
	next := make(chan []message)
	errs := make([]error, callers)
	last := make([]map[string]int, callers)
	var wait sync.WaitGroup
	begin := time.Now()
	for i := range callers {
		last[i] = map[string]int{}
		wait.Go(func() {
			for turn := range next {
				a, err := c.append(name(i), turn)
				if err != nil {
					errs[i] = err
					continue
				}
				last[i][name(i)] = max(last[i][name(i)], a.MessageCount)
			}
		})
	}
	for _, turn := range turns {
		next <- turn
	}
	close(next)
	wait.Wait()
	took := time.Since(begin)
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return 0, errs[i]
	}
	counts, total := map[string]int{}, 0
	for _, l := range last {
		for conversation, n := range l {
			counts[conversation] = max(counts[conversation], n)
		}
	}
	for _, n := range counts {
		total += n
	}
	if total != 2*len(turns) {
		return 0, fmt.Errorf("%d messages were appended and %d are there", 2*len(turns), total)
	}
	return took, nil
}
