//go:build linux

package bench

import (
	"errors"
	"fmt"
	"time"
)

const (
	learnedTalks, learnedTurns = 50, 40 // messages that the offline learning processes
	learnRounds                = 5      // of each kind
	learnQuestions             = 30     // of each of the requests in a round
	learnPause                 = 10 * time.Millisecond
)

// learning measures bundles, recalls and searches of a workspace with much memory while idle and
// during the offline learning, in alternating rounds: a run must not be noticeable.
func (t *talks) learning() error {
	return t.with(func(c *client) error {
		s := newSpeaker(14)
		for i := range learnedTalks {
			var batch []message
			for range learnedTurns {
				batch = append(batch, s.turn(10)...)
			}
			if _, err := c.append(fmt.Sprint("talk", i), batch); err != nil {
				return err
			}
		}
		if err := c.calm(); err != nil {
			return err
		}
		busy, err := c.used()
		if err != nil {
			return err
		}
		begin := time.Now()
		if err := c.command("contexture.knowledge.process", map[string]any{}, nil); err != nil {
			return err
		}
		took, err := busy()
		if err != nil {
			return err
		}
		peak, err := memory(c.cmd.Process.Pid, "VmHWM")
		if err != nil {
			return err
		}
		t.table.add("offline learning, first run", took.Seconds(), 0, " s", "of the processor over %d turns, %.1f s by the clock; peak %.0f MiB", learnedTalks*learnedTurns, time.Since(begin).Seconds(), mb(peak))
		return t.beside(c, s)
	})
}

// learnKinds are the requests that people wait for.
var learnKinds = []struct {
	name, command, key string
}{{"bundles", "contexture.bundle", "prompt"}, {"recalls", "contexture.recall", "query"}, {"searches", "contexture.search", "query"}}

// beside sends requests in idle rounds and in rounds during a run.
func (t *talks) beside(c *client, s *speaker) error {
	times := map[string]*[2][]time.Duration{}
	for _, k := range learnKinds {
		times[k.name] = &[2][]time.Duration{}
	}
	runs := 0
	for round := range 2 * learnRounds {
		if err := c.calm(); err != nil {
			return err
		}
		stop, ended := make(chan struct{}), make(chan error, 1)
		if round%2 == 1 {
			go func() { ended <- t.keepLearning(c, stop, &runs) }()
			<-time.After(100 * time.Millisecond) // the run has begun
		} else {
			ended <- nil
		}
		err := ask(c, s, times, round%2)
		close(stop)
		if err := errors.Join(err, <-ended); err != nil {
			return err
		}
	}
	for _, k := range learnKinds {
		idle, busy := times[k.name][0], times[k.name][1]
		for _, p := range []float64{.50, .99} {
			limit := 0.
			if p == .99 {
				limit = 1.3
			}
			a, b := percentile(idle, p), percentile(busy, p)
			t.table.add(fmt.Sprintf("%s beside offline learning, p%.0f", k.name, 100*p), float64(b)/float64(a), limit, " × idle",
				"%.2f ms, idle %.2f ms; %d of each in %d rounds by turns; %d runs ended and %d were cut short", ms(b), ms(a), len(busy), 2*learnRounds, runs, learnRounds)
		}
	}
	return nil
}

// keepLearning starts the learning again and again until stop is closed; the last run is cancelled.
func (t *talks) keepLearning(c *client, stop chan struct{}, runs *int) error {
	for {
		q, err := c.beginCommand("contexture.knowledge.process", map[string]any{"full": true})
		if err != nil {
			return err
		}
		ended := make(chan error, 1)
		go func() { ended <- q.wait(nil) }()
		select {
		case err := <-ended:
			if err != nil {
				return err
			}
			*runs++
		case <-stop:
			err := q.cancel()
			<-ended // that it was cancelled, or succeeded just before
			return err
		}
	}
}

// ask sends requests as a person's tools do: one at a time, with a pause in between.
func ask(c *client, s *speaker, times map[string]*[2][]time.Duration, kind int) error {
	for range learnQuestions {
		for _, k := range learnKinds {
			<-time.After(learnPause)
			begin := time.Now()
			if err := c.command(k.command, map[string]any{k.key: s.question()}, nil); err != nil {
				return err
			}
			times[k.name][kind] = append(times[k.name][kind], time.Since(begin))
		}
	}
	return nil
}
